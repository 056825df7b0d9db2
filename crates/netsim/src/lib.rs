//! Packets over links: [`Simulation`].
//!
//! - [`engine`]: events in order; links as the only channel between nodes; windows of time;
//! - [`switch`]: buffers, cut-through, who goes first;
//! - [`host`]: cores, PCIe and RNIC;
//! - [`egress`]: what both do at a port: lanes, credits, arbitration.

mod ample;
mod build;
pub mod cable;
mod credits;
mod deadlock;
pub mod egress;
pub mod engine;
pub mod ethernet;
mod fetch;
pub mod host;
mod members;
mod models;
mod occupancy;
pub mod packet;
mod paused;
mod ring;
mod sim;
mod slab;
pub mod switch;

pub use models::{Models, PortQos, PortTables, PortTablesError, Qos};
pub use paused::Paused;
pub use sim::{Counters, Outcome, Simulation};
