//! A packet in flight: 32 bytes, copied by value, everything a hop needs.

use bandwise_rdma::qos::Sl;
use bandwise_rdma::wire::{self, PacketKind};
use bandwise_units::Time;

/// The packet is the last (or only) one of its message.
pub const LAST: u8 = 1;
/// Forward explicit congestion notification (FECN, IBTA A10): a switch saw a queue.
pub const FECN: u8 = 2;
/// Backward explicit congestion notification (BECN): the destination tells the source.
pub const BECN: u8 = 4;

/// A packet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Packet {
    /// When its first bit left the sender's port: its age, for first come, first served.
    pub sent_at: Time,
    /// Picoseconds that the packet this one answers spent between the ports (ground truth); for a
    /// message, the last one received on its connection, so that a pong answers its ping. In a
    /// READ request it is the number of bytes asked for.
    pub transit_ps: u32,
    /// Picoseconds that it took to leave the sender's port.
    pub first_ser_ps: u32,
    /// Packet sequence number (PSN); for acknowledgements the one acknowledged.
    pub psn: u32,
    /// Sending host.
    pub src: u16,
    /// Receiving host.
    pub dst: u16,
    /// Queue pair at the receiving host.
    pub dst_qp: u16,
    /// Bytes on the wire from LRH to VCRC.
    pub wire_bytes: u16,
    /// Bytes of payload.
    pub payload: u16,
    /// Service level in the high nibble, virtual lane on the current link in the low one.
    pub lanes: u8,
    /// Kind and flags, see [`Packet::kind`].
    pub head: u8,
}

/// Kinds by the high nibble of [`Packet::head`].
const KINDS: [PacketKind; 9] = [
    PacketKind::Send,
    PacketKind::UdSend,
    PacketKind::Write,
    PacketKind::WriteImm,
    PacketKind::ReadRequest,
    PacketKind::ReadResponse,
    PacketKind::AtomicRequest,
    PacketKind::AtomicAck,
    PacketKind::Ack,
];

const _: () = assert!(std::mem::size_of::<Packet>() == 32);

impl Packet {
    /// Its kind.
    #[inline]
    pub fn kind(&self) -> PacketKind {
        KINDS[usize::from(self.head >> 4)]
    }
    /// Whether all of `flags` are set.
    #[inline]
    pub fn is(&self, flags: u8) -> bool {
        self.head & flags == flags
    }
    /// Kind and flags as one byte.
    pub const fn head(kind: PacketKind, flags: u8) -> u8 {
        (kind as u8) << 4 | flags
    }
    /// Service level.
    #[inline]
    pub fn sl(&self) -> Sl {
        Sl::try_from(self.lanes >> 4).unwrap_or_default()
    }
    /// Virtual lane on the current link.
    pub fn vl(&self) -> usize {
        usize::from(self.lanes & 15)
    }
    /// Moves it to another lane.
    pub fn set_vl(&mut self, vl: u8) {
        self.lanes = self.lanes & 0xf0 | vl;
    }
    /// Flow-control blocks that it takes in a buffer: 64 bytes each (IBTA 7.9.4.3).
    pub fn blocks(&self) -> u32 {
        wire::blocks(u32::from(self.wire_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_holds_kind_and_flags() {
        let mut p = Packet {
            sent_at: Time::ZERO,
            transit_ps: 0,
            first_ser_ps: 0,
            psn: 0,
            src: 0,
            dst: 0,
            dst_qp: 0,
            wire_bytes: 4122,
            payload: 4096,
            lanes: 0x10,
            head: Packet::head(PacketKind::Ack, LAST | BECN),
        };
        assert_eq!(p.kind(), PacketKind::Ack);
        assert!(KINDS.iter().enumerate().all(|(i, &k)| k as usize == i));
        assert!(p.is(LAST) && p.is(BECN) && !p.is(FECN));
        p.set_vl(3);
        assert_eq!((p.sl().get(), p.vl(), p.blocks()), (1, 3, 65));
    }
}
