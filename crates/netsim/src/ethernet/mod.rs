//! Ethernet fabrics with RDMA flows (RoCE, IRN, iWARP) or messages of Homa: [`Network`].
//!
//! - [`switch`]: queues at inputs or outputs, drops or priority flow control;
//! - [`classes`]: traffic classes, and how they share a link;
//! - [`host`]: a NIC whose flows take turns; the transports are those of
//!   [`bandwise_rdma::transport`];
//! - `homa`: a NIC whose messages go as their receivers say ([`bandwise_rdma::homa`]);
//! - [`telemetry`]: what switches write into packets, where somebody reads it;
//! - [`flow`]: what a flow is, and how long it takes alone;
//! - [`capture`]: what a packet analyser would see.

pub mod capture;
pub mod classes;
mod core;
mod features;
pub mod flow;
mod homa;
pub mod host;
mod host_node;
mod network;
mod output;
pub mod packet;
mod pfc_deadlock;
mod polls;
mod queues;
mod routing;
mod send_queues;
mod slots;
pub mod switch;
pub mod telemetry;

pub use capture::{Chosen, Direction, Seen, SeenPacket, Sighting};
pub use classes::{Classes, Schedule};
pub use core::{bdp_packets, congested_round_trip};
pub use flow::{Finished, Opened};
pub use host::HostModel;
pub use network::{Counters, Network, NetworkModel, PathTooLong};
pub use output::PfcFrame;
pub use routing::Routing;
pub use switch::{
    Buffering, InputBuffers, Pfc, PortCounters, SharedBuffer, SharedPfc, SwitchModel,
};
