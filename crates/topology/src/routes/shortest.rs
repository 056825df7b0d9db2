//! Routes with the fewest hops, with ties spread over equal ports.
//!
//! Hosts at one switch have equal distances, so distances and equal ports are computed once for all
//! of them. Only the choice among equal ports is made by host.

use super::forwarding::{Entry, NO_ROUTE, Routes, Table};
use super::set;
use super::switches::{Far, Leaf, Switches};
use crate::{Fabric, MAX_PORTS};
use std::collections::VecDeque;

/// The distance of a switch that does not reach the destination.
const FAR: u32 = u32::MAX;

pub(super) fn routes(fabric: &Fabric) -> Routes {
    let hosts = fabric.hosts().len();
    let switches = Switches::of(fabric);
    let table = match Table::fits_bytes(switches.slots) {
        true => Table::Bytes(table(&switches, hosts)),
        false => Table::Words(table(&switches, hosts)),
    };
    Routes::of(fabric, table)
}

/// Returns the egress port by switch and destination.
fn table<E: Entry>(switches: &Switches, hosts: usize) -> Vec<E> {
    let mut table = vec![E::of(NO_ROUTE); switches.count() * hosts];
    let spread = |_| Spread::new(switches.slots);
    let mut spreads: Vec<Spread> = (0..switches.count()).map(spread).collect();
    let mut tree = Tree::new(switches);
    let mut pairs = Pairs::default();
    for leaf in &switches.leaves {
        let root = leaf.switch;
        tree.grow(switches, root);
        pairs.at_the_sources(switches, leaf);
        // The number of sources behind a switch is known once all farther switches have chosen.
        for &s in tree.nearest_first[1..].iter().rev() {
            let row = &mut table[s * hosts..][..hosts];
            let nearer = tree.nearer_of(s);
            if let Some(slot) = set::only(nearer) {
                let carried = pairs.forward_all(s, far(switches, s, slot));
                spreads[s].count(slot, carried);
                leaf.hosts.iter().for_each(|&(h, _)| row[h] = E::of(slot + 1));
            } else {
                let spread = &mut spreads[s];
                spread.choose_from(nearer);
                for (i, &(h, _)) in leaf.hosts.iter().enumerate() {
                    let slot = spread.choose(pairs.at(s, i));
                    pairs.forward(s, far(switches, s, slot), i);
                    row[h] = E::of(slot + 1);
                }
            }
        }
        for &(h, slot) in &leaf.hosts {
            table[root * hosts + h] = E::of(slot + 1);
        }
    }
    table
}

/// Returns the switch behind a slot of the tree.
fn far(switches: &Switches, switch: usize, slot: u16) -> usize {
    match switches.far(switch, slot) {
        Far::Switch(next) => next as usize,
        Far::Host | Far::Nothing => unreachable!("trees are of cables between switches"),
    }
}

/// Distances of switches to a root, in hops.
pub(super) struct Tree {
    hops: Vec<u32>,
    /// The set of slots that lead nearer to the root, by switch.
    nearer: Vec<u64>,
    /// The number of words of a set.
    words: usize,
    /// The switches that reach the root, nearest first. The first one is the root.
    nearest_first: Vec<usize>,
}

impl Tree {
    pub(super) fn new(switches: &Switches) -> Self {
        let (count, words) = (switches.count(), set::words(switches.slots));
        let (hops, nearer) = (vec![FAR; count], vec![0; count * words]);
        Tree { hops, nearer, words, nearest_first: Vec::with_capacity(count) }
    }

    /// Returns the set of slots that lead nearer to the root, for each switch in turn.
    pub(super) fn nearer(&self) -> &[u64] {
        &self.nearer
    }

    fn nearer_of(&self, switch: usize) -> &[u64] {
        &self.nearer[switch * self.words..][..self.words]
    }

    pub(super) fn grow(&mut self, switches: &Switches, root: usize) {
        self.hops.fill(FAR);
        self.nearer.fill(0);
        self.nearest_first.clear();
        self.nearest_first.push(root);
        self.hops[root] = 0;
        let mut done = 0;
        while let Some(&s) = self.nearest_first.get(done) {
            done += 1;
            let beyond = self.hops[s] + 1;
            for cable in switches.cables(s) {
                let next = cable.far as usize;
                if self.hops[next] == FAR {
                    self.hops[next] = beyond;
                    self.nearest_first.push(next);
                }
                if self.hops[next] == beyond {
                    set::insert(
                        &mut self.nearer[next * self.words..][..self.words],
                        cable.far_slot,
                    );
                }
            }
        }
    }
}

/// The number of sources with packets that cross a switch, for each host of one leaf.
#[derive(Default)]
struct Pairs {
    /// The number of sources, by switch and index of the leaf's host.
    count: Vec<u32>,
    hosts: usize,
}

impl Pairs {
    /// Places all packets at the switches of their sources.
    fn at_the_sources(&mut self, switches: &Switches, leaf: &Leaf) {
        self.hosts = leaf.hosts.len();
        self.count.clear();
        self.count.resize(switches.count() * self.hosts, 0);
        for Leaf { switch, hosts } in &switches.leaves {
            self.count[switch * self.hosts..][..self.hosts].fill(hosts.len() as u32);
        }
    }

    fn at(&self, switch: usize, i: usize) -> u32 {
        self.count[switch * self.hosts + i]
    }

    /// Adds the packets of `switch` for the `i`th host to those of `next`.
    fn forward(&mut self, switch: usize, next: usize, i: usize) {
        self.count[next * self.hosts + i] += self.at(switch, i);
    }

    /// Forwards the packets for all hosts, and returns the number of pairs.
    fn forward_all(&mut self, switch: usize, next: usize) -> u64 {
        let mut sum = 0;
        for i in 0..self.hosts {
            self.forward(switch, next, i);
            sum += u64::from(self.at(switch, i));
        }
        sum
    }
}

/// The number that a slot of any fabric is less than. A power of two: no division is needed.
const SLOTS: u64 = MAX_PORTS.next_power_of_two() as u64;

/// The number of host pairs by egress slot of a switch.
struct Spread {
    /// The pairs times [`SLOTS`] plus the slot, by slot. The least key belongs to the lowest of the
    /// slots with the fewest pairs.
    keys: Vec<u64>,
    /// The set of slots of the last choice, while `queue` is valid for them.
    ports: Vec<u64>,
    /// The keys of those slots, ascending. In a regular topology the chosen slot becomes the last
    /// one.
    queue: VecDeque<u64>,
}

impl Spread {
    fn new(slots: usize) -> Self {
        let (keys, ports) = ((0..slots as u64).collect(), vec![0; set::words(slots)]);
        Spread { keys, ports, queue: VecDeque::new() }
    }

    /// Counts pairs that have a single egress slot.
    fn count(&mut self, slot: u16, pairs: u64) {
        self.keys[usize::from(slot)] += pairs * SLOTS;
        if set::contains(&self.ports, slot) {
            self.ports.fill(0);
        }
    }

    /// Prepares a choice among these slots, of which there is at least one.
    fn choose_from(&mut self, ports: &[u64]) {
        if self.ports != ports {
            self.ports.copy_from_slice(ports);
            self.queue.clear();
            self.queue.extend(set::iter(ports).map(|slot| self.keys[usize::from(slot)]));
            self.queue.make_contiguous().sort_unstable();
        }
    }

    /// Returns the slot with the fewest pairs, and adds these pairs to it.
    fn choose(&mut self, pairs: u32) -> u16 {
        let least = *self.queue.front().expect("a switch in the tree has a nearer one");
        let slot = least % SLOTS;
        if pairs > 0 {
            let key = least + u64::from(pairs) * SLOTS;
            self.keys[slot as usize] = key;
            self.queue.pop_front();
            if self.queue.back().is_none_or(|&last| last < key) {
                self.queue.push_back(key);
            } else {
                self.queue.insert(self.queue.partition_point(|&k| k < key), key);
            }
        }
        slot as u16
    }
}
