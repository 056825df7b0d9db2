//! Credit loops: channels that can all wait for one another.
//!
//! W. J. Dally and C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection
//! Networks", IEEE Transactions on Computers C-36(5), 1987: with lossless links, a routing is free
//! of deadlock if and only if its channel dependency graph has no cycle. A channel is one
//! direction of a cable, named here by the port that sends into it; it depends on the channel
//! that some packet takes next, because it gives its credit back only when that one has room.

use super::Routes;
use crate::{Fabric, NodeId, Port};

/// The egress ports of one cycle of the channel dependency graph over all pairs of hosts, each
/// waiting for credit of the next and the last for the first; none where there is no cycle.
///
/// A cycle means that a lossless network can deadlock, unless the virtual lanes change on it.
pub fn credit_loop(fabric: &Fabric, routes: &Routes) -> Option<Vec<Port>> {
    Dependencies::of_all_pairs(fabric, routes).cycle(fabric)
}

/// What each channel waits for. The channels out of hosts are left out: nothing waits for
/// them, so they are on no cycle.
struct Dependencies {
    /// By node number: the first of its channels; channel of port `p` is `p - 1` after it.
    first: Vec<usize>,
    /// By channel: the ports of the switch at its far end that its packets leave by, as a mask.
    /// Ports go to [`MAX_PORTS`](crate::MAX_PORTS), which is what a mask holds.
    next: Vec<u64>,
    /// By channel: the port that sends into it.
    ports: Vec<Port>,
}

impl Dependencies {
    fn of_all_pairs(fabric: &Fabric, routes: &Routes) -> Self {
        let mut ports = Vec::new();
        let mut first = Vec::new();
        for node in (0..fabric.nodes().len() as u32).map(NodeId) {
            first.push(ports.len());
            ports.extend((1..=fabric.port_count(node)).map(|number| Port { node, number }));
        }
        let mut graph = Dependencies { first, next: vec![0; ports.len()], ports };
        // By node number: the last destination whose route through it has been entered.
        let mut entered = vec![None; fabric.nodes().len()];
        for &dst in fabric.hosts() {
            for &src in fabric.hosts().iter().filter(|&&src| src != dst) {
                let arrival = fabric.peer(fabric.host_port(src)).map(|(p, _)| p.node);
                let Some(mut switch) = arrival.filter(|&n| fabric.is_switch(n)) else { continue };
                while entered[switch.index()] != Some(dst) {
                    entered[switch.index()] = Some(dst);
                    let egress = Port { node: switch, number: routes.out_port(switch, dst) };
                    let Some((peer, _)) = fabric.peer(egress) else { break };
                    if !fabric.is_switch(peer.node) {
                        break;
                    }
                    let channel = graph.channel(egress);
                    graph.next[channel] |= 1 << (routes.out_port(peer.node, dst) - 1);
                    switch = peer.node;
                }
            }
        }
        graph
    }

    fn channel(&self, port: Port) -> usize {
        self.first[port.node.index()] + usize::from(port.number) - 1
    }

    /// Depth first; a channel that is met again while it is on the path closes a cycle.
    fn cycle(mut self, fabric: &Fabric) -> Option<Vec<Port>> {
        let mut done = vec![false; self.ports.len()];
        let mut depth = vec![None; self.ports.len()];
        for start in 0..self.ports.len() {
            let mut path = Vec::new();
            if !done[start] {
                depth[start] = Some(0);
                path.push(start);
            }
            while let Some(&channel) = path.last() {
                let waits_for = self.next[channel];
                if waits_for == 0 {
                    done[channel] = true;
                    depth[channel] = None;
                    path.pop();
                    continue;
                }
                self.next[channel] &= waits_for - 1; // take the lowest port off
                let number = waits_for.trailing_zeros() as u8 + 1;
                let node = fabric.peer(self.ports[channel]).expect("routes use cables").0.node;
                let onward = self.channel(Port { node, number });
                if let Some(from) = depth[onward] {
                    return Some(path[from..].iter().map(|&c| self.ports[c]).collect());
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
