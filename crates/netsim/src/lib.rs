//! Packet-level simulators of InfiniBand and of RDMA over Ethernet.
//!
//! - [`engine`]: ordered events, links as the only channel between nodes, windows of time;
//! - [`infiniband`]: switches with credits and virtual lanes, hosts with cores, PCIe and RNIC;
//! - [`ethernet`]: switches with PFC or drops, hosts with RoCE, IRN, iWARP or Homa;
//! - `base`: the building blocks of both fabrics.

mod base;
pub mod engine;
pub mod ethernet;
pub mod infiniband;
