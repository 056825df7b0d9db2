//! In-band network telemetry (INT), which switches write into packets (HPCC 4.1), for networks
//! whose congestion control reads it. "HPCC" is Li et al., "HPCC: High Precision Congestion
//! Control" (SIGCOMM 2019).

use super::packet::{Kind, Packet};
use bandwise_rdma::congestion::{Hpcc, IntHop};
use std::fmt::Debug;

/// Bytes on the wire that telemetry adds to every data packet and acknowledgement: 2 for the number
/// of hops and the path, 8 for each of 5 hops (HPCC 4.1: "42 bytes"). The space is reserved from
/// the start, so a packet's size is constant on its path.
pub const TELEMETRY: u32 = 2 + 5 * 8;

/// A frame on a link: a packet with or without space for telemetry.
pub(crate) trait Frame: Copy + Default + Debug + Send + From<Packet> {
    /// The frame has space for telemetry.
    const HAS_TELEMETRY: bool;
    /// Returns the packet.
    fn packet(&self) -> &Packet;
    /// Returns the packet for modification.
    fn packet_mut(&mut self) -> &mut Packet;
    /// Adds a hop's telemetry to a data packet that leaves a switch.
    fn add_hop(&mut self, hop: impl FnOnce() -> IntHop);
    /// Returns the frame with the telemetry of another one, to echo it to the sender.
    fn with_hops_of(self, of: &Self) -> Self;
    /// Returns the collected telemetry, first hop first.
    fn hops(&self) -> &[IntHop];
}

impl Frame for Packet {
    const HAS_TELEMETRY: bool = false;

    #[inline]
    fn packet(&self) -> &Packet {
        self
    }
    #[inline]
    fn packet_mut(&mut self) -> &mut Packet {
        self
    }
    #[inline]
    fn add_hop(&mut self, _: impl FnOnce() -> IntHop) {}
    #[inline]
    fn with_hops_of(self, _: &Self) -> Self {
        self
    }
    #[inline]
    fn hops(&self) -> &[IntHop] {
        &[]
    }
}

/// A packet with the telemetry of the switches on its path.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Traced {
    packet: Packet,
    count: u8,
    hops: [IntHop; Hpcc::MAX_HOPS],
}

impl From<Packet> for Traced {
    fn from(packet: Packet) -> Self {
        Traced { packet, ..Traced::default() }
    }
}

impl Frame for Traced {
    const HAS_TELEMETRY: bool = true;

    fn packet(&self) -> &Packet {
        &self.packet
    }
    fn packet_mut(&mut self) -> &mut Packet {
        &mut self.packet
    }
    fn add_hop(&mut self, hop: impl FnOnce() -> IntHop) {
        if self.packet.kind() == Kind::Data
            && let Some(slot) = self.hops.get_mut(usize::from(self.count))
        {
            *slot = hop();
            self.count += 1;
        }
    }
    fn with_hops_of(self, of: &Self) -> Self {
        Traced { packet: self.packet, count: of.count, hops: of.hops }
    }
    fn hops(&self) -> &[IntHop] {
        &self.hops[..usize::from(self.count)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_units::Bytes;

    #[test]
    fn only_data_packets_collect_hops() {
        let hop = |n| IntHop { sent: Bytes::new(n), ..IntHop::default() };
        let of_kind = |kind| Traced::from(Packet::new(kind, 64, 0, 0, 0, 0));
        let mut data = of_kind(Kind::Data);
        // A path has no more hops than the frame has space for.
        (0..10).for_each(|n| data.add_hop(|| hop(n)));
        let mut ack = of_kind(Kind::Ack).with_hops_of(&data);
        ack.add_hop(|| hop(99));
        assert_eq!(ack.packet().kind(), Kind::Ack);
        assert!(ack.hops().iter().copied().eq((0..8).map(hop)));
        assert_eq!(std::mem::size_of::<Packet>(), 24);
    }
}
