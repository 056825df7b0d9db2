//! [`EqualPaths`]: all shortest paths, of which each flow takes one by its hash.

use super::set;
use super::shortest::Tree;
use super::switches::{Far, Switches};
use crate::Fabric;

/// Equal-cost multipath routing (ECMP) of Ethernet switches. At each switch, all ports that lead
/// nearer to a host are equal, and a hash selects the port of a flow.
#[derive(Debug, Clone)]
pub struct EqualPaths {
    /// The set of slots that lead nearer to a leaf, by leaf (a switch with hosts) and switch.
    nearer: Vec<u64>,
    /// The number of words of a set.
    words: usize,
    /// The switch at the far end, by switch and slot.
    far: Vec<u32>,
    /// The location of each host: its switch, the index of that among the leaves, and its slot.
    hosts: Vec<Location>,
    switches: usize,
    /// The number of slots of every switch.
    slots: usize,
}

#[derive(Debug, Clone, Copy)]
struct Location {
    switch: u32,
    leaf: u32,
    slot: u16,
}

/// The number that stands for no switch.
const NONE: u32 = u32::MAX;

impl EqualPaths {
    /// Computes all shortest paths of a fabric.
    pub fn new(fabric: &Fabric) -> Self {
        let switches = Switches::of(fabric);
        let count = switches.count();
        let mut tree = Tree::new(&switches);
        let words = set::words(switches.slots);
        let mut nearer = Vec::with_capacity(switches.leaves.len() * count * words);
        let mut hosts = vec![Location { switch: NONE, leaf: NONE, slot: 0 }; fabric.hosts().len()];
        for (leaf, number) in switches.leaves.iter().zip(0..) {
            tree.grow(&switches, leaf.switch);
            nearer.extend_from_slice(tree.nearer());
            for &(host, slot) in &leaf.hosts {
                hosts[host] = Location { switch: leaf.switch as u32, leaf: number, slot };
            }
        }
        let far = switches.far_ends().iter().map(|&far| match far {
            Far::Switch(far) => far,
            Far::Host | Far::Nothing => NONE,
        });
        let (far, slots) = (far.collect(), switches.slots);
        EqualPaths { nearer, words, far, hosts, switches: count, slots }
    }

    /// Iterates over the ports (numbered from 1) by which a packet from host `src` to host `dst`
    /// (ranks) leaves the switches on its path. `hash` selects among equal ports. The path is empty
    /// if the two are the same host or joined by one cable.
    pub fn path(&self, src: usize, dst: usize, hash: u64) -> impl Iterator<Item = u16> + '_ {
        let (from, to) = (self.hosts[src], self.hosts[dst]);
        let mut at = if src == dst { NONE } else { from.switch };
        std::iter::from_fn(move || {
            if at == NONE {
                return None;
            }
            if at == to.switch {
                at = NONE;
                return Some(to.slot + 1);
            }
            let first = (to.leaf as usize * self.switches + at as usize) * self.words;
            let equal = &self.nearer[first..first + self.words];
            let slot = set::nth(equal, below(hash, at, set::len(equal)));
            at = self.far[at as usize * self.slots + usize::from(slot)];
            Some(slot + 1)
        })
    }
}

/// Selects one of `n` equal ports of a switch. Every switch hashes differently. Otherwise all
/// switches of one level would select equal ports, and half of the next level's ports would be
/// idle.
fn below(hash: u64, switch: u32, n: u32) -> u32 {
    // The finaliser of SplitMix64.
    let mut z = hash ^ u64::from(switch).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u64::from((z ^ (z >> 31)) as u32) * u64::from(n)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeId, Port, builders};
    use bandwise_units::{BitRate, Time};
    use std::collections::BTreeSet;

    fn walk(fabric: &Fabric, src: usize, ports: &[u16]) -> NodeId {
        let mut port = fabric.host_port(fabric.hosts()[src]);
        let mut at = fabric.peer(port).unwrap().0.node;
        for &number in ports {
            port = Port { node: at, number };
            at = fabric.peer(port).unwrap().0.node;
        }
        at
    }

    #[test]
    fn every_hash_follows_a_shortest_path_and_all_paths_are_used() {
        let fabric = builders::fat_tree(6, BitRate::from_gbps(40), Time::from_us(2)).unwrap();
        let paths = EqualPaths::new(&fabric);
        // Same edge switch, same pod, another pod: 1, 3 and 9 paths over 1, 3 and 5 switches.
        for (dst, hops, ways) in [(1, 1, 1), (4, 3, 3), (53, 5, 9)] {
            let mut seen = BTreeSet::new();
            for hash in 0..500u64 {
                let path: Vec<u16> = paths.path(0, dst, hash).collect();
                assert_eq!(walk(&fabric, 0, &path), fabric.hosts()[dst]);
                assert_eq!(path.len(), hops);
                seen.insert(path);
            }
            assert_eq!(seen.len(), ways);
        }
        assert_eq!(paths.path(3, 3, 0).count(), 0);
    }

    #[test]
    fn a_cable_between_two_hosts_needs_no_switch() {
        let fabric = builders::back_to_back(BitRate::from_gbps(40), Time::from_us(2)).unwrap();
        assert_eq!(EqualPaths::new(&fabric).path(0, 1, 7).count(), 0);
    }

    proptest::proptest! {
        /// Hashes spread flows evenly: each of nine paths has its share within 15%.
        #[test]
        fn hashes_spread(seed in 0u64..1 << 60) {
            let fabric = builders::fat_tree(6, BitRate::from_gbps(40), Time::from_us(2)).unwrap();
            let paths = EqualPaths::new(&fabric);
            let mut count = std::collections::BTreeMap::new();
            for i in 0..9_000u64 {
                let path: Vec<u16> = paths.path(0, 53, seed + i).collect();
                *count.entry(path).or_insert(0) += 1;
            }
            proptest::prop_assert!(count.values().all(|n| (850..1150).contains(n)), "{count:?}");
        }
    }
}
