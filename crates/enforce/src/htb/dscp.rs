//! [`Dscp`]: the mark that packets carry, and which level has which.

use bandwise_saba::mapping::PriorityLevel;
use std::collections::BTreeMap;

/// A differentiated services code point (RFC 2474): 1 to 63. 0 is what packets have that nobody marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dscp(u8);

/// A number that is no mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a DSCP of {0}: allowed are 1 to 63")]
pub struct NoDscp(pub u16);

impl Dscp {
    /// The number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// As it stands in the byte of IPv4's type of service and IPv6's traffic class: above the two bits
    /// of explicit congestion notification.
    pub const fn byte(self) -> u8 {
        self.0 << 2
    }

    /// From that byte, without its two lowest bits.
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

/// Which mark packets of a priority level carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    marks: BTreeMap<PriorityLevel, Dscp>,
    levels: BTreeMap<Dscp, PriorityLevel>,
}

impl Marks {
    /// The 16 marks that RFC 2474 leaves to local use (section 6, pool 2: xxxx11), for 16 levels, as
    /// many as InfiniBand has: 3, 7, 11 … 63. No other standard gives them a meaning.
    pub fn local() -> Self {
        Marks::from_iter((0..16).map(|level| (PriorityLevel(level), Dscp(4 * level as u8 + 3))))
    }

    /// Each level's number is its mark, for who gives marks by hand; level 0 has none.
    pub fn by_number() -> Self {
        Marks::from_iter((1..64).map(|dscp| (PriorityLevel(dscp.into()), Dscp(dscp))))
    }

    /// The mark of a level, if it has one.
    pub fn of(&self, level: PriorityLevel) -> Option<Dscp> {
        self.marks.get(&level).copied()
    }

    /// The level that has a mark, if any.
    pub fn level(&self, dscp: Dscp) -> Option<PriorityLevel> {
        self.levels.get(&dscp).copied()
    }

    /// One mark a level, one level a mark.
    fn from_iter(pairs: impl Iterator<Item = (PriorityLevel, Dscp)>) -> Self {
        let marks: BTreeMap<PriorityLevel, Dscp> = pairs.collect();
        let levels = marks.iter().map(|(&level, &dscp)| (dscp, level)).collect();
        Marks { marks, levels }
    }
}
