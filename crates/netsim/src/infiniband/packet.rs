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

/// A packet: four words. Of smaller fields a processor would have to wait each time that what was
/// written one by one is copied as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Packet {
    /// When its first bit left the sender's port: its age, for first come, first served.
    sent_at: Time,
    /// From the top: picoseconds that it took to leave the sender's port (32 bits), and transit (32).
    times: u64,
    /// From the top: number (32 bits), receiving host (16), its queue pair (16).
    to: u64,
    /// From the top: bytes on the wire (16), payload (16), kind, flags, service level and lane (8
    /// each).
    form: u64,
}

/// What a packet is made of before it leaves.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    /// What it is.
    pub kind: PacketKind,
    /// [`LAST`], [`FECN`], [`BECN`].
    pub flags: u8,
    /// Service level.
    pub sl: Sl,
    /// Virtual lane on the first link.
    pub vl: usize,
    /// Receiving host.
    pub dst: u16,
    /// Queue pair at the receiving host.
    pub dst_qp: u16,
    /// Packet sequence number (PSN); for acknowledgements the one acknowledged.
    pub psn: u32,
    /// Bytes on the wire from LRH to VCRC, below 64 KiB.
    pub wire_bytes: u32,
    /// Bytes of payload, below 64 KiB.
    pub payload: u32,
    /// See [`Packet::transit_ps`].
    pub transit_ps: u32,
}

const _: () = assert!(std::mem::size_of::<Packet>() == 32);

const FLAGS: u32 = 16;
const SL: u32 = 8;

impl Packet {
    /// A packet that has not left yet.
    #[inline]
    pub const fn new(parts: Parts) -> Self {
        let Parts { kind, flags, sl, vl, dst, dst_qp, psn, wire_bytes, payload, transit_ps } =
            parts;
        Packet {
            sent_at: Time::ZERO,
            times: transit_ps as u64,
            to: (psn as u64) << 32 | (dst as u64) << 16 | dst_qp as u64,
            form: (wire_bytes as u64) << 48
                | (payload as u16 as u64) << 32
                | (kind as u64) << 24
                | (flags as u64) << FLAGS
                | (sl.get() as u64) << SL
                | vl as u64,
        }
    }

    /// Its first bit leaves the sender's port, which takes it so long; 4 ms count as the most.
    #[inline]
    pub fn leaves(&mut self, now: Time, serialisation: Time) {
        self.sent_at = now;
        self.times = serialisation.as_ps().min(u32::MAX.into()) << 32 | self.times as u32 as u64;
    }

    /// When its first bit left the sender's port: its age, for first come, first served.
    #[inline]
    pub const fn sent_at(&self) -> Time {
        self.sent_at
    }
    /// How long it took to leave the sender's port.
    #[inline]
    pub const fn first_serialisation(&self) -> Time {
        Time::from_ps(self.times >> 32)
    }
    /// Picoseconds that the packet this one answers spent between the ports (ground truth); for a
    /// message, the last one received on its connection, so that a pong answers its ping. In a
    /// READ request it is the number of bytes asked for.
    #[inline]
    pub const fn transit_ps(&self) -> u32 {
        self.times as u32
    }
    /// Packet sequence number (PSN); for acknowledgements the one acknowledged.
    #[inline]
    pub const fn psn(&self) -> u32 {
        (self.to >> 32) as u32
    }
    /// Receiving host.
    #[inline]
    pub const fn dst(&self) -> u16 {
        (self.to >> 16) as u16
    }
    /// Queue pair at the receiving host.
    #[inline]
    pub const fn dst_qp(&self) -> u16 {
        self.to as u16
    }
    /// Bytes on the wire from LRH to VCRC.
    #[inline]
    pub const fn wire_bytes(&self) -> u32 {
        (self.form >> 48) as u32
    }
    /// Bytes of payload.
    #[inline]
    pub const fn payload(&self) -> u32 {
        (self.form >> 32) as u16 as u32
    }
    /// Its kind.
    #[inline]
    pub const fn kind(&self) -> PacketKind {
        match (self.form >> 24) as u8 {
            0 => PacketKind::Send,
            1 => PacketKind::UdSend,
            2 => PacketKind::Write,
            3 => PacketKind::WriteImm,
            4 => PacketKind::ReadRequest,
            5 => PacketKind::ReadResponse,
            6 => PacketKind::AtomicRequest,
            7 => PacketKind::AtomicAck,
            _ => PacketKind::Ack,
        }
    }
    /// Whether all of `flags` are set.
    #[inline]
    pub const fn is(&self, flags: u8) -> bool {
        (self.form >> FLAGS) as u8 & flags == flags
    }
    /// Sets flags.
    #[inline]
    pub const fn set(&mut self, flags: u8) {
        self.form |= (flags as u64) << FLAGS;
    }
    /// Service level.
    #[inline]
    pub fn sl(&self) -> Sl {
        Sl::try_from((self.form >> SL) as u8).unwrap_or_default()
    }
    /// Virtual lane on the current link.
    #[inline]
    pub const fn vl(&self) -> usize {
        (self.form & 15) as usize
    }
    /// Moves it to another lane.
    #[inline]
    pub const fn set_vl(&mut self, vl: u8) {
        self.form = self.form & !0xff | vl as u64;
    }
    /// Flow-control blocks that it takes in a buffer: 64 bytes each (IBTA 7.9.4.3).
    #[inline]
    pub const fn blocks(&self) -> u32 {
        wire::blocks(self.wire_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_holds_its_parts() {
        let kinds = [
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
        for kind in kinds {
            let mut packet = Packet::new(Parts {
                kind,
                flags: LAST | BECN,
                sl: Sl::try_from(15).unwrap(),
                vl: 7,
                dst: u16::MAX - 1,
                dst_qp: u16::MAX - 2,
                psn: u32::MAX - 3,
                wire_bytes: 65_535,
                payload: 65_000,
                transit_ps: u32::MAX - 4,
            });
            assert!(packet.is(LAST) && packet.is(BECN) && !packet.is(FECN));
            packet.leaves(Time::MAX, Time::from_ps(u32::MAX.into()));
            packet.set_vl(3);
            packet.set(FECN);
            assert!(packet.is(LAST | FECN | BECN));
            assert_eq!((packet.kind(), packet.sl().get(), packet.vl()), (kind, 15, 3));
            assert_eq!((packet.dst(), packet.dst_qp()), (u16::MAX - 1, u16::MAX - 2));
            assert_eq!((packet.psn(), packet.transit_ps()), (u32::MAX - 3, u32::MAX - 4));
            assert_eq!((packet.wire_bytes(), packet.payload()), (65_535, 65_000));
            assert_eq!(packet.blocks(), 1_024);
            assert_eq!(packet.sent_at(), Time::MAX);
            assert_eq!(packet.first_serialisation(), Time::from_ps(u32::MAX.into()));
        }
    }
}
