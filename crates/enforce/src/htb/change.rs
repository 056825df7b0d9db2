//! [`changes`]: the steps from one tree to another.

use super::tree::{Class, Family, HANDLE, Root, Tree};
use super::{Dscp, Filter};
use crate::ets::{Bands, Hardware, InHardware};
use std::fmt::Write;

/// A step of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Replaces the kernel's root with a root of Saba.
    AddRoot {
        /// The class of packets that no filter takes.
        default: u16,
    },
    /// Sets Saba's bands of a switch's port, whether it has some or not.
    SetBands(Bands),
    /// Removes Saba's root with everything below it. The kernel then restores its own.
    RemoveRoot,
    /// Adds a class.
    AddClass(u16, Class),
    /// Changes the parameters of a class. Its packets stay in it.
    SetClass(u16, Class),
    /// Removes a class that has no classes and no filters.
    RemoveClass(u16),
    /// Adds a filter.
    AddFilter {
        /// The protocol of the packets.
        family: Family,
        /// The number of the filter in its table.
        node: u16,
        /// The mark that the filter matches.
        dscp: Dscp,
        /// The class of matching packets.
        class: u16,
    },
    /// Sends the packets of a filter to another class.
    MoveFilter {
        /// The protocol of the packets.
        family: Family,
        /// The table of the filter.
        table: u16,
        /// The number of the filter in its table.
        node: u16,
        /// The mark that the filter matches, which does not change.
        dscp: Dscp,
        /// The new class of matching packets.
        class: u16,
    },
    /// Removes a filter.
    RemoveFilter {
        /// The protocol of the packets.
        family: Family,
        /// The table of the filter.
        table: u16,
        /// The number of the filter in its table.
        node: u16,
    },
}

/// Returns the steps from the read tree to the wanted one. The list is empty if the trees are
/// equal, or if the read tree is another program's.
///
/// A class exists before a filter names it, and is removed after the last such filter. Rates rise before filters move,
/// and fall after: if only the first of the changes are made, each mark is guaranteed at least the smaller of its rates
/// before and after. The rates of all classes may then exceed the link's. The parent of a class and the
/// default class can't be changed in place. If they differ, another program has changed them, and the tree is built
/// again from the root.
pub fn changes(read: &Root, wanted: &Root) -> Vec<Change> {
    match (read, wanted) {
        (Root::Saba(read), Root::Saba(wanted)) if has_other_shape(read, wanted) => {
            let mut changes = vec![Change::RemoveRoot];
            changes.extend(whole(wanted));
            changes
        }
        (Root::Saba(read), Root::Saba(wanted)) => between(read, wanted),
        (Root::Hardware(read), wanted) => in_hardware(read, wanted),
        (_, Root::Saba(wanted)) => whole(wanted),
        (Root::Saba(_), _) => vec![Change::RemoveRoot],
        _ => Vec::new(),
    }
}

/// Returns the steps at a port of a switch, where a tree of HTB has no effect and is not restored.
fn in_hardware(read: &Hardware, wanted: &Root) -> Vec<Change> {
    let wanted = match wanted {
        Root::Bands(bands) => Some(bands),
        Root::Hardware(before) => match &before.there {
            InHardware::Bands { bands, .. } => Some(bands),
            _ => None,
        },
        Root::Kernel => None,
        Root::Saba(_) | Root::Other(_) => return Vec::new(),
    };
    match (&read.there, wanted) {
        (InHardware::Other(_), _) | (InHardware::Kernel, None) => Vec::new(),
        (_, None) => vec![Change::RemoveRoot],
        (InHardware::Bands { bands, is_taken: true }, Some(wanted)) if bands == wanted => {
            Vec::new()
        }
        (InHardware::Htb, Some(bands)) => {
            vec![Change::RemoveRoot, Change::SetBands(bands.clone())]
        }
        (_, Some(bands)) => vec![Change::SetBands(bands.clone())],
    }
}

fn whole(wanted: &Tree) -> Vec<Change> {
    let mut changes = vec![Change::AddRoot { default: wanted.default }];
    let empty = Tree { default: wanted.default, ..Tree::default() };
    changes.extend(between(&empty, wanted));
    changes
}

fn has_other_shape(read: &Tree, wanted: &Tree) -> bool {
    let moves = |(number, class): (&u16, &Class)| {
        read.classes.get(number).is_some_and(|there| there.parent != class.parent)
    };
    read.default != wanted.default || wanted.classes.iter().any(moves)
}

fn between(read: &Tree, wanted: &Tree) -> Vec<Change> {
    let (mut changes, mut falling) = (Vec::new(), Vec::new());
    // Class numbers grow downwards, so parents come first.
    for (&number, class) in &wanted.classes {
        match read.classes.get(&number) {
            None => changes.push(Change::AddClass(number, class.clone())),
            Some(there) if there.is(class) => {}
            Some(there) if there.rate > class.rate => {
                falling.push(Change::SetClass(number, class.clone()));
            }
            Some(_) => changes.push(Change::SetClass(number, class.clone())),
        }
    }
    for (&(family, node), filter) in &wanted.filters {
        let Filter { dscp: Some(dscp), class } = *filter else { continue };
        let table = read.tables.get(&family).copied().unwrap_or_default();
        match read.filters.get(&(family, node)) {
            Some(there) if there == filter => {}
            // The kernel adds the new mark to an existing filter and keeps the old one.
            Some(there) if there.dscp == filter.dscp => {
                changes.push(Change::MoveFilter { family, table, node, dscp, class });
            }
            there => {
                if there.is_some() {
                    changes.push(Change::RemoveFilter { family, table, node });
                }
                changes.push(Change::AddFilter { family, node, dscp, class });
            }
        }
    }
    for &(family, node) in read.filters.keys().filter(|key| !wanted.filters.contains_key(key)) {
        let table = read.tables.get(&family).copied().unwrap_or_default();
        changes.push(Change::RemoveFilter { family, table, node });
    }
    changes.append(&mut falling);
    let gone = read.classes.keys().rev().filter(|number| !wanted.classes.contains_key(number));
    changes.extend(gone.map(|&number| Change::RemoveClass(number)));
    changes
}

impl Change {
    /// Returns the line of `tc -batch` that makes this change at a device.
    pub fn line(&self, device: &str) -> String {
        match self {
            Change::AddRoot { default } => {
                format!("qdisc add dev {device} root handle {HANDLE:x}: htb default {default:x}")
            }
            Change::SetBands(bands) => bands.line(device),
            Change::RemoveRoot => format!("qdisc del dev {device} root handle {HANDLE:x}:"),
            Change::AddClass(number, class) => class_line("add", device, *number, class),
            Change::SetClass(number, class) => class_line("change", device, *number, class),
            Change::RemoveClass(number) => {
                format!("class del dev {device} classid {HANDLE:x}:{number:x}")
            }
            &Change::AddFilter { family, node, dscp, class } => {
                filter_line("add", device, family, format_args!("::{node:x}"), Some((dscp, class)))
            }
            &Change::MoveFilter { family, table, node, dscp, class } => {
                let handle = format_args!("{table:x}::{node:x}");
                filter_line("change", device, family, handle, Some((dscp, class)))
            }
            &Change::RemoveFilter { family, table, node } => {
                filter_line("del", device, family, format_args!("{table:x}::{node:x}"), None)
            }
        }
    }
}

fn class_line(verb: &str, device: &str, number: u16, class: &Class) -> String {
    let (rate, ceil) = (class.rate.as_bps(), class.ceil.as_bps());
    let (burst, cburst) = (class.burst.get(), class.cburst.get());
    let mut line = format!("class {verb} dev {device} parent {HANDLE:x}:");
    // Writing to a string does not fail.
    let _ = class.parent.map(|parent| write!(line, "{parent:x}"));
    let _ = write!(
        line,
        " classid {HANDLE:x}:{number:x} htb rate {rate}bit ceil {ceil}bit burst {burst}b cburst {cburst}b"
    );
    // Without a quantum, the kernel uses a tenth of the rate and warns that this is too large.
    let quantum = class.quantum.unwrap_or(INNER_QUANTUM);
    let _ = write!(line, " quantum {quantum}");
    line
}

/// The quantum of inner classes, which the kernel does not use.
pub(super) const INNER_QUANTUM: u32 = 1514;

impl Family {
    /// Returns tc's name of the protocol, the priority of its filters, and the words that match its mark.
    pub(super) const fn words(self) -> (&'static str, u16, &'static str) {
        match self {
            Family::V4 => ("ip", 4, "ip dsfield"),
            Family::V6 => ("ipv6", 6, "ip6 priority"),
        }
    }
}

fn filter_line(
    verb: &str,
    device: &str,
    family: Family,
    handle: std::fmt::Arguments<'_>,
    what: Option<(Dscp, u16)>,
) -> String {
    let (protocol, rank, matches) = family.words();
    let mut line = format!(
        "filter {verb} dev {device} parent {HANDLE:x}: protocol {protocol} prio {rank} handle {handle} u32"
    );
    if let Some((dscp, class)) = what {
        let byte = dscp.byte();
        // 0xfc: the two lowest bits belong to explicit congestion notification.
        let _ = write!(line, " match {matches} {byte:#04x} 0xfc classid {HANDLE:x}:{class:x}");
    }
    line
}
