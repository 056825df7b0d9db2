//! TCP segments (RFC 9293) of iWARP.

use super::bytes::Reader;
use super::error::FrameError;
use super::ipv4::{self, Ipv4, checksum};

/// A TCP header with an acknowledgement, as in all segments of a connection but the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tcp {
    /// Sender.
    pub src_port: u16,
    /// Receiver.
    pub dst_port: u16,
    /// Sequence number of the first byte of payload.
    pub seq: u32,
    /// Sequence number of the expected byte.
    pub ack: u32,
    /// Passes the payload to the application (PSH).
    pub push: bool,
    /// Echoes congestion marks (ECE, RFC 3168).
    pub ece: bool,
    /// Receive window.
    pub window: u16,
    /// A selectively acknowledged block: its first byte and the one after its last (SACK, RFC
    /// 2018).
    pub sack: Option<[u32; 2]>,
}

const HEADER: usize = 20;
const ACK: u8 = 0x10;
const PUSH: u8 = 0x08;
const ECE: u8 = 0x40;
/// Two bytes of padding, and a SACK option with one block (RFC 2018 section 3).
const SACK_OPTION: [u8; 4] = [1, 1, 5, 10];

impl Tcp {
    fn header(&self) -> usize {
        HEADER + if self.sack.is_some() { SACK_OPTION.len() + 8 } else { 0 }
    }

    /// Returns the length of the segment with its payload.
    pub(super) fn length(&self, payload: usize) -> usize {
        self.header() + payload
    }

    pub(super) fn encode(&self, ip: &Ipv4, payload: &[u8], out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend(self.src_port.to_be_bytes());
        out.extend(self.dst_port.to_be_bytes());
        out.extend(self.seq.to_be_bytes());
        out.extend(self.ack.to_be_bytes());
        let flags = ACK | if self.push { PUSH } else { 0 } | if self.ece { ECE } else { 0 };
        out.extend([(self.header() as u8 / 4) << 4, flags]);
        out.extend(self.window.to_be_bytes());
        // Checksum, and an unused urgent pointer.
        out.extend([0; 4]);
        if let Some(block) = self.sack {
            out.extend(SACK_OPTION);
            block.iter().for_each(|edge| out.extend(edge.to_be_bytes()));
        }
        out.extend(payload);
        let sum = checksum(&[&pseudo_header(ip, out.len() - begin), &out[begin..]]);
        out[begin + 16..begin + 18].copy_from_slice(&sum.to_be_bytes());
    }

    /// Reads a header and its payload.
    pub(super) fn decode<'a>(
        ip: &Ipv4,
        mut from: Reader<'a>,
    ) -> Result<(Self, &'a [u8]), FrameError> {
        if checksum(&[&pseudo_header(ip, from.0.len()), from.0]) != 0 {
            return Err(FrameError::Checksum("TCP"));
        }
        let (src_port, dst_port) = (from.u16()?, from.u16()?);
        let (seq, ack) = (from.u32()?, from.u32()?);
        let (words, flags, window) = (from.u8()? >> 4, from.u8()?, from.u16()?);
        let (_checksum, _urgent) = (from.u16()?, from.u16()?);
        let options = (usize::from(words) * 4).checked_sub(HEADER).ok_or(FrameError::Short)?;
        let sack = match from.bytes(options)? {
            [] => None,
            [1, 1, 5, 10, block @ ..] => {
                let mut block = Reader(block);
                Some([block.u32()?, block.u32()?])
            }
            _ => return Err(FrameError::Unknown("TCP option")),
        };
        if flags & !(PUSH | ECE) != ACK {
            return Err(FrameError::Unknown("TCP flags"));
        }
        let (push, ece) = (flags & PUSH != 0, flags & ECE != 0);
        Ok((Tcp { src_port, dst_port, seq, ack, push, ece, window, sack }, from.0))
    }
}

/// Returns the part of the IPv4 header covered by the checksum (RFC 9293 3.1).
fn pseudo_header(ip: &Ipv4, length: usize) -> [u8; 12] {
    let mut header = [0; 12];
    header[..4].copy_from_slice(&ip.src);
    header[4..8].copy_from_slice(&ip.dst);
    header[9] = ipv4::TCP;
    header[10..].copy_from_slice(&(length as u16).to_be_bytes());
    header
}
