//! Flows of a network, and their duration in an empty network.

use super::packet::{GAP, HEADERS, LEAST};
use bandwise_units::{BitRate, Bytes, Time};

/// A flow to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowSpec {
    /// Number, unique within a run.
    pub number: u32,
    /// Start time.
    pub start: Time,
    /// Sending host.
    pub src: u32,
    /// Receiving host.
    pub dst: u32,
    /// Payload, at least 1 byte.
    pub bytes: u64,
    /// Traffic class, below the network's number of classes.
    pub class: u8,
}

/// A flow that has been received completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinishedFlow {
    /// Number of the flow.
    pub number: u32,
    /// Start time.
    pub start: Time,
    /// Arrival time of its last byte.
    pub at: Time,
    /// Sending host.
    pub src: u32,
    /// Receiving host.
    pub dst: u32,
    /// Payload.
    pub bytes: u64,
}

impl FlowSpec {
    /// Returns the number of packets with at most `mtu` bytes of payload each.
    pub fn packets(&self, mtu: u32) -> u32 {
        self.bytes.div_ceil(u64::from(mtu)).max(1) as u32
    }

    pub(super) fn finished_at(&self, at: Time) -> FinishedFlow {
        let &FlowSpec { number, start, src, dst, bytes, .. } = self;
        FinishedFlow { number, start, at, src, dst, bytes }
    }
}

impl FinishedFlow {
    /// Returns the flow completion time (FCT): from the start until the last byte is at the
    /// receiver.
    pub fn completion_time(&self) -> Time {
        self.at - self.start
    }
}

/// Returns the duration of a flow in an empty network, from its start until its last byte is at the
/// receiver. Slowdowns are relative to it (IRN 4.1: "the time it would have taken to traverse its
/// path at line rate in an empty network").
///
/// `links` has rates and delays of the path, the sender's first. Switches store and forward, so
/// every link sends a packet once the previous link has sent all of it.
pub fn alone(bytes: u64, mtu: u32, extra_header: u32, links: &[(BitRate, Time)]) -> Time {
    let packets = bytes.div_ceil(u64::from(mtu)).max(1);
    let time = |rate, payload: u64| frame_time(rate, HEADERS + extra_header + payload as u32);
    let last = bytes - (packets - 1) * u64::from(mtu);
    // Departure times of the last packet and of the one before it. The latter trails the first
    // packet by one packet time of the slowest link so far for each packet between them.
    let (mut left, mut before, mut slowest) = (Time::ZERO, Time::ZERO, Time::ZERO);
    let mut arrived = Time::ZERO;
    for &(rate, delay) in links {
        let full = time(rate, mtu.into());
        let mut start = arrived;
        if packets > 1 {
            let trails = |slowest: Time| slowest * (packets - 2);
            before = before + full - trails(slowest);
            slowest = slowest.max(full);
            before += trails(slowest);
            start = start.max(before);
        }
        left = start + time(rate, last);
        arrived = left + delay;
        before += delay;
    }
    debug_assert!(left <= arrived);
    arrived
}

/// Returns the time that a frame of `bytes`, or of the smallest size, occupies a link.
#[inline]
pub(super) fn frame_time(rate: BitRate, bytes: u32) -> Time {
    rate.time_for(occupied(bytes))
}

/// Returns the bytes that a frame of `bytes` occupies on a link, including the gap before the next.
#[inline]
pub(super) fn occupied(bytes: u32) -> Bytes {
    Bytes::new(u64::from(bytes.max(LEAST) + GAP))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates the flow packet by packet.
    fn slowly(bytes: u64, mtu: u32, links: &[(BitRate, Time)]) -> Time {
        let packets = bytes.div_ceil(u64::from(mtu));
        let mut free = vec![Time::ZERO; links.len()];
        let mut at = Time::ZERO;
        for i in 0..packets {
            at = Time::ZERO;
            let payload = if i + 1 == packets { bytes - i * u64::from(mtu) } else { mtu.into() };
            for (&(rate, delay), free) in links.iter().zip(&mut free) {
                let frame = (u64::from(HEADERS) + payload).max(LEAST.into());
                *free = at.max(*free) + rate.time_for(Bytes::new(frame + u64::from(GAP)));
                at = *free + delay;
            }
        }
        at
    }

    proptest::proptest! {
        #[test]
        fn the_formula_equals_the_sum_over_packets(
            bytes in 1u64..40_000,
            links in proptest::collection::vec((1u64..5, 0u64..3_000), 1..7),
        ) {
            let links: Vec<_> = links
                .iter()
                .map(|&(rate, ns)| (BitRate::from_gbps(10 * rate), Time::from_ns(ns)))
                .collect();
            proptest::prop_assert_eq!(alone(bytes, 1000, 0, &links), slowly(bytes, 1000, &links));
        }
    }
}
