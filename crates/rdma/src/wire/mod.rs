//! Sizes of InfiniBand packets on the wire, the division of messages into packets, and the contents
//! of RoCEv2 packets ([`Frame`]).
//!
//! Clauses refer to the InfiniBand Architecture Specification (IBTA), volume 1. A packet's size
//! counts from the first byte of its local route header to the last of its variant CRC. [`FRAMING`]
//! belongs to the physical layer; the model of a link adds it.

mod bth;
mod bytes;
mod error;
mod ethernet;
mod frame;
mod icrc;
mod ipv4;
mod tcp;

pub use bth::{Aeth, Bth, Operation, Reth, Syndrome};
pub use error::FrameError;
pub use ethernet::{Mac, PfcHeader, Stations};
pub use frame::{Frame, RocePacket, TcpSegment};
pub use ipv4::{Ecn, Ipv4};
pub use tcp::Tcp;

use crate::verbs::{Opcode, Transport};

/// Local route header, bytes (IBTA 7.7).
pub const LRH: u32 = 8;
/// Base transport header, bytes (IBTA 9.2).
pub const BTH: u32 = 12;
/// Datagram extended transport header, bytes (IBTA 9.3): on every UD packet.
pub const DETH: u32 = 8;
/// RDMA extended transport header, bytes (IBTA 9.3): address, key and length of a WRITE or READ.
pub const RETH: u32 = 16;
/// Atomic extended transport header, bytes (IBTA 9.3).
pub const ATOMIC_ETH: u32 = 28;
/// Acknowledge extended transport header, bytes (IBTA 9.3): syndrome and MSN.
pub const AETH: u32 = 4;
/// Atomic acknowledge extended transport header, bytes (IBTA 9.3): the old value.
pub const ATOMIC_ACK_ETH: u32 = 8;
/// Immediate data, bytes (IBTA 9.3).
pub const IMM_DT: u32 = 4;
/// Invariant CRC, bytes (IBTA 7.8.1).
pub const ICRC: u32 = 4;
/// Variant CRC, bytes (IBTA 7.8.2).
pub const VCRC: u32 = 2;
/// Start and end delimiter, bytes (IBTA volume 2, chapter 5): one symbol each, of the physical
/// layer, counted neither in credits nor in arbitration weights. Exact for 8b/10b links (SDR to
/// QDR); on 64b/66b links (FDR and later) a packet also ends on a whole 8-byte block.
pub const FRAMING: u32 = 2;
/// The unit of flow-control credits and of arbitration weights, bytes (IBTA 7.9.4, 7.6.9.2).
pub const BLOCK: u32 = 64;

/// Bytes of every packet inside a subnet besides its extended headers and payload.
const FIXED: u32 = LRH + BTH + ICRC + VCRC;

/// Returns the credits for `bytes` on the wire: 64-byte blocks, rounded up.
#[inline]
pub const fn blocks(bytes: u32) -> u32 {
    bytes.div_ceil(BLOCK)
}

/// A maximum transfer unit: the largest payload of one packet (IBTA 7.7.8).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(try_from = "u32", into = "u32")]
pub struct Mtu(u16);

/// A number of bytes that is not an MTU of InfiniBand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an MTU of {0} bytes does not exist: it is 256, 512, 1024, 2048 or 4096")]
pub struct MtuError(pub u32);

impl Mtu {
    /// 4096 bytes, the usual MTU of data-center links.
    pub const MAX: Mtu = Mtu(4096);

    /// Returns the payload limit in bytes.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0 as u32
    }
}

impl TryFrom<u32> for Mtu {
    type Error = MtuError;
    fn try_from(bytes: u32) -> Result<Self, MtuError> {
        match bytes {
            256 | 512 | 1024 | 2048 | 4096 => Ok(Mtu(bytes as u16)),
            _ => Err(MtuError(bytes)),
        }
    }
}

impl From<Mtu> for u32 {
    fn from(mtu: Mtu) -> u32 {
        mtu.get()
    }
}

impl std::fmt::Display for Mtu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} B", self.0)
    }
}

/// The part of a message in one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Payload in bytes, before padding.
    pub payload: u32,
    /// The first packet of the message.
    pub first: bool,
    /// The last packet of the message. A packet that is first and last is an "only" packet.
    pub last: bool,
}

impl Segment {
    /// Returns a message in one packet.
    pub const fn only(payload: u32) -> Self {
        Segment { payload, first: true, last: true }
    }
}

/// Returns the number of packets of a message of `bytes`: at least one, for an empty message.
#[inline]
pub const fn segment_count(bytes: u32, mtu: Mtu) -> u32 {
    let n = bytes.div_ceil(mtu.get());
    if n == 0 { 1 } else { n }
}

/// Returns packet number `index` (from 0) of a message of `bytes`: all but the last are full (IBTA
/// 9.7).
///
/// # Panics
///
/// In debug builds, if `index` is [`segment_count`] or more.
#[inline]
pub const fn segment(bytes: u32, mtu: Mtu, index: u32) -> Segment {
    debug_assert!(index < segment_count(bytes, mtu));
    let left = bytes.saturating_sub(index * mtu.get());
    let last = left <= mtu.get();
    let payload = if last { left } else { mtu.get() };
    Segment { payload, first: index == 0, last }
}

/// Kind of a packet, as far as its headers depend on it (IBTA 9.2.1, the operation codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PacketKind {
    /// RC SEND.
    Send,
    /// UD SEND: always an only packet.
    UdSend,
    /// RC WRITE.
    Write,
    /// RC WRITE with immediate data.
    WriteImm,
    /// RC READ request; it carries no payload.
    ReadRequest,
    /// RC READ response.
    ReadResponse,
    /// RC compare-and-swap or fetch-and-add; it carries no payload.
    AtomicRequest,
    /// RC response to an atomic.
    AtomicAck,
    /// RC acknowledgement, positive or negative.
    Ack,
}

impl PacketKind {
    /// Returns the kind of packet for a work request, or `None` if the transport does not support
    /// the operation (UD supports SEND only, IBTA 9.8.3).
    pub const fn request(transport: Transport, opcode: Opcode) -> Option<PacketKind> {
        Some(match (transport, opcode) {
            (Transport::Ud, Opcode::Send) => PacketKind::UdSend,
            (Transport::Ud, _) => return None,
            (Transport::Rc, Opcode::Send) => PacketKind::Send,
            (Transport::Rc, Opcode::Write) => PacketKind::Write,
            (Transport::Rc, Opcode::WriteImm) => PacketKind::WriteImm,
            (Transport::Rc, Opcode::Read) => PacketKind::ReadRequest,
            (Transport::Rc, Opcode::Atomic) => PacketKind::AtomicRequest,
        })
    }

    /// Returns whether the packet is a request of a reliable connection; those are executed in
    /// order (IBTA 9.7.5).
    pub const fn is_connections_request(self) -> bool {
        matches!(
            self,
            PacketKind::Send
                | PacketKind::Write
                | PacketKind::WriteImm
                | PacketKind::ReadRequest
                | PacketKind::AtomicRequest
        )
    }

    /// Returns the total payload of the packets of this kind for a message of `bytes`: all of it,
    /// or none if the data is in a response or a header.
    pub const fn payload(self, bytes: u32) -> u32 {
        match self {
            PacketKind::Send | PacketKind::UdSend | PacketKind::Write | PacketKind::WriteImm => {
                bytes
            }
            PacketKind::ReadResponse => bytes,
            PacketKind::ReadRequest
            | PacketKind::AtomicRequest
            | PacketKind::AtomicAck
            | PacketKind::Ack => 0,
        }
    }

    /// Returns the bytes of extended transport headers of a packet at a position in its message.
    const fn extended(self, first: bool, last: bool) -> u32 {
        match self {
            PacketKind::Send => 0,
            PacketKind::UdSend => DETH,
            PacketKind::Write => on(first, RETH),
            PacketKind::WriteImm => on(first, RETH) + on(last, IMM_DT),
            PacketKind::ReadRequest => RETH,
            PacketKind::ReadResponse => on(first || last, AETH),
            PacketKind::AtomicRequest => ATOMIC_ETH,
            PacketKind::AtomicAck => AETH + ATOMIC_ACK_ETH,
            PacketKind::Ack => AETH,
        }
    }
}

/// Returns `bytes` if the condition holds, else 0.
const fn on(condition: bool, bytes: u32) -> u32 {
    if condition { bytes } else { 0 }
}

/// Returns the bytes on the wire of a packet inside a subnet, LRH to VCRC: headers, the payload
/// padded to whole 4-byte words (IBTA 9.2, PadCnt), both CRCs.
#[inline]
pub const fn packet_bytes(kind: PacketKind, segment: Segment) -> u32 {
    FIXED + kind.extended(segment.first, segment.last) + segment.payload.next_multiple_of(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(payload: u32, first: bool, last: bool) -> Segment {
        Segment { payload, first, last }
    }

    #[test]
    fn headers_of_every_kind_and_position() {
        use PacketKind::*;
        // Columns: first, middle, last, only, each with 256 bytes of payload (or none).
        let table: [(PacketKind, u32, [u32; 4]); 9] = [
            (Send, 256, [26, 26, 26, 26]),
            (UdSend, 256, [34, 34, 34, 34]),
            (Write, 256, [42, 26, 26, 42]),
            (WriteImm, 256, [42, 26, 30, 46]),
            (ReadRequest, 0, [42, 42, 42, 42]),
            (ReadResponse, 256, [30, 26, 30, 30]),
            (AtomicRequest, 0, [54, 54, 54, 54]),
            (AtomicAck, 0, [38, 38, 38, 38]),
            (Ack, 0, [30, 30, 30, 30]),
        ];
        for (kind, payload, expected) in table {
            let places = [(true, false), (false, false), (false, true), (true, true)];
            for ((first, last), headers) in places.into_iter().zip(expected) {
                let bytes = packet_bytes(kind, at(payload, first, last));
                assert_eq!(bytes, headers + payload, "{kind:?} first={first} last={last}");
            }
        }
    }

    #[test]
    fn payload_is_padded_and_blocks_round_up() {
        assert_eq!(packet_bytes(PacketKind::Send, Segment::only(0)), 26);
        assert_eq!(packet_bytes(PacketKind::Send, Segment::only(1)), 30);
        assert_eq!(packet_bytes(PacketKind::Send, Segment::only(4)), 30);
        // A full 4096-byte SEND packet takes 65 credits, not 64: headers count too.
        assert_eq!(blocks(packet_bytes(PacketKind::Send, Segment::only(4096))), 65);
        assert_eq!((blocks(0), blocks(1), blocks(64), blocks(65)), (0, 1, 1, 2));
    }

    #[test]
    fn mtus_are_those_of_the_specification() {
        for bytes in [256, 512, 1024, 2048, 4096] {
            assert_eq!(Mtu::try_from(bytes).unwrap().get(), bytes);
        }
        let error = Mtu::try_from(1500).unwrap_err().to_string();
        assert_eq!(
            error,
            "an MTU of 1500 bytes does not exist: it is 256, 512, 1024, 2048 or 4096"
        );
        assert!(Mtu::try_from(0).is_err() && Mtu::try_from(65_536 + 256).is_err());
    }

    #[test]
    fn ud_supports_send_only() {
        assert_eq!(PacketKind::request(Transport::Ud, Opcode::Send), Some(PacketKind::UdSend));
        assert_eq!(PacketKind::request(Transport::Ud, Opcode::Write), None);
    }

    proptest! {
        #[test]
        fn segments_cover_the_message(bytes in 0u32..200_000, mtu in prop::sample::select(vec![256u32, 512, 1024, 2048, 4096])) {
            let mtu = Mtu::try_from(mtu).unwrap();
            let indices = 0..segment_count(bytes, mtu);
            let all: Vec<Segment> = indices.map(|i| segment(bytes, mtu, i)).collect();
            prop_assert_eq!(all.iter().map(|s| s.payload).sum::<u32>(), bytes);
            for (i, s) in all.iter().enumerate() {
                prop_assert_eq!(s.first, i == 0);
                prop_assert_eq!(s.last, i + 1 == all.len());
                prop_assert!(s.payload == mtu.get() || (s.last && s.payload < mtu.get()));
                prop_assert!(s.payload > 0 || bytes == 0);
            }
        }
    }
}
