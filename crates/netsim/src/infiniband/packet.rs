//! A packet in flight: 32 bytes, copied by value, with everything that a hop needs.

use bandwise_rdma::qos::Sl;
use bandwise_rdma::wire::{self, PacketKind};
use bandwise_units::Time;

/// The packet is the last (or only) one of its message.
pub const LAST: u8 = 1;
/// Forward explicit congestion notification (FECN, IBTA A10): a switch marked the packet because of
/// its queue.
pub const FECN: u8 = 2;
/// Backward explicit congestion notification (BECN): the destination notifies the source.
pub const BECN: u8 = 4;

/// A packet, packed into four words to avoid store-forwarding stalls when it is copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Packet {
    /// Time at which the first bit left the sender's port: the packet's age for FCFS.
    sent_at: Time,
    /// From the most significant: transmission time at the sender's port in ps (32 bits), transit
    /// (32).
    times: u64,
    /// From the most significant: PSN (32 bits), receiving host (16), its queue pair (16).
    to: u64,
    /// From the most significant: bytes on the wire (16), payload (16), kind, flags, service level
    /// and lane (8 each).
    form: u64,
}

/// Fields of a packet before it leaves its sender.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    /// Kind of packet.
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
    /// Packet sequence number (PSN); in an acknowledgement, the PSN acknowledged.
    pub psn: u32,
    /// Bytes on the wire from LRH to VCRC, below 64 KiB.
    pub wire_bytes: u32,
    /// Bytes of payload, below 64 KiB.
    pub payload: u32,
    /// Value of [`Packet::transit_ps`].
    pub transit_ps: u32,
}

const _: () = assert!(std::mem::size_of::<Packet>() == 32);

const FLAGS: u32 = 16;
const SL: u32 = 8;

impl Packet {
    /// Creates a packet that has not left yet.
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

    /// Records that the first bit leaves the sender's port at `now` and the packet takes
    /// `serialisation`, capped at 4 ms.
    #[inline]
    pub fn set_departure(&mut self, now: Time, serialisation: Time) {
        self.sent_at = now;
        self.times = serialisation.as_ps().min(u32::MAX.into()) << 32 | self.times as u32 as u64;
    }

    /// Returns when the first bit left the sender's port: the packet's age for FCFS.
    #[inline]
    pub const fn sent_at(&self) -> Time {
        self.sent_at
    }
    /// Returns the transmission time at the sender's port.
    #[inline]
    pub const fn first_serialisation(&self) -> Time {
        Time::from_ps(self.times >> 32)
    }
    /// Returns the time in ps that the packet answered by this one spent between the ports (ground
    /// truth). A message carries that of the last one received on its connection, so that a pong
    /// answers its ping. In a READ request the value is the number of bytes requested.
    #[inline]
    pub const fn transit_ps(&self) -> u32 {
        self.times as u32
    }
    /// Returns the packet sequence number (PSN); in an acknowledgement, the PSN acknowledged.
    #[inline]
    pub const fn psn(&self) -> u32 {
        (self.to >> 32) as u32
    }
    /// Returns the receiving host.
    #[inline]
    pub const fn dst(&self) -> u16 {
        (self.to >> 16) as u16
    }
    /// Returns the queue pair at the receiving host.
    #[inline]
    pub const fn dst_qp(&self) -> u16 {
        self.to as u16
    }
    /// Returns the bytes on the wire from LRH to VCRC.
    #[inline]
    pub const fn wire_bytes(&self) -> u32 {
        (self.form >> 48) as u32
    }
    /// Returns the bytes of payload.
    #[inline]
    pub const fn payload(&self) -> u32 {
        (self.form >> 32) as u16 as u32
    }
    /// Returns the kind.
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
    /// Returns whether all of `flags` are set.
    #[inline]
    pub const fn is(&self, flags: u8) -> bool {
        (self.form >> FLAGS) as u8 & flags == flags
    }
    /// Sets flags.
    #[inline]
    pub const fn set(&mut self, flags: u8) {
        self.form |= (flags as u64) << FLAGS;
    }
    /// Returns the service level.
    #[inline]
    pub fn sl(&self) -> Sl {
        Sl::try_from((self.form >> SL) as u8).unwrap_or_default()
    }
    /// Returns the virtual lane on the current link.
    #[inline]
    pub const fn vl(&self) -> usize {
        (self.form & 15) as usize
    }
    /// Moves the packet to another lane.
    #[inline]
    pub const fn set_vl(&mut self, vl: u8) {
        self.form = self.form & !0xff | vl as u64;
    }
    /// Returns the flow-control blocks of 64 bytes that the packet occupies in a buffer (IBTA
    /// 7.9.4.3).
    #[inline]
    pub const fn blocks(&self) -> u32 {
        wire::blocks(self.wire_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_returns_its_fields() {
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
            packet.set_departure(Time::MAX, Time::from_ps(u32::MAX.into()));
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
