//! When priority flow control says stop, so that nothing is dropped: [`headroom`].

use super::host::Frame;
use bandwise_netsim::ethernet::Classes;
use bandwise_netsim::ethernet::packet::{GAP, LEAST};
use bandwise_topology::{Fabric, Link};
use bandwise_units::{BitRate, Bytes, Time};

/// How much may still come in at a port after it has said stop, at most: what a buffer needs beyond
/// the threshold to be lossless.
///
/// IRN 4.1 has "a headroom equal to the upstream link's bandwidth-delay product (needed to absorb all
/// packets in flight along the link)", which is 20 KB for 40 Gbps and 2 us there and back. Packets
/// come whole, so that a little more is under way:
///
/// - what the link carries while the word travels and its effect comes back, which is the paper's
///   part: rate times twice the delay;
/// - a full packet, because the frame that says stop waits for the one that is on the wire already;
/// - that frame itself;
/// - a full packet, because the sender finishes the one it has begun;
/// - and of the packet that went beyond the threshold all but a byte may be beyond it.
///
/// So it is the paper's rule and three packets and a small frame more; without them it drops about
/// two packets at a time (22 KB come in beyond the threshold, where 20 KB have room).
pub fn headroom(rate: BitRate, delay: Time, frame: Bytes) -> Bytes {
    let around = u128::from(rate.as_bps()) * 2 * u128::from(delay.as_ps());
    let in_flight = around.div_ceil(8 * 1_000_000_000_000);
    let on_the_wire = frame.get() + u64::from(GAP);
    // Rates go to 2^63 bps and delays to a second, so that the product fits 64 bits.
    Bytes::new(in_flight as u64 + 2 * on_the_wire + u64::from(LEAST + GAP) + frame.get())
}

/// The headroom that all ports of switches need. A threshold is that of all switches, so the link
/// that asks for most decides. Each lossless class has frames of its own, and that of one may wait for
/// those of all others.
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
    fn the_headroom_of_the_default_case() {
        let frame = Bytes::new(1062);
        let irn = headroom(BitRate::from_gbps(40), Time::from_us(2), frame);
        assert_eq!(irn, Bytes::new(20_000 + 1082 + 84 + 1082 + 1062));
        let none = headroom(BitRate::from_gbps(40), Time::ZERO, frame);
        assert_eq!(none, Bytes::new(1082 + 84 + 1082 + 1062));
    }
}
