//! [`changes`]: what leads from one tree to another.

use super::tree::{Class, Family, HANDLE, Root, Tree};
use super::{Dscp, Filter};
use std::fmt::Write;

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A root of Saba's takes the place of the kernel's.
    AddRoot {
        /// The class of packets that no filter takes.
        default: u16,
    },
    /// Saba's root goes away with all below it, and the kernel puts its own back.
    RemoveRoot,
    /// A class is made.
    AddClass(u16, Class),
    /// A class gets other numbers; packets in it stay there.
    SetClass(u16, Class),
    /// A class without classes below it and without filters goes away.
    RemoveClass(u16),
    /// A filter is made.
    AddFilter {
        /// For packets of which protocol.
        family: Family,
        /// Its number there.
        node: u16,
        /// The mark it looks for.
        dscp: Dscp,
        /// Where they go.
        class: u16,
    },
    /// Packets of a filter go to another class from now on.
    MoveFilter {
        /// For packets of which protocol.
        family: Family,
        /// In which table.
        table: u16,
        /// Its number there.
        node: u16,
        /// The mark it looks for, which stays as it is.
        dscp: Dscp,
        /// Where they go.
        class: u16,
    },
    /// A filter goes away.
    RemoveFilter {
        /// For packets of which protocol.
        family: Family,
        /// In which table.
        table: u16,
        /// Its number there.
        node: u16,
    },
}

/// The steps from what was read to what is wanted; none where it is that. Neither is somebody else's.
///
/// Classes are there before a filter names them, and go when none does any more. What can't be changed in
/// place (which class is above another, and which is the default) is made anew from the root on; it
/// differs only where somebody else had a hand in it.
pub fn changes(read: &Root, wanted: &Root) -> Vec<Change> {
    match (read, wanted) {
        (Root::Saba(read), Root::Saba(wanted)) if has_other_shape(read, wanted) => {
            let mut changes = vec![Change::RemoveRoot];
            changes.extend(whole(wanted));
            changes
        }
        (Root::Saba(read), Root::Saba(wanted)) => between(read, wanted),
        (_, Root::Saba(wanted)) => whole(wanted),
        (Root::Saba(_), _) => vec![Change::RemoveRoot],
        _ => Vec::new(),
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
    let mut changes = Vec::new();
    // Numbers of classes grow downwards, so what is above comes first.
    for (&number, class) in &wanted.classes {
        match read.classes.get(&number) {
            None => changes.push(Change::AddClass(number, class.clone())),
            Some(there) if !there.is(class) => {
                changes.push(Change::SetClass(number, class.clone()));
            }
            Some(_) => {}
        }
    }
    for (&(family, node), filter) in &wanted.filters {
        let Filter { dscp: Some(dscp), class } = *filter else { continue };
        let table = read.tables.get(&family).copied().unwrap_or_default();
        match read.filters.get(&(family, node)) {
            Some(there) if there == filter => {}
            // The kernel takes another mark for a filter that is there, and leaves the old one.
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
    let gone = read.classes.keys().rev().filter(|number| !wanted.classes.contains_key(number));
    changes.extend(gone.map(|&number| Change::RemoveClass(number)));
    changes
}

impl Change {
    /// What it is in `tc`'s language, for people: the line of a batch that does the same at a device.
    pub fn line(&self, device: &str) -> String {
        match self {
            Change::AddRoot { default } => {
                format!("qdisc add dev {device} root handle {HANDLE:x}: htb default {default:x}")
            }
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
    // Where none is given, the kernel takes a tenth of the rate and warns that it is too much.
    let quantum = class.quantum.unwrap_or(INNER_QUANTUM);
    let _ = write!(line, " quantum {quantum}");
    line
}

/// For classes that take no turns.
pub(super) const INNER_QUANTUM: u32 = 1514;

impl Family {
    /// What `tc` calls packets of it, the rank of their filters, and how it matches their mark.
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
        // 0xfc: the two lowest bits are those of explicit congestion notification.
        let _ = write!(line, " match {matches} {byte:#04x} 0xfc classid {HANDLE:x}:{class:x}");
    }
    line
}
