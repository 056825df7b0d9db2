//! Verification that forwarding tables lead every packet to its destination.

use super::forwarding::{NO_ROUTE, Routes, Table};
use super::switches::{BLOCK, Block, Far, Switches};
use crate::{Fabric, NodeId, Port};

/// The reasons for which forwarding tables do not fit a fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoutesError {
    /// A number of entries other than switches times hosts.
    #[error("{entries} entries for {switches} switches times {hosts} hosts")]
    Size {
        /// The number of entries.
        entries: usize,
        /// The number of switches of the fabric.
        switches: usize,
        /// The number of hosts of the fabric.
        hosts: usize,
    },
    /// A switch without a port for a packet that arrives there.
    #[error("switch {switch:?} gets packets for host {host:?} and has no route to it")]
    NoRoute {
        /// The switch.
        switch: String,
        /// The destination.
        host: String,
    },
    /// An entry names a port without a cable.
    #[error("switch {switch:?} sends packets for host {host:?} to port {port}, where no cable is")]
    NoCable {
        /// The switch.
        switch: String,
        /// The destination.
        host: String,
        /// The port.
        port: u16,
    },
    /// Packets that arrive at another host, or at a port that the host's traffic does not use.
    #[error("packets for host {host:?} arrive at port {port}")]
    WrongHost {
        /// The destination.
        host: String,
        /// The port at which they arrive.
        port: String,
    },
    /// A forwarding loop.
    #[error("packets for host {host:?} come back to switch {switch:?}")]
    Loop {
        /// A switch on the loop.
        switch: String,
        /// The destination.
        host: String,
    },
}

/// Follows the packets from every host to every other one, and returns the routes.
pub(super) fn routes(fabric: &Fabric, table: Vec<u16>) -> Result<Routes, RoutesError> {
    let (count, hosts) = (fabric.switches().len(), fabric.hosts().len());
    if table.len() != count * hosts {
        return Err(RoutesError::Size { entries: table.len(), switches: count, hosts });
    }
    let switches = Switches::of(fabric);
    let table = Table::Words(table);
    let mut block = Block::new(count);
    let mut walks = Walks { fabric, walked_by: vec![0; count], walk: 0 };
    for start in (0..hosts).step_by(BLOCK) {
        block.read(&table, hosts, start);
        for dst in block.hosts.clone() {
            walks.all_to(&switches, &block, dst)?;
        }
    }
    Ok(Routes::of(fabric, table.narrowed(switches.slots)))
}

/// The paths of packets from switch to switch.
struct Walks<'a> {
    fabric: &'a Fabric,
    /// The last walk that crossed each switch. Another walk to this destination stops there.
    walked_by: Vec<u64>,
    /// The number of the current walk, which is a pair of source and destination.
    walk: u64,
}

impl Walks<'_> {
    /// Follows the packets of all hosts to `dst`. Hosts of one switch are one source. Two hosts on
    /// one cable need no table.
    fn all_to(
        &mut self,
        switches: &Switches,
        block: &Block,
        dst: usize,
    ) -> Result<(), RoutesError> {
        let fabric = self.fabric;
        let host = fabric.hosts()[dst];
        let name = |id: NodeId| fabric.node(id).name.clone();
        let first_walk = self.walk + 1;
        for leaf in switches.leaves.iter().filter(|l| l.hosts.iter().any(|&(h, _)| h != dst)) {
            self.walk += 1;
            let mut s = leaf.switch;
            // A switch that an earlier walk to this destination has crossed leads there.
            while !(first_walk..self.walk).contains(&self.walked_by[s]) {
                let node = fabric.switches()[s];
                if self.walked_by[s] == self.walk {
                    return Err(RoutesError::Loop { switch: name(node), host: name(host) });
                }
                self.walked_by[s] = self.walk;
                let port = block.entry(s, dst - block.hosts.start);
                if port == NO_ROUTE {
                    return Err(RoutesError::NoRoute { switch: name(node), host: name(host) });
                }
                let slot = port.checked_sub(1).filter(|&slot| usize::from(slot) < switches.slots);
                match slot.map_or(Far::Nothing, |slot| switches.far(s, slot)) {
                    Far::Switch(next) => s = next as usize,
                    Far::Nothing => {
                        let (switch, host) = (name(node), name(host));
                        return Err(RoutesError::NoCable { switch, host, port });
                    }
                    Far::Host => {
                        let egress = Port { node, number: port };
                        let (arrival, _) = fabric.peer(egress).expect("a host is there");
                        if arrival != fabric.host_port(host) {
                            let port = fabric.describe(arrival);
                            return Err(RoutesError::WrongHost { host: name(host), port });
                        }
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}
