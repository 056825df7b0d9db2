//! [`headroom`]: the buffer beyond a threshold with which priority flow control (PFC) drops nothing.

use super::classes::Classes;
use super::network::NetworkModel;
use super::packet::{GAP, LEAST};
use super::switch::{Headroom, SharedBuffer};
use bandwise_topology::{Fabric, NodeId, Port};
use bandwise_units::{BitRate, Bytes, Time};

/// Returns the most bytes that arrive at a port after it has sent a PFC frame. A lossless buffer needs
/// as many beyond the threshold. `frame` is the largest frame, `response` the time that the far end
/// takes to obey a PFC frame (at most a second).
///
/// IRN 4.1 has "a headroom equal to the upstream link's bandwidth-delay product (needed to absorb all
/// packets in flight along the link)", which is 20 KB for 40 Gbps and 2 us there and back. Packets are
/// not divisible, so a little more is in flight:
///
/// - the bytes on the link while the PFC frame travels, while the far end responds, and until the effect
///   returns: rate times the response and twice the delay, the paper's part;
/// - a full packet, because the PFC frame waits for the packet on the wire;
/// - the PFC frame itself;
/// - a full packet, because the sender finishes the one that it has begun;
/// - all but a byte of the packet that exceeded the threshold.
///
/// So it is the paper's rule plus three packets and a small frame. Without them, about two packets are
/// dropped at a time: 22 KB arrive beyond the threshold, where 20 KB have room.
pub fn headroom(rate: BitRate, delay: Time, response: Time, frame: Bytes) -> Bytes {
    let time = 2 * u128::from(delay.as_ps()) + u128::from(response.as_ps());
    let in_flight = (u128::from(rate.as_bps()) * time).div_ceil(8 * 1_000_000_000_000);
    let on_the_wire = frame.get() + u64::from(GAP);
    // Rates are below 2^63 bps and times below a few seconds, so that the product fits 64 bits.
    Bytes::new(in_flight as u64 + 2 * on_the_wire + u64::from(LEAST + GAP) + frame.get())
}

/// The quantities besides a port's link on which its headroom depends.
#[derive(Debug, Clone, Copy)]
pub struct AfterPause {
    /// Largest frame.
    pub frame: Bytes,
    /// Time until the far end obeys a PFC frame.
    pub response: Time,
    /// Number of lossless classes.
    pub lossless: u32,
}

impl AfterPause {
    /// Returns the most bytes of a class that arrive at a port after it has paused the class. Returns
    /// zero for a port without a cable.
    ///
    /// Each lossless class has its own PFC frames, and a frame may wait for those of all other classes.
    pub fn at(&self, fabric: &Fabric, port: Port) -> Bytes {
        let Some((_, link)) = fabric.peer(port) else { return Bytes::ZERO };
        let others = u64::from(self.lossless.saturating_sub(1)) * u64::from(LEAST + GAP);
        headroom(link.rate, link.delay, self.response, self.frame) + Bytes::new(others)
    }
}

impl SharedBuffer {
    /// Returns the headroom of a lossless class at each port of a switch, in order; zero without PFC and
    /// for a port without a cable.
    pub fn headrooms(
        &self,
        fabric: &Fabric,
        switch: NodeId,
        after_pause: AfterPause,
    ) -> impl Iterator<Item = Bytes> {
        let rule = self.pfc.map(|pfc| pfc.headroom);
        (1..=fabric.port_count(switch)).map(move |number| {
            let port = Port { node: switch, number };
            match rule {
                Some(Headroom::Fixed(bytes)) if fabric.peer(port).is_some() => bytes,
                Some(Headroom::ByLink) => after_pause.at(fabric, port),
                _ => Bytes::ZERO,
            }
        })
    }

    /// Returns the space that all queues of a switch share, without the reserved parts. Returns `None`
    /// if those exceed the buffer.
    pub fn pool(
        &self,
        fabric: &Fabric,
        switch: NodeId,
        after_pause: AfterPause,
        classes: &Classes,
    ) -> Option<Bytes> {
        let headrooms = self.headrooms(fabric, switch, after_pause);
        self.without_reserved(headrooms, classes)
    }
}

impl NetworkModel {
    /// Returns the quantities besides a port's link on which its headroom depends.
    pub fn after_pause(&self) -> AfterPause {
        AfterPause {
            frame: Bytes::new(self.host.full_frame().into()),
            response: self.pause_response,
            lossless: self.classes.lossless_count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headroom_matches_hand_computed_values() {
        let of = |gbps, delay, response, frame| {
            headroom(BitRate::from_gbps(gbps), delay, response, Bytes::new(frame)).get()
        };
        // The default case of IRN.
        let irn = 20_000 + 1082 + 84 + 1082 + 1062;
        assert_eq!(of(40, Time::from_us(2), Time::ZERO, 1062), irn);
        assert_eq!(of(40, Time::ZERO, Time::ZERO, 1062), 1082 + 84 + 1082 + 1062);
        // 400 Gbps, 5 m of cable: 400e9 x 50e-9 / 8 = 2,500, and three packets of 4,178 B.
        let packets = 4178 + 84 + 4178 + 4158;
        assert_eq!(of(400, Time::from_ns(25), Time::ZERO, 4158), 2_500 + packets);
        // A response of 8.2 us adds 400e9 x 8.2e-6 / 8 = 410,000.
        let response = Time::from_ns(8_200);
        assert_eq!(of(400, Time::from_ns(25), response, 4158), 412_500 + packets);
    }
}
