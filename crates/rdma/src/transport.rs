//! Reliable delivery of one flow over a network that drops, reorders and duplicates packets.
//!
//! "IRN" is R. Mittal et al., *Revisiting Network Support for RDMA*, the extended version of the
//! SIGCOMM 2018 paper; the number after it is the section.

mod bitmap;

pub use bitmap::RingBitmap;

/// A packet's number in its flow, from 0.
pub type Seq = u32;
