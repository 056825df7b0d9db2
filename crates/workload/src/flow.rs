//! [`Flow`]: one transfer.

use bandwise_units::{Bytes, Time};

/// The largest flow there can be: 2^40 bytes, which take 88 s at 100 Gbps. A larger number in an
/// input is a mistake, and sums of sizes stay far from the end of 64 bits.
pub const MAX_FLOW: Bytes = Bytes::new(1 << 40);

/// A unit of data transfer from one host to another: one or more messages between the same pair
/// (IRN 4.1). Flows are ordered by start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow {
    /// When the sender has it ready to send.
    pub start: Time,
    /// The host that sends, counted from 0.
    pub src: u32,
    /// The host that receives, another one than `src`.
    pub dst: u32,
    /// Payload, 1 to [`MAX_FLOW`].
    pub bytes: u64,
}
