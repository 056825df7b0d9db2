//! [`Dscp`]: the mark of packets, and the marks of priority levels.

use bandwise_saba::mapping::PriorityLevel;
use std::collections::BTreeMap;

/// A differentiated services code point (RFC 2474), 1 to 63. Unmarked packets have 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dscp(u8);

/// A number that is not a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a DSCP of {0}: allowed are 1 to 63")]
pub struct NoDscp(pub u16);

impl Dscp {
    /// Returns the number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the byte of IPv4's type of service and IPv6's traffic class. Its two lowest bits
    /// belong to explicit congestion notification.
    pub const fn byte(self) -> u8 {
        self.0 << 2
    }

    /// Returns the mark in a byte of this kind; `None` if the mark is 0.
    pub(super) const fn of_byte(byte: u8) -> Option<Self> {
        if byte == 0 || byte & 3 != 0 { None } else { Some(Dscp(byte >> 2)) }
    }
}

impl TryFrom<u16> for Dscp {
    type Error = NoDscp;
    fn try_from(number: u16) -> Result<Self, NoDscp> {
        if (1..64).contains(&number) { Ok(Dscp(number as u8)) } else { Err(NoDscp(number)) }
    }
}

impl std::fmt::Display for Dscp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The marks of priority levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    marks: BTreeMap<PriorityLevel, Dscp>,
    levels: BTreeMap<Dscp, PriorityLevel>,
}

impl Marks {
    /// Returns the 16 marks that RFC 2474 reserves for local use (section 6, pool 2: xxxx11): 3, 7, 11 … 63. InfiniBand
    /// has 16 levels too.
    pub fn local() -> Self {
        Marks::from_iter((0..16).map(|level| (PriorityLevel(level), Dscp(4 * level as u8 + 3))))
    }

    /// Returns marks that equal the numbers of their levels, for marking by hand. Level 0 has none.
    pub fn by_number() -> Self {
        Marks::from_iter((1..64).map(|dscp| (PriorityLevel(dscp.into()), Dscp(dscp))))
    }

    /// Returns the marks of the first levels only.
    pub fn of_first(&self, levels: u8) -> Self {
        let of_first = self.marks.iter().filter(|(level, _)| level.0 < u16::from(levels));
        Marks::from_iter(of_first.map(|(&level, &dscp)| (level, dscp)))
    }

    /// Returns the mark of a level.
    pub fn of(&self, level: PriorityLevel) -> Option<Dscp> {
        self.marks.get(&level).copied()
    }

    /// Returns the level of a mark.
    pub fn level(&self, dscp: Dscp) -> Option<PriorityLevel> {
        self.levels.get(&dscp).copied()
    }

    /// Collects marks. Each level must have one mark, and each mark one level.
    fn from_iter(pairs: impl Iterator<Item = (PriorityLevel, Dscp)>) -> Self {
        let marks: BTreeMap<PriorityLevel, Dscp> = pairs.collect();
        let levels = marks.iter().map(|(&level, &dscp)| (dscp, level)).collect();
        Marks { marks, levels }
    }
}
