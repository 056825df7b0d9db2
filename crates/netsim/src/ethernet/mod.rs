//! Ethernet fabrics with RDMA flows (RoCE, IRN, iWARP): [`Network`].
//!
//! - [`switch`]: input queues, round-robin, drops or priority flow control;
//! - [`host`]: a NIC whose flows take turns; the transports are those of
//!   [`bandwise_rdma::transport`];
//! - [`flow`]: what a flow is, and how long it takes alone;
//! - [`capture`]: what a packet analyser would see.

pub mod capture;
pub mod flow;
pub mod host;
mod network;
mod output;
pub mod packet;
mod queues;
mod slots;
pub mod switch;

pub use capture::{Chosen, Direction, Seen, SeenPacket, Sighting};
pub use flow::{Finished, Opened};
pub use host::HostModel;
pub use network::{
    Counters, Network, NetworkModel, PathTooLong, bdp_packets, congested_round_trip,
};
pub use output::{Net, Pause};
pub use switch::{Pfc, PortCounters, SwitchModel};
