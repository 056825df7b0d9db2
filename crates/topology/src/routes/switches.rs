//! The switches of a fabric as flat arrays, for passes over all switches and destinations. Switches
//! are numbered by rank. A slot is a port number less one.

use super::forwarding::{NO_ROUTE, Table};
use crate::{Fabric, Port};
use std::ops::Range;

/// The number of destinations that are processed together. A set of them fits into a `u64`, and
/// their entries of all tables fit into a cache, unlike the tables.
pub(super) const BLOCK: usize = 64;

/// The node at the far end of a slot's cable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Far {
    Nothing,
    Host,
    Switch(u32),
}

/// A cable between switches, seen from one of them.
pub(super) struct Cable {
    /// The other switch.
    pub(super) far: u32,
    /// The other switch's slot.
    pub(super) far_slot: u16,
}

/// A switch with hosts, and the hosts that send into it. Their paths are equal from there on.
pub(super) struct Leaf {
    pub(super) switch: usize,
    /// The rank and slot of each host, by rank.
    pub(super) hosts: Vec<(usize, u16)>,
}

pub(super) struct Switches {
    /// The number of slots of every switch, used or not: the ports of the largest one.
    pub(super) slots: usize,
    /// The far end, by switch and slot.
    far: Vec<Far>,
    /// The cables of all switches, one switch after the other, by slot.
    cables: Vec<Cable>,
    /// The index of each switch's first cable. The next index ends its cables.
    first_cable: Vec<usize>,
    /// The leaves, ordered by their first hosts. Two hosts on one cable have no leaf.
    pub(super) leaves: Vec<Leaf>,
}

impl Switches {
    pub(super) fn of(fabric: &Fabric) -> Self {
        let count = fabric.switches().len();
        let ports = fabric.switches().iter().map(|&node| usize::from(fabric.port_count(node)));
        let slots = ports.max().unwrap_or(0);
        let mut far = vec![Far::Nothing; count * slots];
        let mut cables = Vec::new();
        let mut first_cable = vec![0];
        for (s, &node) in fabric.switches().iter().enumerate() {
            for port in fabric.ports(node) {
                let Some((peer, _)) = fabric.peer(port) else { continue };
                far[s * slots + usize::from(port.number) - 1] = if fabric.is_switch(peer.node) {
                    let far = fabric.rank(peer.node) as u32;
                    cables.push(Cable { far, far_slot: peer.number - 1 });
                    Far::Switch(far)
                } else {
                    Far::Host
                };
            }
            first_cable.push(cables.len());
        }
        Switches { slots, far, cables, first_cable, leaves: leaves(fabric) }
    }

    pub(super) fn count(&self) -> usize {
        self.first_cable.len() - 1
    }

    /// Returns the index of a slot in an array by switch and slot.
    #[inline]
    pub(super) fn slot_at(&self, switch: usize, slot: u16) -> usize {
        switch * self.slots + usize::from(slot)
    }

    /// Returns the switch and the slot of an index of [`Switches::slot_at`].
    pub(super) fn switch_and_slot(&self, at: usize) -> (usize, u16) {
        (at / self.slots, (at % self.slots) as u16)
    }

    #[inline]
    pub(super) fn far(&self, switch: usize, slot: u16) -> Far {
        self.far[self.slot_at(switch, slot)]
    }

    /// Returns the far ends of all slots, by switch and slot.
    pub(super) fn far_ends(&self) -> &[Far] {
        &self.far
    }

    /// Returns the cables between a switch and other switches.
    pub(super) fn cables(&self, switch: usize) -> &[Cable] {
        &self.cables[self.first_cable[switch]..self.first_cable[switch + 1]]
    }

    /// Returns the port at an index of [`Switches::slot_at`].
    pub(super) fn port_of(&self, fabric: &Fabric, at: usize) -> Port {
        let (switch, slot) = self.switch_and_slot(at);
        Port { node: fabric.switches()[switch], number: slot + 1 }
    }
}

fn leaves(fabric: &Fabric) -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut leaf_of = vec![None; fabric.switches().len()];
    for (h, &host) in fabric.hosts().iter().enumerate() {
        let (port, _) = fabric.peer(fabric.host_port(host)).expect("hosts have a cable");
        if !fabric.is_switch(port.node) {
            continue;
        }
        let switch = fabric.rank(port.node);
        let leaf = *leaf_of[switch].get_or_insert(leaves.len());
        if leaf == leaves.len() {
            leaves.push(Leaf { switch, hosts: Vec::new() });
        }
        leaves[leaf].hosts.push((h, port.number - 1));
    }
    leaves
}

/// The entries of all tables for one block of destinations, copied together because they are far
/// apart in the tables.
pub(super) struct Block {
    /// The ranks of the destinations.
    pub(super) hosts: Range<usize>,
    /// The entries, by switch and index in the block.
    entries: Vec<u16>,
}

impl Block {
    pub(super) fn new(switches: usize) -> Self {
        Block { hosts: 0..0, entries: vec![NO_ROUTE; switches * BLOCK] }
    }

    /// Copies the entries from `start` on, from tables for `hosts` hosts.
    pub(super) fn read(&mut self, table: &Table, hosts: usize, start: usize) {
        self.hosts = start..hosts.min(start + BLOCK);
        match table {
            Table::Bytes(entries) => self.copy(entries, hosts),
            Table::Words(entries) => self.copy(entries, hosts),
        }
    }

    fn copy<E: Copy + Into<u16>>(&mut self, table: &[E], hosts: usize) {
        let rows = table.chunks_exact(hosts);
        for (copy, row) in self.entries.chunks_exact_mut(BLOCK).zip(rows) {
            let row = &row[self.hosts.clone()];
            copy.iter_mut().zip(row).for_each(|(copy, &entry)| *copy = entry.into());
        }
    }

    /// Returns the port by which a switch sends packets to the `place`th destination of the block.
    #[inline]
    pub(super) fn entry(&self, switch: usize, place: usize) -> u16 {
        self.entries[switch * BLOCK + place]
    }
}
