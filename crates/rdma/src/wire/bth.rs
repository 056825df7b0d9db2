//! The base transport header (BTH, IBTA 9.2) and its extended headers, for the operations of flows.

use super::bytes::Reader;
use super::error::FrameError;
use super::{AETH, BTH, RETH};

/// RDMA extended transport header (RETH, IBTA 9.3): the destination of a WRITE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reth {
    /// Virtual address.
    pub address: u64,
    /// Key of the remote memory region.
    pub key: u32,
    /// Bytes of the whole message.
    pub length: u32,
}

/// Acknowledge extended transport header (AETH, IBTA 9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aeth {
    /// Positive or negative acknowledgement.
    pub syndrome: Syndrome,
    /// Message sequence number (MSN), 24 bits.
    pub msn: u32,
}

/// Content of an acknowledgement (IBTA 9.7.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syndrome {
    /// The packet of this number and all before it have arrived. No credits: end-to-end flow
    /// control applies to SENDs.
    Ack = 0x1f,
    /// The packet of this number is expected, but another one arrived.
    SequenceError = 0x60,
}

/// Operation of a packet, with its extended header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The first of several packets of a WRITE.
    WriteFirst(Reth),
    /// A packet between the first and the last.
    WriteMiddle,
    /// The last packet.
    WriteLast,
    /// The only packet.
    WriteOnly(Reth),
    /// Positive or negative acknowledgement.
    Acknowledge(Aeth),
    /// Congestion notification packet (CNP, IBTA annex A17.9.3), with its 16 reserved bytes.
    Cnp,
}

/// A base transport header. The partition is the default one, and the header's version 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bth {
    /// Operation code and extended header.
    pub operation: Operation,
    /// Forward congestion (FECN).
    pub fecn: bool,
    /// Backward congestion (BECN): notifies the sender of marks.
    pub becn: bool,
    /// Requests an acknowledgement.
    pub ack_request: bool,
    /// Destination queue pair, 24 bits.
    pub queue_pair: u32,
    /// Packet sequence number (PSN), 24 bits.
    pub psn: u32,
}

/// The partition of which every port is a full member (IBTA 10.9).
const DEFAULT_PARTITION: u16 = 0xffff;
/// Migration state "migrated" (IBTA 9.2.3): paths never migrate here.
const MIGRATED: u8 = 0x40;
const FECN: u8 = 0x80;
const BECN: u8 = 0x40;
const LOW_24: u32 = 0xff_ffff;
/// Reserved bytes of a CNP.
const CNP_RESERVED: u32 = 16;

impl Operation {
    /// Returns the operation code (IBTA 9.2.1; annex A17 for CNPs).
    const fn code(&self) -> u8 {
        match self {
            Operation::WriteFirst(_) => 0x06,
            Operation::WriteMiddle => 0x07,
            Operation::WriteLast => 0x08,
            Operation::WriteOnly(_) => 0x0a,
            Operation::Acknowledge(_) => 0x11,
            Operation::Cnp => 0x81,
        }
    }

    /// Returns the bytes of the extended header.
    const fn extended(&self) -> u32 {
        match self {
            Operation::WriteFirst(_) | Operation::WriteOnly(_) => RETH,
            Operation::Acknowledge(_) => AETH,
            Operation::Cnp => CNP_RESERVED,
            Operation::WriteMiddle | Operation::WriteLast => 0,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Operation::WriteFirst(reth) | Operation::WriteOnly(reth) => reth.encode(out),
            Operation::Acknowledge(Aeth { syndrome, msn }) => {
                out.extend(((*syndrome as u32) << 24 | msn & LOW_24).to_be_bytes());
            }
            Operation::Cnp => out.extend([0; CNP_RESERVED as usize]),
            Operation::WriteMiddle | Operation::WriteLast => {}
        }
    }

    fn decode(code: u8, from: &mut Reader) -> Result<Self, FrameError> {
        Ok(match code {
            0x06 => Operation::WriteFirst(Reth::decode(from)?),
            0x07 => Operation::WriteMiddle,
            0x08 => Operation::WriteLast,
            0x0a => Operation::WriteOnly(Reth::decode(from)?),
            0x11 => {
                let word = from.u32()?;
                let syndrome = match word >> 24 {
                    0x1f => Syndrome::Ack,
                    0x60 => Syndrome::SequenceError,
                    _ => return Err(FrameError::Unknown("acknowledgement")),
                };
                Operation::Acknowledge(Aeth { syndrome, msn: word & LOW_24 })
            }
            0x81 => {
                from.bytes(CNP_RESERVED as usize)?;
                Operation::Cnp
            }
            _ => return Err(FrameError::Unknown("operation code")),
        })
    }
}

impl Reth {
    /// Appends the header's 16 bytes to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.address.to_be_bytes());
        out.extend(self.key.to_be_bytes());
        out.extend(self.length.to_be_bytes());
    }

    fn decode(from: &mut Reader) -> Result<Self, FrameError> {
        Ok(Reth { address: from.u64()?, key: from.u32()?, length: from.u32()? })
    }
}

impl Bth {
    /// Returns the bytes of the headers.
    pub(super) fn length(&self) -> usize {
        (BTH + self.operation.extended()) as usize
    }

    /// Appends the headers of a packet with `padding` bytes after its payload.
    pub(super) fn encode(&self, padding: usize, out: &mut Vec<u8>) {
        // IBTA annex A17.9.3: a CNP's header is 0 except for the fields named there.
        let state = if self.operation == Operation::Cnp { 0 } else { MIGRATED };
        out.extend([self.operation.code(), state | (padding as u8) << 4]);
        out.extend(DEFAULT_PARTITION.to_be_bytes());
        let congestion = if self.fecn { FECN } else { 0 } | if self.becn { BECN } else { 0 };
        out.extend((u32::from(congestion) << 24 | self.queue_pair & LOW_24).to_be_bytes());
        out.extend((u32::from(self.ack_request) << 31 | self.psn & LOW_24).to_be_bytes());
        self.operation.encode(out);
    }

    /// Reads the headers. Returns the headers and the bytes of padding.
    pub(super) fn decode(from: &mut Reader) -> Result<(Self, usize), FrameError> {
        let (code, flags, partition) = (from.u8()?, from.u8()?, from.u16()?);
        if flags & 0x0f != 0 || partition != DEFAULT_PARTITION {
            return Err(FrameError::Unknown("base transport header"));
        }
        let (to, number) = (from.u32()?, from.u32()?);
        let bth = Bth {
            operation: Operation::decode(code, from)?,
            fecn: to >> 24 & u32::from(FECN) != 0,
            becn: to >> 24 & u32::from(BECN) != 0,
            ack_request: number >> 31 == 1,
            queue_pair: to & LOW_24,
            psn: number & LOW_24,
        };
        Ok((bth, usize::from(flags >> 4 & 0b11)))
    }
}
