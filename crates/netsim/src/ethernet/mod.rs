//! Ethernet fabrics with RDMA flows (RoCE, IRN, iWARP) or messages of Homa: [`Network`].
//!
//! - [`switch`]: queues at inputs or outputs, drops or priority flow control;
//! - [`classes`]: traffic classes and their shares of a link;
//! - `host`: a NIC with the transports of [`bandwise_rdma::transport`], whose flows send
//!   round-robin;
//! - `homa`: a NIC whose messages follow their receivers' grants ([`bandwise_rdma::homa`]);
//! - [`telemetry`]: in-band telemetry that switches write into packets;
//! - `headroom`: space for packets that arrive after a pause;
//! - [`flow`]: flows, and their duration in an empty network;
//! - [`capture`]: packet captures at ports.

pub mod capture;
mod check;
pub mod classes;
mod core;
mod feature_sets;
mod features;
pub mod flow;
mod headroom;
mod homa;
mod host;
mod host_model;
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

pub use capture::{CaptureFilter, CaptureRecord, CapturedFrame, CapturedPacket, Direction};
pub use check::{ALPHAS, EXTRA_HEADERS, LARGEST_BUFFER, MTUS, ModelError, POLLS, RESPONSES};
pub use classes::{Classes, Schedule};
pub use core::{bdp_packets, congested_round_trip, longest_round_trip};
pub use flow::{FinishedFlow, FlowSpec};
pub use headroom::{AfterPause, headroom};
pub use host_model::HostModel;
pub use network::{Counters, Network, NetworkModel, PathTooLong};
pub use output::PfcFrame;
pub use routing::Routing;
pub use switch::{
    Buffering, Headroom, InputBuffers, Marking, Pfc, PortCounters, SharedBuffer, SharedPfc,
    SwitchModel,
};
