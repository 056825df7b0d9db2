//! Ethernet headers and PFC frames.

use super::bytes::Reader;
use super::error::FrameError;

/// A 48-bit address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac(pub [u8; 6]);

/// Receiver and sender of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stations {
    /// The receiver.
    pub dst: Mac,
    /// The sender.
    pub src: Mac,
}

/// EtherType of IPv4.
pub(super) const IPV4: u16 = 0x0800;
/// EtherType of MAC control frames (IEEE 802.3, clause 31).
pub(super) const MAC_CONTROL: u16 = 0x8808;
/// Smallest frame, without its frame check sequence.
const LEAST: usize = 60;
/// Destination of MAC control frames, which no bridge forwards (IEEE 802.3, annex 31B).
const MAC_CONTROL_ADDRESS: Mac = Mac([0x01, 0x80, 0xc2, 0, 0, 0x01]);
/// The operation code of priority flow control (IEEE 802.1Qbb; IEEE 802.3, annex 31D).
const PFC: u16 = 0x0101;

impl Stations {
    pub(super) fn encode(&self, ether_type: u16, out: &mut Vec<u8>) {
        out.extend(self.dst.0);
        out.extend(self.src.0);
        out.extend(ether_type.to_be_bytes());
    }

    /// Reads the addresses and the EtherType.
    pub(super) fn decode(from: &mut Reader) -> Result<(Self, u16), FrameError> {
        let (dst, src) = (Mac(from.array()?), Mac(from.array()?));
        Ok((Stations { dst, src }, from.u16()?))
    }
}

/// Header of a PFC frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PfcHeader {
    /// Sender.
    pub src: Mac,
    /// Pause duration of each of the eight priorities that the frame addresses, in quanta of 512
    /// bit times; 0 resumes.
    pub quanta: [Option<u16>; 8],
}

impl PfcHeader {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        Stations { dst: MAC_CONTROL_ADDRESS, src: self.src }.encode(MAC_CONTROL, out);
        out.extend(PFC.to_be_bytes());
        let enabled = |vector: u16, (class, quanta): (usize, &Option<u16>)| {
            vector | u16::from(quanta.is_some()) << class
        };
        out.extend(self.quanta.iter().enumerate().fold(0, enabled).to_be_bytes());
        self.quanta.iter().for_each(|quanta| out.extend(quanta.unwrap_or(0).to_be_bytes()));
        out.resize(begin + LEAST, 0);
    }

    /// Reads the part after the EtherType.
    pub(super) fn decode(stations: Stations, from: &mut Reader) -> Result<Self, FrameError> {
        if stations.dst != MAC_CONTROL_ADDRESS || from.u16()? != PFC {
            return Err(FrameError::Unknown("MAC control"));
        }
        let vector = from.u16()?;
        let mut quanta = [None; 8];
        for (class, quanta) in quanta.iter_mut().enumerate() {
            let time = from.u16()?;
            *quanta = (vector >> class & 1 == 1).then_some(time);
        }
        Ok(PfcHeader { src: stations.src, quanta })
    }
}
