//! The session protocol of two measuring hosts: the agreement on a measurement, and the detection of a silent peer.
//!
//! | part | content |
//! |---|---|
//! | [`Task`] | the measurement of both sides, and its queue pairs ([`Plan`], [`Path`]) |
//! | [`Side`] | the information for connecting queue pairs with a side |
//! | [`PortAddress`], [`AllowedPeer`] | the addresses with which queue pairs may be connected |
//! | [`Message`] | the messages, lines of JSON with the version of the protocol |
//! | [`Lines`] | the messages of a byte stream |
//! | [`Pulse`] | the heartbeat during a measurement |
//!
//! The client connects over TCP and sends [`Message::Ask`]; the server answers [`Message::Ready`] or
//! [`Message::Refused`]. This crate does no I/O: the driver, which has the socket and the clock, passes bytes and
//! times in.
//!
//! # Examples
//!
//! ```
//! use bandwise_session::{Lines, Message};
//!
//! let sent = Message::Refused("no port is active".to_owned());
//! let mut lines = Lines::default();
//! lines.push(sent.encode().as_bytes());
//! assert_eq!(lines.next_message(), Some(Ok(sent)));
//! ```

mod gid;
mod key_value;
mod lines;
mod message;
mod peers;
mod plan;
mod pulse;
mod side;
mod task;

pub use gid::Gid;
pub use key_value::KeyValue;
pub use lines::{LONGEST_LINE, Lines};
pub use message::{Message, MessageError, VERSION, decode, encode};
pub use peers::{AllowedPeer, AllowedPeerError, PortAddress, foreign};
pub use plan::{Path, Plan, WantedPages};
pub use pulse::{Beat, Pulse};
pub use side::{Bits24, Bits24Error, ManagerPort, QpAddress, Region, Side};
pub use task::{Method, Operation, Part, Task, TaskError, Within, WithinError};
