//! In-band network telemetry (INT): what switches write into packets (HPCC 4.1), for networks
//! where somebody reads it. "HPCC" is Li et al., "HPCC: High Precision Congestion Control" (SIGCOMM
//! 2019).

use super::packet::{Kind, Packet};
use bandwise_rdma::congestion::{Hpcc, IntHop};
use std::fmt::Debug;

/// Bytes on the wire that telemetry adds to every data packet and every acknowledgement: 2 for the
/// number of hops and the path, 8 for each of 5 hops (HPCC 4.1: "42 bytes"). The room is there from
/// the start, so that a packet does not grow on its way.
pub const TELEMETRY: u32 = 2 + 5 * 8;

/// What goes over links: a packet, with or without room for telemetry.
pub(crate) trait Frame: Copy + Default + Debug + Send + From<Packet> {
    /// Whether there is room.
    const HAS_ROOM: bool;
    /// The packet.
    fn packet(&self) -> &Packet;
    /// The same, to change.
    fn packet_mut(&mut self) -> &mut Packet;
    /// A switch writes down the port that a packet of data leaves by.
    fn pass(&mut self, hop: impl FnOnce() -> IntHop);
    /// The same with what another frame has collected, which it tells the sender of.
    fn telling(self, of: &Self) -> Self;
    /// What was collected, first hop first.
    fn hops(&self) -> &[IntHop];
}

impl Frame for Packet {
    const HAS_ROOM: bool = false;

    #[inline]
    fn packet(&self) -> &Packet {
        self
    }
    #[inline]
    fn packet_mut(&mut self) -> &mut Packet {
        self
    }
    #[inline]
    fn pass(&mut self, _: impl FnOnce() -> IntHop) {}
    #[inline]
    fn telling(self, _: &Self) -> Self {
        self
    }
    #[inline]
    fn hops(&self) -> &[IntHop] {
        &[]
    }
}

/// A packet with what switches wrote into it.
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
    const HAS_ROOM: bool = true;

    fn packet(&self) -> &Packet {
        &self.packet
    }
    fn packet_mut(&mut self) -> &mut Packet {
        &mut self.packet
    }
    fn pass(&mut self, hop: impl FnOnce() -> IntHop) {
        if self.packet.kind() == Kind::Data
            && let Some(place) = self.hops.get_mut(usize::from(self.count))
        {
            *place = hop();
            self.count += 1;
        }
    }
    fn telling(self, of: &Self) -> Self {
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
    fn hops_are_collected_on_the_way_there_alone() {
        let hop = |n| IntHop { sent: Bytes::new(n), ..IntHop::default() };
        let of_kind = |kind| Traced::from(Packet::new(kind, 64, 0, 0, 0, 0));
        let mut data = of_kind(Kind::Data);
        // A path has no more hops than there is room for.
        (0..10).for_each(|n| data.pass(|| hop(n)));
        let mut ack = of_kind(Kind::Ack).telling(&data);
        ack.pass(|| hop(99));
        assert_eq!(ack.packet().kind(), Kind::Ack);
        assert!(ack.hops().iter().copied().eq((0..8).map(hop)));
        assert_eq!(std::mem::size_of::<Packet>(), 24);
    }
}
