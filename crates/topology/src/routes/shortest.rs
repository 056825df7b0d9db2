//! Fewest hops, with ties spread over equal ports.

use super::{NO_ROUTE, Routes};
use crate::{Fabric, NodeId, Port};
use std::collections::VecDeque;

/// A switch that the destination can't be reached from.
const FAR: u32 = u32::MAX;

pub(super) fn routes(fabric: &Fabric) -> Routes {
    let hosts = fabric.hosts().len();
    let mut table = vec![NO_ROUTE; fabric.switches().len() * hosts];
    let cables = switch_cables(fabric);
    // By switch rank and port number: how many host pairs leave by that port so far.
    let mut load: Vec<Vec<u64>> =
        fabric.switches().iter().map(|&s| vec![0; usize::from(fabric.port_count(s)) + 1]).collect();
    let own_sources = attached_hosts(fabric);
    let mut tree = Tree::default();
    for (h, &host) in fabric.hosts().iter().enumerate() {
        let (last_hop, _) = fabric.peer(fabric.host_port(host)).expect("hosts have a cable");
        if !fabric.is_switch(last_hop.node) {
            continue; // two hosts on one cable need no table
        }
        let root = fabric.rank(last_hop.node);
        tree.grow(&cables, root);
        // Sources behind a switch are known once all switches farther away have chosen.
        let mut pairs = own_sources.clone();
        pairs[root] -= 1; // a host sends nothing to itself
        for &s in tree.nearest_first.iter().rev() {
            let number = if s == root {
                last_hop.number
            } else {
                let nearer = tree.hops[s] - 1;
                let equal = cables[s].iter().filter(|&&(_, next)| tree.hops[next] == nearer);
                let least =
                    equal.min_by_key(|&&(number, _)| (load[s][usize::from(number)], number));
                let &(number, next) = least.expect("a switch in the tree has a nearer one");
                pairs[next] += pairs[s];
                number
            };
            load[s][usize::from(number)] += pairs[s];
            table[s * hosts + h] = number;
        }
    }
    Routes::of(fabric, table)
}

/// By switch rank: port number and far switch's rank of every cable to another switch, ascending.
fn switch_cables(fabric: &Fabric) -> Vec<Vec<(u8, usize)>> {
    let to_switch = |port: Port| {
        let (peer, _) = fabric.peer(port)?;
        fabric.is_switch(peer.node).then(|| (port.number, fabric.rank(peer.node)))
    };
    let of = |&s: &NodeId| fabric.ports(s).filter_map(to_switch).collect();
    fabric.switches().iter().map(of).collect()
}

/// By switch rank: how many hosts send their traffic into it.
fn attached_hosts(fabric: &Fabric) -> Vec<u64> {
    let mut count = vec![0; fabric.switches().len()];
    for &host in fabric.hosts() {
        let first = fabric.peer(fabric.host_port(host)).map(|(peer, _)| peer.node);
        if let Some(switch) = first.filter(|&n| fabric.is_switch(n)) {
            count[fabric.rank(switch)] += 1;
        }
    }
    count
}

/// Distances between switches, in hops to a root.
#[derive(Default)]
struct Tree {
    root: Option<usize>,
    hops: Vec<u32>,
    nearest_first: Vec<usize>,
}

impl Tree {
    /// Hosts of one switch mostly follow one another, so the tree of the last host is often
    /// that of the next.
    fn grow(&mut self, cables: &[Vec<(u8, usize)>], root: usize) {
        if self.root == Some(root) {
            return;
        }
        self.root = Some(root);
        self.hops.clear();
        self.hops.resize(cables.len(), FAR);
        self.hops[root] = 0;
        self.nearest_first.clear();
        let mut queue = VecDeque::from([root]);
        while let Some(s) = queue.pop_front() {
            self.nearest_first.push(s);
            for &(_, next) in &cables[s] {
                if self.hops[next] == FAR {
                    self.hops[next] = self.hops[s] + 1;
                    queue.push_back(next);
                }
            }
        }
    }
}
