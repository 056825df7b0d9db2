//! The path of a flow, and conversions between its quantities and the numbers of the algorithms.

use bandwise_units::{BitRate, Bytes, Time};

/// Properties of a flow's path, known when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// Rate of the sender's link, not zero. No flow is faster.
    pub line_rate: BitRate,
    /// Time from the start of a full packet to its ACK without queueing, not zero.
    pub base_rtt: Time,
    /// Bytes of a full packet on the wire with all headers, not zero.
    pub packet: Bytes,
}

impl Path {
    /// Returns the packets that fill the path at line rate (the bandwidth-delay product), at least
    /// one.
    pub fn packets_in_flight(&self) -> f64 {
        (self.bits_in(self.base_rtt) / self.packet.bits() as f64).max(1.0)
    }

    /// Returns the bits that the link carries in a time.
    pub(super) fn bits_in(&self, time: Time) -> f64 {
        self.line_rate.as_bps() as f64 * seconds(time)
    }
}

/// Returns a time in seconds, for products with a rate.
#[inline]
pub(super) fn seconds(time: Time) -> f64 {
    time.as_ps() as f64 / 1e12
}

/// Returns a rate in bits per second as a type, at least 1 bps so that packets eventually leave.
#[inline]
pub(super) fn bit_rate(bps: f64) -> BitRate {
    BitRate::from_bps((bps as u64).max(1))
}

/// Returns a window in whole packets, rounded down, at least one.
#[inline]
pub(super) fn whole_packets(window: f64) -> u32 {
    (window as u32).max(1)
}
