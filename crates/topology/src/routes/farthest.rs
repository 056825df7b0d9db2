//! The search for the hosts that are farthest apart.

use super::switches::Switches;
use crate::{Fabric, NodeId};

/// The distance of a switch that has not been reached.
const FAR: u32 = u32::MAX;

/// Returns two hosts with the most links between them on shortest paths, or `None` if there is a
/// single host. Of several pairs it returns the one whose second host comes first, and then the one
/// whose first host is at the first switch.
///
/// Hosts at one switch have equal distances, so each distance is computed once for all of them.
/// Routes are not needed; a large fabric has hundreds of millions.
pub fn farthest_hosts(fabric: &Fabric) -> Option<[NodeId; 2]> {
    let hosts = fabric.hosts();
    let switches = Switches::of(fabric);
    if switches.leaves.is_empty() {
        // A cable between two hosts, or a single host.
        return Some([*hosts.get(1)?, hosts[0]]);
    }
    let mut wave = Wave::new(&switches);
    let mut best = (0, None);
    for leaf in &switches.leaves {
        let dst = leaf.hosts[0].0;
        let far = wave.spread(&switches, leaf.switch);
        if best.1.is_none() || far > best.0 {
            let others = switches.leaves.iter().filter(|l| wave.hops[l.switch] == far);
            let first = others.min_by_key(|l| l.switch).expect("a leaf is the last one reached");
            // If both hosts are at one switch, the source is the second host.
            let src = first.hosts.iter().map(|&(h, _)| h).find(|&h| h != dst);
            best = (far, src.map(|src| [hosts[src], hosts[dst]]));
        }
    }
    best.1
}

/// A breadth-first search over switches. Its memory is reused for each root.
struct Wave {
    is_leaf: Vec<bool>,
    hops: Vec<u32>,
    /// The switches that have been reached, nearest first.
    reached: Vec<usize>,
}

impl Wave {
    fn new(switches: &Switches) -> Self {
        let mut is_leaf = vec![false; switches.count()];
        switches.leaves.iter().for_each(|leaf| is_leaf[leaf.switch] = true);
        Wave { is_leaf, hops: vec![FAR; switches.count()], reached: Vec::new() }
    }

    /// Searches until all leaves are reached, and returns the distance of the last one.
    fn spread(&mut self, switches: &Switches, root: usize) -> u32 {
        self.hops.fill(FAR);
        self.hops[root] = 0;
        self.reached.clear();
        self.reached.push(root);
        let (mut done, mut far, mut leaves) = (0, 0, switches.leaves.len() - 1);
        while leaves > 0 {
            let near = self.reached[done];
            done += 1;
            let beyond = self.hops[near] + 1;
            for cable in switches.cables(near) {
                let next = cable.far as usize;
                if self.hops[next] == FAR {
                    self.hops[next] = beyond;
                    self.reached.push(next);
                    if self.is_leaf[next] {
                        (far, leaves) = (beyond, leaves - 1);
                    }
                }
            }
        }
        far
    }
}
