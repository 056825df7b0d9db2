//! [`Tree`]: classes and filters of a port, as wanted or as read.

use super::rate::ticks;
use super::{Dscp, Marks};
use bandwise_saba::controller::PortConfig;
use bandwise_units::{BitRate, Bytes, lowest_terms};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The handle of a root that is Saba's. People know it as `5aba:`.
pub const HANDLE: u16 = 0x5aba;
/// The class of the link; the number after the handle, as in `5aba:1`.
pub const LINK: u16 = 1;
/// The class of everyone who isn't Saba's.
pub const DEFAULT: u16 = 2;
/// The class of all that is Saba's.
pub const SABA: u16 = 3;
/// The class of queue 0; others follow.
pub const QUEUE: u16 = 0x10;
/// Classes that are looked at and changed. What somebody else puts beside them stays as it is.
pub const OURS: RangeInclusive<u16> = 1..=0xff;

/// A class of HTB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The class above it; none for the link.
    pub parent: Option<u16>,
    /// What it may send whatever the others do.
    pub rate: BitRate,
    /// What it may send if others leave it.
    pub ceil: BitRate,
    /// What it may send at once after a pause, by its rate and by its ceiling.
    pub burst: Bytes,
    /// The same by its ceiling.
    pub cburst: Bytes,
    /// Bytes it sends in its turn; none where other classes are below it, which take the turns.
    pub quantum: Option<u32>,
}

impl Class {
    /// Whether this, as read, is what was wanted. Everything is exact but bursts, which the kernel keeps
    /// as times in ticks: `tc`, told the same, has whole microseconds of them.
    pub(super) fn is(&self, wanted: &Class) -> bool {
        let near = |a: Bytes, b: Bytes, rate| {
            let (a, b) = (ticks(a, rate), ticks(b, rate));
            a.abs_diff(b) <= b / 50 + 16
        };
        near(self.burst, wanted.burst, wanted.rate)
            && near(self.cburst, wanted.cburst, wanted.ceil)
            && self.quantum.or(wanted.quantum) == wanted.quantum.or(self.quantum)
            && (self.parent, self.rate, self.ceil) == (wanted.parent, wanted.rate, wanted.ceil)
    }
}

/// Packets of which protocol a filter looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl Family {
    /// Both.
    pub const ALL: [Family; 2] = [Family::V4, Family::V6];
}

/// A filter: packets with a mark go to a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// The mark; none where it was made to look for something else.
    pub dscp: Option<Dscp>,
    /// The class; 0 where it is none of this tree's.
    pub class: u16,
}

/// What a root of Saba's has below it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// The class of packets that no filter takes.
    pub default: u16,
    /// By number.
    pub classes: BTreeMap<u16, Class>,
    /// By protocol and by their number there, which is their mark's.
    pub filters: BTreeMap<(Family, u16), Filter>,
    /// The number that the kernel gave to the table with a protocol's filters, by which it calls them;
    /// where there are some and they were read.
    pub tables: BTreeMap<Family, u16>,
}

impl Tree {
    /// Whether this, as read, is what was wanted.
    pub fn is(&self, wanted: &Tree) -> bool {
        let same = |(a, b): ((&u16, &Class), (&u16, &Class))| a.0 == b.0 && a.1.is(b.1);
        self.default == wanted.default
            && self.filters == wanted.filters
            && self.classes.len() == wanted.classes.len()
            && self.classes.iter().zip(&wanted.classes).all(same)
    }

    /// The configuration that a controller would have given it: levels by their marks' numbers, of
    /// packets of IPv4; weights in lowest terms. Marks that are nobody's are left out.
    pub fn config(&self, marks: &Marks) -> PortConfig {
        let level = |(&(family, _), filter): (&(Family, u16), &Filter)| {
            let queue = u8::try_from(filter.class.checked_sub(QUEUE)?).ok()?;
            let is_there = family == Family::V4 && self.classes.contains_key(&filter.class);
            Some((marks.level(filter.dscp.filter(|_| is_there)?)?, queue))
        };
        let table: bandwise_saba::mapping::Queues = self.filters.iter().filter_map(level).collect();
        let quantum = |queue: u16| self.classes.get(&(QUEUE + queue)).and_then(|c| c.quantum);
        let quanta: Vec<u32> =
            (0..table.len() as u16).map(|queue| quantum(queue).unwrap_or(0)).collect();
        let weight = |weight: u32| u8::try_from(weight).unwrap_or(u8::MAX);
        let weights = lowest_terms(&quanta).into_iter().map(weight).collect();
        PortConfig { table, weights }
    }
}

/// What stands at the root of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// What the kernel puts there by itself, and puts back when another root goes away.
    Kernel,
    /// Saba's.
    Saba(Tree),
    /// Somebody else's, in `tc`'s words.
    Other(String),
}

impl Root {
    /// Whether this, as read, is what was wanted.
    pub fn is(&self, wanted: &Root) -> bool {
        match (self, wanted) {
            (Root::Saba(read), Root::Saba(wanted)) => read.is(wanted),
            _ => self == wanted,
        }
    }
}
