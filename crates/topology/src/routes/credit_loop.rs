//! Detection of credit loops: cycles of channels that wait for one another.
//!
//! W. J. Dally and C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection
//! Networks", IEEE Transactions on Computers C-36(5), 1987: with lossless links, a routing is free
//! of deadlock if and only if its channel dependency graph has no cycle. A channel is one direction
//! of a cable, named here by the port that sends into it. It depends on the next channel of some
//! packet, because it returns credit only when that channel has room.

use super::forwarding::Routes;
use super::set;
use super::switches::{BLOCK, Block, Far, Switches};
use crate::{Fabric, Port};
use std::collections::VecDeque;

/// Returns the egress ports of one cycle of the channel dependency graph over all pairs of hosts,
/// or `None` if there is no cycle. Each port waits for credit of the next, and the last for the
/// first.
///
/// A lossless network with a cycle can deadlock, unless packets change their virtual lane on it.
pub fn credit_loop(fabric: &Fabric, routes: &Routes) -> Option<Vec<Port>> {
    let switches = Switches::of(fabric);
    let cycle = Dependencies::of_all_pairs(&switches, routes).cycle(&switches)?;
    Some(cycle.into_iter().map(|channel| switches.port_of(fabric, channel)).collect())
}

/// The channel dependency graph. Channels are numbered by [`Switches::slot_at`]. Channels out of
/// hosts are omitted: no channel waits for them, so they are on no cycle.
struct Dependencies {
    /// The set of slots by which packets of each channel leave the switch at its far end.
    next: Vec<u64>,
    /// The number of words of a set.
    words: usize,
}

impl Dependencies {
    fn of_all_pairs(switches: &Switches, routes: &Routes) -> Self {
        let words = set::words(switches.slots);
        let next = vec![0; switches.count() * switches.slots * words];
        let mut graph = Dependencies { next, words };
        let mut block = Block::new(switches.count());
        let mut arrivals = Arrivals::new(switches.count());
        for start in (0..routes.hosts).step_by(BLOCK) {
            block.read(&routes.table, routes.hosts, start);
            graph.add(switches, &block, &mut arrivals);
        }
        graph
    }

    /// Follows the packets of all sources to a block of destinations. All packets to one
    /// destination follow one path from a switch on, so each switch is followed once.
    fn add(&mut self, switches: &Switches, block: &Block, arrivals: &mut Arrivals) {
        arrivals.clear();
        for leaf in &switches.leaves {
            let mut all = u64::MAX >> (BLOCK - block.hosts.len());
            if let [(alone, _)] = leaf.hosts[..]
                && block.hosts.contains(&alone)
            {
                all &= !(1 << (alone - block.hosts.start)); // a host sends nothing to itself
            }
            arrivals.arrive(leaf.switch, all);
        }
        while let Some((s, mut fresh)) = arrivals.next() {
            while fresh != 0 {
                let place = fresh.trailing_zeros() as usize;
                fresh &= fresh - 1; // take the lowest one off
                let slot = block.entry(s, place) - 1;
                if let Far::Switch(next) = switches.far(s, slot) {
                    let onward = block.entry(next as usize, place) - 1;
                    set::insert(self.next_of(switches.slot_at(s, slot)), onward);
                    arrivals.arrive(next as usize, 1 << place);
                }
            }
        }
    }

    fn next_of(&mut self, channel: usize) -> &mut [u64] {
        &mut self.next[channel * self.words..][..self.words]
    }

    /// Searches depth first. A channel that occurs on the current path again closes a cycle.
    fn cycle(mut self, switches: &Switches) -> Option<Vec<usize>> {
        let channels = switches.count() * switches.slots;
        let mut done = vec![false; channels];
        let mut depth = vec![None; channels];
        let mut path = Vec::new();
        for start in 0..channels {
            if !done[start] {
                depth[start] = Some(0);
                path.push(start);
            }
            while let Some(&channel) = path.last() {
                let Some(slot) = set::take_lowest(self.next_of(channel)) else {
                    done[channel] = true;
                    depth[channel] = None;
                    path.pop();
                    continue;
                };
                let (switch, egress) = switches.switch_and_slot(channel);
                let Far::Switch(far) = switches.far(switch, egress) else {
                    unreachable!("only packets at switches wait");
                };
                let onward = switches.slot_at(far as usize, slot);
                if let Some(from) = depth[onward] {
                    return Some(path.split_off(from));
                }
                if !done[onward] {
                    depth[onward] = Some(path.len());
                    path.push(onward);
                }
            }
        }
        None
    }
}

/// The packets that have arrived at each switch. A packet is the index of its destination in a
/// block; sets of packets are masks.
struct Arrivals {
    /// All packets that have arrived, by switch.
    seen: Vec<u64>,
    /// The packets that have not been forwarded, by switch.
    fresh: Vec<u64>,
    /// The switches with packets to forward.
    queue: VecDeque<usize>,
}

impl Arrivals {
    fn new(switches: usize) -> Self {
        Arrivals { seen: vec![0; switches], fresh: vec![0; switches], queue: VecDeque::new() }
    }

    /// Clears all arrivals. The caller has forwarded all packets.
    fn clear(&mut self) {
        self.seen.fill(0);
    }

    fn arrive(&mut self, switch: usize, packets: u64) {
        let fresh = packets & !self.seen[switch];
        if fresh != 0 {
            if self.fresh[switch] == 0 {
                self.queue.push_back(switch);
            }
            self.seen[switch] |= fresh;
            self.fresh[switch] |= fresh;
        }
    }

    fn next(&mut self) -> Option<(usize, u64)> {
        let switch = self.queue.pop_front()?;
        Some((switch, std::mem::take(&mut self.fresh[switch])))
    }
}
