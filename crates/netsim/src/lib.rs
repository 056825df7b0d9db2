//! Packets over links. A node (switch or host) owns its state and its future; links are the only
//! channel between nodes; time moves in windows ([`Simulation`]).
//!
//! - [`switch`]: buffers, cut-through, who goes first;
//! - [`host`]: cores, PCIe and RNIC;
//! - [`egress`]: what both do at a port: lanes, credits, arbitration.

mod build;
mod clock;
mod deadlock;
pub mod egress;
pub mod event;
pub mod host;
pub mod link;
mod models;
mod occupancy;
pub mod packet;
pub mod random;
mod sim;
mod slab;
pub mod switch;

pub use models::{Models, PortQos, Qos};
pub use sim::{Counters, Outcome, Simulation};
