//! Measurements over several hosts. An agent on each host executes the orders of one coordinator.
//! The coordinator has a [`Plan`]: it prepares all flows, starts them at one instant, collects the
//! results, and stops all flows if one fails.
//!
//! | part | content |
//! |---|---|
//! | [`Plan`] | flows between hosts, read from TOML, and the window in which all are active |
//! | [`message`] | the messages of coordinator and agents |
//! | [`Seals`] | the proof that a message comes from a peer with the same token, on this connection |
//! | [`ClockDifference`] | the bounds of the difference between two clocks |
//! | [`Coordinator`], [`Agent`] | the state machines of both sides |
//! | [`Vouching`] | the question of an agent to another one: whose queue pairs are these? |
//!
//! No part has a socket, a thread or a clock: bytes and the time go in, bytes and orders come out.
//!
//! # Examples
//!
//! ```
//! use bandwise_agents::{Plan, Role};
//! use bandwise_input::Source;
//! use bandwise_units::Time;
//!
//! let text = r#"
//! duration = "2 s"
//!
//! [[host]]
//! name = "a"
//! agent = "10.0.0.1"
//!
//! [[host]]
//! name = "b"
//! agent = "10.0.0.2"
//!
//! [[flow]]
//! from = "b"
//! to = "a"
//! method = "bulk"
//! "#;
//! let plan = Plan::from_toml(&Source::new("plan.toml", text), 18517).unwrap();
//! assert_eq!((plan.flows[0].role, plan.hosts[0].agent.port), (Role::Bsg, 18517));
//! // Flows are active for 2 s; 100 ms are left out at both ends.
//! assert_eq!((plan.window.from(), plan.window.to()), (Time::from_ms(100), Time::from_ms(1900)));
//! ```

mod address;
pub mod agent;
mod clocks;
pub mod coordinator;
mod defaults;
pub mod message;
mod plan;
mod report;
mod seal;
mod vouching;

pub use address::{Address, AddressError};
pub use agent::Agent;
pub use clocks::{ClockDifference, ClockError};
pub use coordinator::Coordinator;
pub use defaults::{CLIENTS, PUT_EVERY, WORKERS, default_bytes, default_depth, default_inline};
pub use plan::{
    Flow, Host, LONGEST_RUN, LONGEST_THINK, MARGINS, MOST_FLOWS, Plan, Role, Span, SpanError,
};
pub use report::{Counted, FlowEnd, Report};
pub use seal::{Challenge, Challenges, SealError, Seals, Speaker, Token, TokenError};
pub use vouching::{VouchError, VouchStep, Vouching};

use bandwise_units::Time;

/// The time after which a silent peer is abandoned. An idle peer sends something every [`BEAT`].
pub const SILENCE: Time = Time::from_ms(3_000);

/// The longest interval between clock requests to an agent.
pub const BEAT: Time = Time::from_ms(500);
