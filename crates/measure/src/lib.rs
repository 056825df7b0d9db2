//! Measurements over RDMA devices, between two hosts or several.
//!
//! Between two hosts, [`client`] measures and [`server`] answers. Between several, [`coordinator`]
//! runs a plan by the [`agent`]s of its hosts; the protocol between them is the crate `agents`. [`Limits`] bounds what a
//! client can have of a server.
//! [`program`] chooses the programs of both sides; simulated hosts run the same ones. [`threads`]
//! runs one program on each thread, [`worker`] one side of a flow for an agent.
//!
//! # Examples
//!
//! An inbox takes events of several threads:
//!
//! ```
//! use bandwise_measure::connection::Inbox;
//! use bandwise_units::Time;
//!
//! let inbox = Inbox::new();
//! let sender = inbox.sender();
//! std::thread::spawn(move || sender.send("ready"));
//! assert_eq!(inbox.wait(Time::from_ms(1_000)), Some("ready"));
//! assert_eq!(inbox.wait(Time::from_ms(1)), None);
//! ```

mod accept;
pub mod agent;
pub mod client;
pub mod connection;
pub mod coordinator;
mod counted;
mod fellows;
mod limits;
pub mod outcome;
mod peer;
pub mod placement;
pub mod program;
mod random;
pub mod rate;
mod reach;
pub mod server;
#[cfg(test)]
mod sides;
pub mod threads;
pub mod worker;

pub use accept::accept;
pub use limits::{LimitError, Limits};
pub use peer::{ForeignError, Peer};
pub use reach::reach;

use random::{any_psn, challenge};
use std::fmt;

/// A function that shows a message to the user.
pub type Note = fn(fmt::Arguments<'_>);
