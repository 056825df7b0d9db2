//! Ethernet fabrics with RDMA flows (RoCE, IRN, iWARP): [`Network`].
//!
//! - [`switch`]: queues at inputs or outputs, drops or priority flow control;
//! - [`classes`]: traffic classes, and how they share a link;
//! - [`host`]: a NIC whose flows take turns; the transports are those of
//!   [`bandwise_rdma::transport`];
//! - [`flow`]: what a flow is, and how long it takes alone.

pub mod classes;
pub mod flow;
pub mod host;
mod lines;
mod network;
mod output;
pub mod packet;
mod queues;
mod routing;
mod slots;
mod standstill;
pub mod switch;

pub use classes::{Classes, Schedule};
pub use flow::{Finished, Opened};
pub use host::HostModel;
pub use network::{Counters, Network, NetworkModel, PathTooLong, bdp_packets};
pub use output::{Net, Pause};
pub use routing::Routing;
pub use switch::{
    Buffering, InputBuffers, Pfc, PortCounters, SharedBuffer, SharedPfc, SwitchModel,
};
