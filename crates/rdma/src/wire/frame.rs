//! [`Frame`]: an Ethernet frame from its header to the byte before its frame check sequence, as in
//! captures.

use super::bth::Bth;
use super::bytes::Reader;
use super::error::FrameError;
use super::ethernet::{self, PfcHeader, Stations};
use super::icrc::icrc;
use super::ipv4::{self, Ipv4};
use super::tcp::Tcp;

/// An Ethernet frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    /// RoCEv2 (IBTA annex A17).
    Roce(RocePacket<'a>),
    /// A segment of TCP.
    Tcp(TcpSegment<'a>),
    /// Priority flow control.
    Pfc(PfcHeader),
}

/// A packet of RoCEv2 over IPv4 and UDP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RocePacket<'a> {
    /// Ethernet.
    pub stations: Stations,
    /// IPv4.
    pub ip: Ipv4,
    /// UDP source port, different for each queue pair so that switches choose different paths.
    pub src_port: u16,
    /// Transport.
    pub bth: Bth,
    /// Payload, without padding.
    pub payload: &'a [u8],
}

/// A segment of TCP over IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpSegment<'a> {
    /// Ethernet.
    pub stations: Stations,
    /// IPv4.
    pub ip: Ipv4,
    /// Transport.
    pub tcp: Tcp,
    /// Payload.
    pub payload: &'a [u8],
}

/// The UDP port of RoCEv2 (IBTA annex A17).
const ROCE_PORT: u16 = 4791;
const UDP_HEADER: usize = 8;
const ICRC: usize = super::ICRC as usize;

impl<'a> Frame<'a> {
    /// Appends the frame's bytes to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Frame::Roce(packet) => packet.encode(out),
            Frame::Tcp(segment) => {
                segment.stations.encode(ethernet::IPV4, out);
                let length = segment.tcp.length(segment.payload.len());
                segment.ip.encode(ipv4::TCP, length, out);
                segment.tcp.encode(&segment.ip, segment.payload, out);
            }
            Frame::Pfc(frame) => frame.encode(out),
        }
    }

    /// Reads the bytes that [`encode`](Self::encode) writes, with any padding behind them.
    ///
    /// # Errors
    ///
    /// The bytes are too short, contain an unknown value, or have a wrong checksum.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let mut from = Reader(bytes);
        let (stations, ether_type) = Stations::decode(&mut from)?;
        match ether_type {
            ethernet::MAC_CONTROL => Ok(Frame::Pfc(PfcHeader::decode(stations, &mut from)?)),
            ethernet::IPV4 => {
                let packet = from.0;
                let (ip, protocol, after) = Ipv4::decode(&mut from)?;
                match protocol {
                    ipv4::UDP => {
                        let packet = &packet[..ipv4::HEADER + after.0.len()];
                        Ok(Frame::Roce(RocePacket::decode(stations, ip, packet, after)?))
                    }
                    ipv4::TCP => {
                        let (tcp, payload) = Tcp::decode(&ip, after)?;
                        Ok(Frame::Tcp(TcpSegment { stations, ip, tcp, payload }))
                    }
                    _ => Err(FrameError::Unknown("protocol")),
                }
            }
            _ => Err(FrameError::Unknown("EtherType")),
        }
    }
}

impl<'a> RocePacket<'a> {
    fn encode(&self, out: &mut Vec<u8>) {
        // IBTA 9.2, PadCnt: padded to whole words.
        let padding = self.payload.len().next_multiple_of(4) - self.payload.len();
        let length = UDP_HEADER + self.bth.length() + self.payload.len() + padding + ICRC;
        self.stations.encode(ethernet::IPV4, out);
        let packet = out.len();
        self.ip.encode(ipv4::UDP, length, out);
        out.extend(self.src_port.to_be_bytes());
        out.extend(ROCE_PORT.to_be_bytes());
        out.extend((length as u16).to_be_bytes());
        // No UDP checksum: the ICRC covers more.
        out.extend([0; 2]);
        self.bth.encode(padding, out);
        out.extend(self.payload);
        out.resize(out.len() + padding, 0);
        out.extend(icrc(&out[packet..]));
    }

    /// Reads a packet. `packet` has the bytes from the IPv4 header on, `from` the bytes after that
    /// header.
    fn decode(
        stations: Stations,
        ip: Ipv4,
        packet: &[u8],
        mut from: Reader<'a>,
    ) -> Result<Self, FrameError> {
        let length = from.0.len();
        let (src_port, dst_port, udp_length, _checksum) =
            (from.u16()?, from.u16()?, from.u16()?, from.u16()?);
        if dst_port != ROCE_PORT {
            return Err(FrameError::Unknown("UDP port"));
        }
        if usize::from(udp_length) != length {
            return Err(FrameError::Short);
        }
        let (covered, crc) = packet.split_at(packet.len() - ICRC);
        let (bth, padding) = Bth::decode(&mut from)?;
        let after = from.0.len().checked_sub(ICRC + padding).ok_or(FrameError::Short)?;
        if icrc(covered) != crc {
            return Err(FrameError::Checksum("RoCEv2"));
        }
        Ok(RocePacket { stations, ip, src_port, bth, payload: &from.0[..after] })
    }
}
