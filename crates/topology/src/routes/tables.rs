//! Whether given forwarding tables bring every packet home.

use super::NO_ROUTE;
use super::switches::{BLOCK, Block, Far, SLOTS, Switches};
use crate::{Fabric, NodeId, Port};

/// Why forwarding tables don't fit a fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoutesError {
    /// Not one entry for each switch and host.
    #[error("{entries} entries for {switches} switches times {hosts} hosts")]
    Size {
        /// The number of entries given.
        entries: usize,
        /// The number of switches of the fabric.
        switches: usize,
        /// The number of hosts of the fabric.
        hosts: usize,
    },
    /// A packet comes to a switch that has no port for it.
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
        port: u8,
    },
    /// Packets arrive at another host, or by a port that the host's traffic doesn't use.
    #[error("packets for host {host:?} arrive at port {port}")]
    WrongHost {
        /// The destination.
        host: String,
        /// Where they arrive.
        port: String,
    },
    /// Packets go round for ever.
    #[error("packets for host {host:?} come back to switch {switch:?}")]
    Loop {
        /// A switch on the loop.
        switch: String,
        /// The destination.
        host: String,
    },
}

/// Follows the packets from every host to every other.
pub(super) fn check(fabric: &Fabric, table: &[u8]) -> Result<(), RoutesError> {
    let (count, hosts) = (fabric.switches().len(), fabric.hosts().len());
    if table.len() != count * hosts {
        return Err(RoutesError::Size { entries: table.len(), switches: count, hosts });
    }
    let switches = Switches::of(fabric);
    let mut block = Block::new(count);
    let mut walks = Walks { fabric, walked_by: vec![0; count], walk: 0 };
    for start in (0..hosts).step_by(BLOCK) {
        block.read(table, hosts, start);
        for dst in block.hosts.clone() {
            walks.all_to(&switches, &block, dst)?;
        }
    }
    Ok(())
}

/// Walks of packets from switch to switch.
struct Walks<'a> {
    fabric: &'a Fabric,
    /// By switch: the walk that came by, so that a second walk can stop there.
    walked_by: Vec<u64>,
    /// The present one. A walk is a pair of source and destination, counted on.
    walk: u64,
}

impl Walks<'_> {
    /// The hosts of one switch are one source. Two hosts on one cable need no switch: of such a
    /// fabric there is nothing to check.
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
            // Otherwise an earlier source got to this destination from here.
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
                let slot = port.checked_sub(1).filter(|&slot| usize::from(slot) < SLOTS);
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
