//! The RDMA protocol, without I/O.
//!
//! - [`verbs`]: operations that a program requests of a device;
//! - [`wire`]: packets and their sizes;
//! - [`qos`]: shares of lanes on a link;
//! - [`transport`]: reliable delivery of flows;
//! - [`homa`]: messages scheduled by their receivers;
//! - [`ib_congestion`]: congestion control of InfiniBand (FECN, BECN);
//! - [`congestion`]: congestion control algorithms of RoCE.
//!
//! ```
//! use bandwise_rdma::wire::{Mtu, PacketKind, Segment, packet_bytes, segment_count};
//!
//! // A SEND of 10 000 bytes takes three packets; a full one has 4096 + 26 bytes from LRH to VCRC.
//! assert_eq!(segment_count(10_000, Mtu::MAX), 3);
//! assert_eq!(packet_bytes(PacketKind::Send, Segment::only(4096)), 4_122);
//! ```

pub mod congestion;
pub mod homa;
pub mod ib_congestion;
pub mod qos;
pub mod transport;
pub mod verbs;
pub mod wire;
