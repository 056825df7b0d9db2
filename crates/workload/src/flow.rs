//! [`Flow`]: one transfer.

use bandwise_units::{Bytes, Time};

/// The largest flow: 2^40 bytes, which take 88 s at 100 Gbps. A larger number in an input is a
/// mistake. Sums of sizes stay far below 2^64.
pub const MAX_FLOW: Bytes = Bytes::new(1 << 40);

/// The latest start of a flow. Picoseconds of 64 bits end at 106 days, so a run of an hour fits.
pub const MAX_START: Time = Time::from_ms(100 * 24 * 3_600_000);

/// A flow of a list, with the traffic class that the list gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedFlow {
    /// The flow.
    pub flow: Flow,
    /// Its traffic class, counted from 0; 0 without a column of classes.
    pub priority: u8,
}

/// A transfer of data from one host to another: one or more messages between the same pair (IRN
/// 4.1). Flows are ordered by start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow {
    /// The earliest time at which the sender can send the flow, up to [`MAX_START`].
    pub start: Time,
    /// The sending host, counted from 0.
    pub src: u32,
    /// The receiving host, different from `src`.
    pub dst: u32,
    /// The payload in bytes, 1 to [`MAX_FLOW`].
    pub bytes: u64,
}
