//! [`Simulated`]: a network in memory behind the trait [`Switches`](bandwise_enforce::Switches), for tests and trials of
//! a controller.
//!
//! Its ports keep the configurations that are written to them. [`Traffic`] computes the rates of connections that all
//! send at once over these ports: exactly, by sharing of links ([`Traffic::flows`]), or by a simulation of all packets
//! ([`Traffic::packets`]). Packets take the shortest routes
//! ([`Routes::shortest`](bandwise_topology::Routes::shortest)).

mod flows;
mod network;
mod packets;
mod shape;
mod traffic;

pub use flows::Flows;
pub use network::{Simulated, SimulatedPlan};
pub use packets::Times;
pub use traffic::{Connection, Traffic, Uncarried};
