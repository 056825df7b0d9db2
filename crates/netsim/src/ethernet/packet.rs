//! A packet on an Ethernet: 24 bytes, copied by value, with everything that a hop needs.

use bandwise_rdma::transport::Seq;
use bandwise_topology::Fabric;
use bandwise_units::Time;

/// A packet, packed into three words because copying it is most of a hop's work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Packet {
    /// From the most significant: the output ports of the switches still ahead (48 bits, [`PortBits`]
    /// each, the next one highest), bytes (14), kind (2).
    route: u64,
    /// From the most significant: sequence number (32 bits), the flow's key at the receiving host.
    flow: u64,
    /// From the most significant: sequence number of another packet (32 bits), ECN mark (1),
    /// traffic class (3), time stamp (28).
    note: u64,
}

/// Kind of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Payload.
    Data,
    /// An acknowledgement.
    Ack,
    /// A negative acknowledgement.
    Nack,
    /// A congestion notification packet (CNP) of DCQCN.
    Notification,
}

const _: () = assert!(std::mem::size_of::<Packet>() == 24);

/// Bits of the kind, and of the part below the path.
const KIND: u32 = 2;
const BELOW: u32 = 16;
const PATH: u64 = u64::MAX << BELOW;

/// Largest frame that a packet can represent, in bytes.
pub const MAX_BYTES: u32 = (1 << (BELOW - KIND)) - 1;

impl Packet {
    /// Creates a packet of `bytes`, from Ethernet header to frame check sequence, on a path from
    /// [`path`]. `seq` is its sequence number, or in an acknowledgement the next one expected.
    /// `key` is the flow's key at the receiving host. `sack` is the packet that caused a negative
    /// acknowledgement.
    #[inline]
    pub const fn new(kind: Kind, bytes: u16, path: u64, key: u32, seq: Seq, sack: Seq) -> Self {
        Packet {
            route: path | (bytes as u64) << KIND | kind as u64,
            flow: (seq as u64) << 32 | key as u64,
            note: (sack as u64) << 32,
        }
    }

    /// Returns the packet with a time stamp from [`stamp`] or from another packet
    /// ([`Packet::stamp`]).
    #[inline]
    pub const fn stamped(self, stamp: u32) -> Self {
        Packet { note: self.note | (stamp & STAMP) as u64, ..self }
    }

    /// Returns the packet in a traffic class below [`CLASSES`].
    #[inline]
    pub const fn of_class(self, class: u8) -> Self {
        Packet { note: self.note & !CLASS | (class as u64) << STAMP_BITS & CLASS, ..self }
    }

    /// Returns the kind.
    #[inline]
    pub const fn kind(&self) -> Kind {
        match self.route & ((1 << KIND) - 1) {
            0 => Kind::Data,
            1 => Kind::Ack,
            2 => Kind::Nack,
            _ => Kind::Notification,
        }
    }
    /// Returns the bytes from Ethernet header to frame check sequence.
    #[inline]
    pub const fn bytes(&self) -> u16 {
        self.route as u16 >> KIND
    }
    /// Returns the sequence number; in an acknowledgement, the next one expected.
    #[inline]
    pub const fn seq(&self) -> Seq {
        (self.flow >> 32) as Seq
    }
    /// Returns the flow's key at the receiving host.
    #[inline]
    pub const fn key(&self) -> u32 {
        self.flow as u32
    }
    /// Returns the packet that caused a negative acknowledgement.
    #[inline]
    pub const fn sack(&self) -> Seq {
        (self.note >> 32) as Seq
    }
    /// Returns the traffic class.
    #[inline]
    pub const fn class(&self) -> usize {
        (self.note >> STAMP_BITS) as usize & (CLASSES - 1)
    }
    /// Returns the time stamp.
    #[inline]
    pub const fn stamp(&self) -> u32 {
        self.note as u32 & STAMP
    }

    /// Returns whether a switch set the ECN mark, or an acknowledgement echoes it.
    #[inline]
    pub const fn is_marked(&self) -> bool {
        self.note & MARK != 0
    }
    /// Sets the ECN mark if `marked`.
    #[inline]
    pub const fn mark(&mut self, marked: bool) {
        self.note |= if marked { MARK } else { 0 };
    }

    /// Removes the next hop from the route and returns its output port, counted from 0.
    #[inline]
    pub const fn next_hop(&mut self, bits: PortBits) -> usize {
        let output = self.route >> (u64::BITS - bits.0);
        self.route = (self.route & PATH) << bits.0 | self.route & !PATH;
        output as usize
    }

    /// Records the port by which the packet entered a switch, counted from 0. Call after
    /// [`next_hop`](Packet::next_hop), which frees the last place of the route for it.
    #[inline]
    pub const fn set_input(&mut self, input: usize) {
        self.route |= (input as u64) << BELOW;
    }

    /// Returns the recorded input port.
    #[inline]
    pub const fn input(&self, bits: PortBits) -> usize {
        (self.route >> BELOW) as usize & bits.mask()
    }
}

/// Largest number of traffic classes: the priorities of IEEE 802.1Q.
pub const CLASSES: usize = 8;

const STAMP_BITS: u32 = 28;
const STAMP: u32 = (1 << STAMP_BITS) - 1;
const CLASS: u64 = (CLASSES as u64 - 1) << STAMP_BITS;
const MARK: u64 = 1 << 31;

/// Returns a time stamp as packets carry it, in units of 1,024 ps, modulo 274 ms.
#[inline]
pub const fn stamp(at: Time) -> u32 {
    (at.as_ps() >> 10) as u32 & STAMP
}

/// Returns the time since a stamp, to 1,024 ps; less than 274 ms.
#[inline]
pub const fn since(stamped: u32, now: Time) -> Time {
    Time::from_ps(((stamp(now).wrapping_sub(stamped) & STAMP) as u64) << 10)
}

/// Bits of a port number in the paths of a network. Large switches take more, so that a path may
/// cross fewer of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortBits(u32);

impl PortBits {
    /// Bits for switches of up to 64 ports.
    pub(super) const SMALL: PortBits = PortBits(6);

    /// Returns the bits that the largest switch of a fabric needs: 6 to 9.
    pub fn of(fabric: &Fabric) -> PortBits {
        let ports = fabric.switches().iter().map(|&node| fabric.port_count(node));
        PortBits::for_ports(ports.max().unwrap_or(1))
    }

    fn for_ports(ports: u16) -> PortBits {
        PortBits(ports.next_power_of_two().ilog2().max(PortBits::SMALL.0))
    }

    #[inline]
    const fn mask(self) -> usize {
        (1 << self.0) - 1
    }

    /// Returns the largest number of switches on a path: 8 with up to 64 ports a switch, 6 with up
    /// to 256, 5 with up to 512.
    pub const fn max_switches(self) -> usize {
        (PATH.count_ones() / self.0) as usize
    }
}

/// Returns a path as packets carry it, from ports counted from 1. Returns `None` if it is too long.
pub fn path(ports: impl Iterator<Item = u16>, bits: PortBits) -> Option<u64> {
    let mut path = 0;
    for (port, hop) in ports.zip(1..) {
        if hop > bits.max_switches() as u32 {
            return None;
        }
        path |= u64::from(port - 1) << (u64::BITS - bits.0 * hop);
    }
    Some(path)
}

/// Bytes that RoCEv2 puts around the payload of each packet: Ethernet header and frame check
/// sequence, IPv4, UDP, base transport header, invariant CRC (IBTA annex A17).
pub const HEADERS: u32 = 14 + 4 + 20 + 8 + 12 + 4;

/// Bytes of an acknowledgement: the headers and 4 bytes of its own. IRN's NACK carries the packet
/// that caused it in the 3 bytes otherwise used for the message count.
pub const ACK: u32 = HEADERS + 4;

/// Bytes of a CNP: the headers and 16 reserved bytes (IBTA annex A17.9.3).
pub const NOTIFICATION: u32 = HEADERS + 16;

/// Smallest Ethernet frame, in bytes.
pub const LEAST: u32 = 64;

/// Bytes on the wire around every frame: preamble, start delimiter and inter-frame gap.
pub const GAP: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_returns_its_fields() {
        let bits = PortBits::for_ports(64);
        let route = path([3, 1, 64].into_iter(), bits).unwrap();
        let mut packet = Packet::new(Kind::Nack, 9082, route, u32::MAX - 1, 7, u32::MAX);
        packet = packet.stamped(stamp(Time::from_us(1_024)));
        for (input, output) in [(63, 2), (5, 0), (0, 63)] {
            assert_eq!(packet.next_hop(bits), output);
            packet.set_input(input);
            assert_eq!(packet.input(bits), input);
        }
        assert_eq!((packet.kind(), packet.bytes(), packet.key()), (Kind::Nack, 9082, u32::MAX - 1));
        assert_eq!((packet.seq(), packet.sack(), packet.stamp()), (7, u32::MAX, 1_000_000));
        assert!(!packet.is_marked());
        packet.mark(true);
        assert!(packet.is_marked());
        assert_eq!(packet.stamp(), 1_000_000);
        assert_eq!(since(packet.stamp(), Time::from_us(2_048)), Time::from_us(1_024));
        assert_eq!(since(STAMP, Time::from_ps(1_024)), Time::from_ps(2_048));
        assert_eq!((packet.class(), packet.of_class(7).class()), (0, 7));
        assert_eq!(packet.of_class(5).of_class(2).class(), 2);
        assert_eq!((packet.of_class(7).stamp(), packet.of_class(7).sack()), (1_000_000, u32::MAX));
        for kind in [Kind::Data, Kind::Ack, Kind::Nack, Kind::Notification] {
            assert_eq!(Packet::new(kind, 64, 0, 0, 0, 0).kind(), kind);
        }
    }

    /// 48 bits are 8 ports of 6 bits, 6 of 7 or 8 bits, 5 of 9 bits.
    #[test]
    fn a_path_of_the_most_switches_returns_its_ports() {
        for (ports, most) in
            [(2, 8), (64, 8), (65, 6), (128, 6), (129, 6), (256, 6), (257, 5), (512, 5)]
        {
            let bits = PortBits::for_ports(ports);
            assert_eq!(bits.max_switches(), most, "{ports}");
            assert!(path(std::iter::repeat_n(1, most + 1), bits).is_none());
            let numbers = (0..most as u16).map(|hop| if hop % 2 == 0 { ports } else { 1 + hop });
            let route = path(numbers.clone(), bits).unwrap();
            let mut packet = Packet::new(Kind::Ack, MAX_BYTES as u16, route, 9, 8, 7);
            for (number, hop) in numbers.zip(0..) {
                assert_eq!(packet.next_hop(bits), usize::from(number) - 1);
                let input = usize::from(ports) - 1 - hop % 2;
                packet.set_input(input);
                assert_eq!(packet.input(bits), input);
            }
            assert_eq!((packet.kind(), packet.bytes()), (Kind::Ack, MAX_BYTES as u16));
        }
    }
}
