//! [`Tables`]: what decides at a port who gets what: a lane for each service level, and lanes' turns.

use super::attributes::{Attribute, PortInfo};
use super::smp::Data;
use std::collections::BTreeMap;
use std::fmt;

/// An entry of an arbitration table (IBTA 14.2.5.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Turn {
    /// The lane.
    pub vl: u8,
    /// How much it sends in its turn, in units of 64 bytes; 0 skips the entry (IBTA 7.6.9.2).
    pub weight: u8,
}

/// By service level: the lane (IBTA 14.2.5.8).
pub type Mapping = [u8; 16];

/// The tables of an output port.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tables {
    /// By the port that packets entered the switch by; a host has one, by 0.
    pub mappings: BTreeMap<u8, Mapping>,
    /// Turns of low priority, as many as the port has.
    pub low: Vec<Turn>,
    /// Turns of high priority.
    pub high: Vec<Turn>,
}

/// What of the tables one datagram holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Low-priority turns, by half.
    Low(u8),
    /// High-priority turns, by half.
    High(u8),
    /// The lanes of packets that entered by a port.
    Mapping(u8),
}

/// Turns in a half of an arbitration table (IBTA 14.2.5.9).
const HALF: usize = 32;

impl Tables {
    /// Empty ones for a port that packets reach by these ports.
    pub fn empty(inputs: impl IntoIterator<Item = u8>, port: &PortInfo) -> Self {
        let turns = |number: u8| vec![Turn::default(); usize::from(number)];
        let mappings = inputs.into_iter().map(|input| (input, [0; 16])).collect();
        Tables { mappings, low: turns(port.low), high: turns(port.high) }
    }

    /// What they consist of, in the order in which they are written: turns first, so that a lane has its turn
    /// before packets are put into it. The way back is the same backwards.
    pub fn parts(&self) -> Vec<Part> {
        let halves = |turns: &[Turn]| 0..turns.len().div_ceil(HALF) as u8;
        let low = halves(&self.low).map(Part::Low);
        let high = halves(&self.high).map(Part::High);
        low.chain(high).chain(self.mappings.keys().map(|&input| Part::Mapping(input))).collect()
    }

    /// As it stands in a datagram.
    pub fn encode(&self, part: Part) -> Data {
        let mut data = [0; 64];
        if let Part::Mapping(input) = part {
            for (at, pair) in
                self.mappings.get(&input).into_iter().flat_map(|m| m.chunks(2)).enumerate()
            {
                data[at] = pair[0] << 4 | pair[1] & 0x0f;
            }
            return data;
        }
        for (at, turn) in self.turns(part).iter().enumerate() {
            data[2 * at] = turn.vl & 0x0f;
            data[2 * at + 1] = turn.weight;
        }
        data
    }

    /// Takes over what a datagram holds.
    pub fn decode(&mut self, part: Part, data: &Data) {
        let (turns, half) = match part {
            Part::Mapping(input) => {
                // Two to a byte, the first in its upper half.
                let lane = |sl: usize| data[sl / 2] >> (4 - sl % 2 * 4) & 0x0f;
                self.mappings.insert(input, std::array::from_fn(lane));
                return;
            }
            Part::Low(half) => (&mut self.low, half),
            Part::High(half) => (&mut self.high, half),
        };
        let entries = turns.iter_mut().skip(usize::from(half) * HALF).take(HALF);
        for (turn, bytes) in entries.zip(data.chunks(2)) {
            *turn = Turn { vl: bytes[0] & 0x0f, weight: bytes[1] };
        }
    }

    fn turns(&self, part: Part) -> &[Turn] {
        let (turns, half) = match part {
            Part::Low(half) => (&self.low, half),
            Part::High(half) => (&self.high, half),
            Part::Mapping(_) => return &[],
        };
        let start = turns.len().min(usize::from(half) * HALF);
        &turns[start..turns.len().min(start + HALF)]
    }

    /// The parts in which these differ from others of the same port, in the order of writing.
    pub fn differing(&self, other: &Tables) -> Vec<Part> {
        let differs = |part: &Part| self.encode(*part) != other.encode(*part);
        self.parts().into_iter().filter(differs).collect()
    }

    /// Whether others are as large and of as many inputs, as those of one port always are.
    pub fn is_like(&self, other: &Tables) -> bool {
        self.mappings.keys().eq(other.mappings.keys())
            && (self.low.len(), self.high.len()) == (other.low.len(), other.high.len())
    }

    /// A part, for people.
    pub fn show(&self, part: Part) -> String {
        let list = |turns: &[Turn]| {
            let shown: Vec<String> =
                turns.iter().map(|turn| format!("{}:{}", turn.vl, turn.weight)).collect();
            shown.join(" ")
        };
        match part {
            Part::Mapping(input) => {
                let lanes = self.mappings.get(&input).map(|m| m.map(|vl| vl.to_string()).join(" "));
                lanes.unwrap_or_default()
            }
            part => list(self.turns(part)),
        }
    }
}

impl Part {
    /// Which attribute it is, and which part of that at a port (IBTA 14.2.5.8, 14.2.5.9).
    pub fn address(self, port: u8) -> (Attribute, u32) {
        let arbitration =
            |block: u32| (Attribute::VlArbitrationTable, block << 16 | u32::from(port));
        match self {
            Part::Low(half) => arbitration(1 + u32::from(half)),
            Part::High(half) => arbitration(3 + u32::from(half)),
            // A host's port number counts for nothing there: the datagram comes by its own port.
            Part::Mapping(input) => {
                (Attribute::SlToVlMappingTable, u32::from(input) << 8 | u32::from(port))
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Low(half) => write!(f, "low-priority turns {}", half + 1),
            Part::High(half) => write!(f, "high-priority turns {}", half + 1),
            Part::Mapping(input) => write!(f, "lanes of service levels from port {input}"),
        }
    }
}
