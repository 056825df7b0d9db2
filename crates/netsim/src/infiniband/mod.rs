//! InfiniBand fabrics with programs on their hosts: [`Simulation`].
//!
//! - [`switch`]: buffers, cut-through, arbitration between inputs;
//! - [`host`]: cores, PCIe and RNIC;
//! - [`egress`]: the output port of both: virtual lanes, credits, arbitration;
//! - [`cable`]: latency and rate of a link;
//! - [`packet`]: a packet in flight.

mod ample;
mod build;
pub mod cable;
pub mod check;
mod checkpoint;
mod credit_deadlock;
pub mod egress;
pub mod host;
mod lane_buffer;
mod models;
mod occupancy;
pub mod packet;
mod simulation;
pub mod switch;

pub use check::ModelsError;
pub use checkpoint::FabricCheckpoint;
pub use models::{Models, PortQos, PortTables, PortTablesError, Qos};
pub use simulation::{Counters, Outcome, Simulation};
