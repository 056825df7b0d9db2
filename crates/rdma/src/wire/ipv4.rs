//! IPv4 headers (RFC 791) and the Internet checksum (RFC 1071).

use super::bytes::Reader;
use super::error::FrameError;

/// Congestion marks (ECN, RFC 3168 section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ecn {
    /// The ends do not support marks.
    NotCapable = 0b00,
    /// Equivalent to `Capable0`.
    Capable1 = 0b01,
    /// The ends support marks, and there is none.
    Capable0 = 0b10,
    /// Congestion experienced (CE): marked.
    Marked = 0b11,
}

/// An IPv4 header without options, of a packet that is not a fragment and must not become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ipv4 {
    /// Sender.
    pub src: [u8; 4],
    /// Receiver.
    pub dst: [u8; 4],
    /// Differentiated services code point (DSCP), 6 bits, from which a priority is derived.
    pub dscp: u8,
    /// Congestion marks.
    pub ecn: Ecn,
    /// Identification.
    pub id: u16,
    /// Time to live, hops.
    pub ttl: u8,
}

/// Protocol number of TCP.
pub(super) const TCP: u8 = 6;
/// Protocol number of UDP.
pub(super) const UDP: u8 = 17;
/// Bytes of the header.
pub(super) const HEADER: usize = 20;
/// Version 4, with a header of five words.
const VERSION: u8 = 0x45;
const DO_NOT_FRAGMENT: u16 = 0x4000;

impl Ipv4 {
    /// Appends the header of a packet with `payload` bytes after it.
    pub(super) fn encode(&self, protocol: u8, payload: usize, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend([VERSION, self.dscp << 2 | self.ecn as u8]);
        out.extend(((HEADER + payload) as u16).to_be_bytes());
        out.extend(self.id.to_be_bytes());
        out.extend(DO_NOT_FRAGMENT.to_be_bytes());
        out.extend([self.ttl, protocol, 0, 0]);
        out.extend(self.src);
        out.extend(self.dst);
        let sum = checksum(&[&out[begin..]]);
        out[begin + 10..begin + 12].copy_from_slice(&sum.to_be_bytes());
    }

    /// Reads a header. Returns the header, the protocol, and the bytes after the header.
    pub(super) fn decode<'a>(from: &mut Reader<'a>) -> Result<(Self, u8, Reader<'a>), FrameError> {
        let mut header = Reader(from.bytes(HEADER)?);
        if checksum(&[header.0]) != 0 {
            return Err(FrameError::Checksum("IPv4"));
        }
        let (version, service) = (header.u8()?, header.u8()?);
        let (total, id, fragment) = (header.u16()?, header.u16()?, header.u16()?);
        if version != VERSION || fragment & !DO_NOT_FRAGMENT != 0 {
            return Err(FrameError::Unknown("IPv4"));
        }
        let (ttl, protocol, _checksum) = (header.u8()?, header.u8()?, header.u16()?);
        let ecn = match service & 0b11 {
            0b00 => Ecn::NotCapable,
            0b01 => Ecn::Capable1,
            0b10 => Ecn::Capable0,
            _ => Ecn::Marked,
        };
        let (src, dst) = (header.array()?, header.array()?);
        let payload = usize::from(total).checked_sub(HEADER).ok_or(FrameError::Short)?;
        let ipv4 = Ipv4 { src, dst, dscp: service >> 2, ecn, id, ttl };
        Ok((ipv4, protocol, Reader(from.bytes(payload)?)))
    }
}

/// Returns the checksum of consecutive parts, all but the last of even length. The checksum of
/// parts that contain their own checksum is 0.
pub(super) fn checksum(parts: &[&[u8]]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u32 = parts.iter().flat_map(|part| part.chunks(2)).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_matches_rfc_1071() {
        // RFC 1071 section 3: these words add up to ddf2.
        assert_eq!(checksum(&[&[0x00, 0x01, 0xf2, 0x03], &[0xf4, 0xf5, 0xf6, 0xf7]]), !0xddf2);
        assert_eq!(checksum(&[&[0x12]]), !0x1200);
    }
}
