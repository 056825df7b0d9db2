//! [`Tables`]: the lane of each service level at a port, and the arbitration of its lanes.

use super::attributes::{Attribute, PortInfo};
use super::smp::Data;
use std::collections::BTreeMap;
use std::fmt;

/// An entry of an arbitration table (IBTA 14.2.5.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArbitrationEntry {
    /// The lane.
    pub vl: u8,
    /// The amount of data sent when the arbiter serves this entry, in units of 64 bytes; 0 skips
    /// the entry (IBTA 7.6.9.2).
    pub weight: u8,
}

/// The lane of each service level (IBTA 14.2.5.8).
pub type Mapping = [u8; 16];

/// The tables of an output port.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tables {
    /// The mappings, by the input port of a switch; a host has one, for port 0.
    pub mappings: BTreeMap<u8, Mapping>,
    /// The low-priority entries; the port determines their number.
    pub low: Vec<ArbitrationEntry>,
    /// The high-priority entries.
    pub high: Vec<ArbitrationEntry>,
}

/// The part of the tables in one SMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A half of the low-priority entries.
    Low(u8),
    /// A half of the high-priority entries.
    High(u8),
    /// The mapping of an input port.
    Mapping(u8),
}

/// The entries in half an arbitration table (IBTA 14.2.5.9).
pub(super) const HALF: usize = 32;

impl Tables {
    /// Returns empty tables for a port with these inputs.
    pub fn empty(inputs: impl IntoIterator<Item = u8>, port: &PortInfo) -> Self {
        let entries = |number: u8| vec![ArbitrationEntry::default(); usize::from(number)];
        let mappings = inputs.into_iter().map(|input| (input, [0; 16])).collect();
        Tables { mappings, low: entries(port.low), high: entries(port.high) }
    }

    /// Returns the parts in the order of writing: arbitration before mappings, so that a lane has an entry before
    /// packets use it. Restoring uses the reverse order.
    pub fn parts(&self) -> Vec<Part> {
        let halves = |entries: &[ArbitrationEntry]| 0..entries.len().div_ceil(HALF) as u8;
        let low = halves(&self.low).map(Part::Low);
        let high = halves(&self.high).map(Part::High);
        low.chain(high).chain(self.mappings.keys().map(|&input| Part::Mapping(input))).collect()
    }

    /// Returns the bytes of a part.
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
        for (at, entry) in self.entries(part).iter().enumerate() {
            data[2 * at] = entry.vl & 0x0f;
            data[2 * at + 1] = entry.weight;
        }
        data
    }

    /// Replaces a part with the bytes of an SMP.
    pub fn decode(&mut self, part: Part, data: &Data) {
        let (entries, half) = match part {
            Part::Mapping(input) => {
                // Two lanes a byte, the first in the upper half.
                let lane = |sl: usize| data[sl / 2] >> (4 - sl % 2 * 4) & 0x0f;
                self.mappings.insert(input, std::array::from_fn(lane));
                return;
            }
            Part::Low(half) => (&mut self.low, half),
            Part::High(half) => (&mut self.high, half),
        };
        let entries = entries.iter_mut().skip(usize::from(half) * HALF).take(HALF);
        for (entry, bytes) in entries.zip(data.chunks(2)) {
            *entry = ArbitrationEntry { vl: bytes[0] & 0x0f, weight: bytes[1] };
        }
    }

    fn entries(&self, part: Part) -> &[ArbitrationEntry] {
        let (entries, half) = match part {
            Part::Low(half) => (&self.low, half),
            Part::High(half) => (&self.high, half),
            Part::Mapping(_) => return &[],
        };
        let start = entries.len().min(usize::from(half) * HALF);
        &entries[start..entries.len().min(start + HALF)]
    }

    /// Returns the parts that differ from other tables of the same port, in the order of writing.
    pub fn differing(&self, other: &Tables) -> Vec<Part> {
        let differs = |part: &Part| self.encode(*part) != other.encode(*part);
        self.parts().into_iter().filter(differs).collect()
    }

    /// Returns `true` if both tables have the same lengths and inputs, as tables of one port do.
    pub fn is_like(&self, other: &Tables) -> bool {
        self.mappings.keys().eq(other.mappings.keys())
            && (self.low.len(), self.high.len()) == (other.low.len(), other.high.len())
    }

    /// Returns the text of a part, for people.
    pub fn show(&self, part: Part) -> String {
        let list = |entries: &[ArbitrationEntry]| {
            let shown: Vec<String> =
                entries.iter().map(|entry| format!("{}:{}", entry.vl, entry.weight)).collect();
            shown.join(" ")
        };
        match part {
            Part::Mapping(input) => {
                let lanes = self.mappings.get(&input).map(|m| m.map(|vl| vl.to_string()).join(" "));
                lanes.unwrap_or_default()
            }
            part => list(self.entries(part)),
        }
    }
}

impl Part {
    /// Returns the attribute and its modifier at a port (IBTA 14.2.5.8, 14.2.5.9).
    pub fn address(self, port: u8) -> (Attribute, u32) {
        let arbitration =
            |block: u32| (Attribute::VlArbitrationTable, block << 16 | u32::from(port));
        match self {
            Part::Low(half) => arbitration(1 + u32::from(half)),
            Part::High(half) => arbitration(3 + u32::from(half)),
            // A host ignores its port number there: the SMP arrives at the port itself.
            Part::Mapping(input) => {
                (Attribute::SlToVlMappingTable, u32::from(input) << 8 | u32::from(port))
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Low(half) => write!(f, "low-priority entries {}", half + 1),
            Part::High(half) => write!(f, "high-priority entries {}", half + 1),
            Part::Mapping(input) => write!(f, "lanes of service levels from port {input}"),
        }
    }
}
