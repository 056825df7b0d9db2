//! Measurements over several hosts. An agent on each host does what one coordinator says: the coordinator has a
//! [`Plan`], prepares every flow, has all begin at one instant, gathers what was measured, and ends all as soon as
//! one fails.
//!
//! | part | what it is |
//! |---|---|
//! | [`Plan`] | which flows between which hosts, read from TOML, and the window in which all are active |
//! | [`message`] | what the two say to each other |
//! | [`Seals`] | by what each knows that the other has the token, and that nothing was said before |
//! | [`ClockDifference`] | how far two clocks are apart, within bounds |
//! | [`Coordinator`], [`Agent`] | who decides what is said and done next |
//!
//! No part knows a socket, a thread or a clock: bytes and the time come in, bytes and orders go out.

mod address;
pub mod agent;
mod clocks;
pub mod coordinator;
pub mod message;
mod plan;
mod report;
mod seal;
mod usual;

pub use address::{Address, AddressError};
pub use agent::Agent;
pub use clocks::ClockDifference;
pub use coordinator::Coordinator;
pub use plan::{Flow, Host, MARGINS, MOST_FLOWS, Plan, Role, Span};
pub use report::{Counted, End, Report};
pub use seal::{Challenge, Challenges, SealError, Seals, Speaker, Token, TokenError};
pub use usual::{CLIENTS, PUT_EVERY, THINK, WORKERS, usual_bytes, usual_depth, usual_inline};

use bandwise_units::Time;

/// Who says nothing for so long is given up. While there is nothing to say, each side hears of the other every
/// [`BEAT`].
pub const SILENCE: Time = Time::from_ms(3_000);

/// How often the coordinator asks each agent for its clock, at least.
pub const BEAT: Time = Time::from_ms(500);
