//! What a client found.

use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{Bandwidth, Summary};
use bandwise_units::Time;

/// What came out.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// The other side's device.
    pub(super) peer: String,
    /// The largest payload of a packet.
    pub(super) mtu: Mtu,
    /// Of a method that measures latency, with at least a sample.
    pub(super) latency: Option<Summary>,
    /// Of the other.
    pub(super) bandwidth: Option<Bandwidth>,
    pub(super) end: Ended,
    /// How long it measured.
    pub(super) took: Time,
    /// How much of that its thread kept a processor busy.
    pub(super) busy: Time,
    /// What times were taken by.
    pub(super) clock: String,
}

/// Why it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// It has what was wanted.
    Complete,
    /// Somebody asked.
    Interrupted,
    /// The device or the other side has failed.
    Failed(String),
}
