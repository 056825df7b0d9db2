//! Session protocol of two measuring hosts: what they agree on before they measure, and how each notices that the
//! other one is gone.
//!
//! | part | content |
//! |---|---|
//! | [`Task`] | the measurement that both sides carry out, and the queue pairs it needs ([`Plan`], [`Path`]) |
//! | [`Side`] | what a side must know of the other one to connect its queue pairs |
//! | [`Message`] | the messages, lines of JSON with the version of the protocol |
//! | [`Lines`] | messages out of bytes |
//! | [`Pulse`] | the heartbeat while they measure |
//!
//! The client connects over TCP and sends [`Message::Ask`]; the server answers [`Message::Ready`] or
//! [`Message::Refused`]. This crate does no I/O: the driver, which has the socket and the clock, passes bytes and
//! times in.

mod gid;
mod key_value;
mod lines;
mod message;
mod plan;
mod pulse;
mod side;
mod task;

pub use gid::Gid;
pub use key_value::KeyValue;
pub use lines::{LONGEST_LINE, Lines};
pub use message::{Message, MessageError, VERSION, decode, encode};
pub use plan::{Path, Plan, WantedPages};
pub use pulse::{Beat, Pulse};
pub use side::{Bits24, Bits24Error, ManagerPort, QpAddress, Region, Side};
pub use task::{Method, Operation, Part, Task, TaskError, Within, WithinError};
