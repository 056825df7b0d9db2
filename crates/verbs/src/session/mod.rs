//! How the two sides of a measurement agree, over TCP: who connects tells what is to be measured and where its queue
//! pairs are ([`Message::Ask`]), who listens answers with its own or refuses. While they measure, both say now and
//! then that they are there ([`Pulse`]), and look whether the other one still does. Messages are lines of JSON with the version of the protocol.

mod control;
mod key_value;
mod lines;
mod message;
mod pulse;
mod task;

pub use control::{Control, ControlError, Watched};
pub use key_value::KeyValue;
pub use lines::{LONGEST_LINE, Lines};
pub use message::{Message, MessageError, VERSION, decode, encode};
pub use pulse::{Beat, Pulse};
pub use task::{Method, Operation, Part, Task, TaskError, Within, WithinError};
