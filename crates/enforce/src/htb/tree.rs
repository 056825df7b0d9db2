//! [`Tree`]: classes and filters of a port, as wanted or as read.

use super::rate::ticks;
use super::{Dscp, Marks};
use crate::ets::{Bands, Hardware, InHardware};
use bandwise_saba::controller::PortConfig;
use bandwise_units::{BitRate, Bytes, lowest_terms};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The handle of Saba's root, `5aba:`.
pub const HANDLE: u16 = 0x5aba;
/// The class of the link, `5aba:1`.
pub const LINK: u16 = 1;
/// The class of other traffic.
pub const DEFAULT: u16 = 2;
/// The class of all of Saba's traffic.
pub const SABA: u16 = 3;
/// The class of queue 0; the other queues follow.
pub const QUEUE: u16 = 0x10;
/// The classes that are read and changed. Classes of other programs stay as they are.
pub const OURS: RangeInclusive<u16> = 1..=0xff;

/// A class of HTB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The parent class; `None` for the link.
    pub parent: Option<u16>,
    /// The guaranteed rate.
    pub rate: BitRate,
    /// The largest rate, including bandwidth that other classes leave unused.
    pub ceil: BitRate,
    /// The bytes that the class may send at once after a pause, by its rate.
    pub burst: Bytes,
    /// The bytes that the class may send at once after a pause, by its ceiling.
    pub cburst: Bytes,
    /// The bytes that the class sends in each round of the round robin; `None` for inner classes.
    pub quantum: Option<u32>,
}

impl Class {
    /// Returns `true` if this class, as read, equals the wanted one. Bursts may differ slightly:
    /// the kernel stores them as times in ticks, and `tc` writes whole microseconds.
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

/// A protocol whose packets filters match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl Family {
    /// Both protocols.
    pub const ALL: [Family; 2] = [Family::V4, Family::V6];
}

/// A filter that sends packets with a mark to a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// The mark; `None` if another program made the filter match something else.
    pub dscp: Option<Dscp>,
    /// The class; 0 if it is not part of this tree.
    pub class: u16,
}

/// The classes and filters below Saba's root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// The class of packets that match no filter.
    pub default: u16,
    /// The classes, by number.
    pub classes: BTreeMap<u16, Class>,
    /// The filters, by protocol and number. The number equals the mark.
    pub filters: BTreeMap<(Family, u16), Filter>,
    /// The kernel's numbers of the tables of filters, by protocol, if they were read.
    pub tables: BTreeMap<Family, u16>,
}

impl Tree {
    /// Returns `true` if this tree, as read, equals the wanted one.
    pub fn is(&self, wanted: &Tree) -> bool {
        let same = |(a, b): ((&u16, &Class), (&u16, &Class))| a.0 == b.0 && a.1.is(b.1);
        self.default == wanted.default
            && self.filters == wanted.filters
            && self.classes.len() == wanted.classes.len()
            && self.classes.iter().zip(&wanted.classes).all(same)
    }

    /// Returns the configuration of this tree: levels by the marks of IPv4's filters, and weights in lowest terms.
    /// Unknown marks are left out.
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

/// The configuration at the root of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// The default of the kernel, which the kernel restores after the removal of another root.
    Kernel,
    /// Saba's tree.
    Saba(Tree),
    /// The root of another program, in tc's words.
    Other(String),
    /// A root of a port of a switch that forwards in hardware.
    Hardware(Box<Hardware>),
    /// Saba's bands at such a port, as wanted.
    Bands(Bands),
}

impl Root {
    /// Returns `true` if this root, as read, equals the wanted one.
    pub fn is(&self, wanted: &Root) -> bool {
        match (self, wanted) {
            (Root::Saba(read), Root::Saba(wanted)) => read.is(wanted),
            (Root::Hardware(read), Root::Kernel) => read.there == InHardware::Kernel,
            (Root::Hardware(read), Root::Hardware(wanted)) => read.there == wanted.there,
            (Root::Hardware(read), Root::Bands(wanted)) => {
                matches!(&read.there, InHardware::Bands { bands, is_taken: true } if bands == wanted)
            }
            _ => self == wanted,
        }
    }
}
