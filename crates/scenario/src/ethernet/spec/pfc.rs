//! [`headroom`]: the buffer above a threshold with which priority flow control (PFC) drops nothing.

use super::host::Frame;
use bandwise_netsim::ethernet::Classes;
use bandwise_netsim::ethernet::packet::{GAP, LEAST};
use bandwise_topology::{Fabric, Link};
use bandwise_units::{BitRate, Bytes, Time};

/// Returns the most bytes that arrive at a port after it has sent a PFC frame. A lossless buffer needs
/// as many beyond the threshold.
///
/// IRN 4.1 has "a headroom equal to the upstream link's bandwidth-delay product (needed to absorb all
/// packets in flight along the link)", which is 20 KB for 40 Gbps and 2 us there and back. Packets are
/// not divisible, so a little more is in flight:
///
/// - the bytes on the link while the PFC frame travels and until its effect returns, which is the
///   paper's part: rate times twice the delay;
/// - a full packet, because the PFC frame waits for the packet on the wire;
/// - the PFC frame itself;
/// - a full packet, because the sender finishes the one that it has begun;
/// - all but a byte of the packet that exceeded the threshold.
///
/// So it is the paper's rule plus three packets and a small frame. Without them, about two packets are
/// dropped at a time: 22 KB arrive beyond the threshold, where 20 KB have room.
pub fn headroom(rate: BitRate, delay: Time, frame: Bytes) -> Bytes {
    let around = u128::from(rate.as_bps()) * 2 * u128::from(delay.as_ps());
    let in_flight = around.div_ceil(8 * 1_000_000_000_000);
    let on_the_wire = frame.get() + u64::from(GAP);
    // Rates are below 2^63 bps and delays below a second, so that the product fits 64 bits.
    Bytes::new(in_flight as u64 + 2 * on_the_wire + u64::from(LEAST + GAP) + frame.get())
}

/// Returns the headroom for all ports of switches. Thresholds are the same for all switches, so the
/// link with the largest headroom decides. Each lossless class has its own PFC frames, and a frame
/// may wait for those of all other classes.
pub(super) fn most_headroom(fabric: &Fabric, frame: Frame, classes: &Classes) -> Bytes {
    let lossless = (0..classes.count).filter(|&class| classes.is_lossless(class)).count() as u64;
    let others = Bytes::new(lossless.saturating_sub(1) * u64::from(LEAST + GAP));
    let of_switch = |link: &&Link| link.ends.iter().any(|end| fabric.is_switch(end.node));
    let links = fabric.links().iter().filter(of_switch);
    let each = links.map(|link| headroom(link.rate, link.delay, frame.bytes()));
    each.max().unwrap_or(Bytes::ZERO) + others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_case_headroom_matches_hand_computed_value() {
        let frame = Bytes::new(1062);
        let irn = headroom(BitRate::from_gbps(40), Time::from_us(2), frame);
        assert_eq!(irn, Bytes::new(20_000 + 1082 + 84 + 1082 + 1062));
        let none = headroom(BitRate::from_gbps(40), Time::ZERO, frame);
        assert_eq!(none, Bytes::new(1082 + 84 + 1082 + 1062));
    }
}
