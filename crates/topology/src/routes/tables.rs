//! Whether given forwarding tables bring every packet home.

use super::NO_ROUTE;
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
    let (switches, hosts) = (fabric.switches().len(), fabric.hosts().len());
    if table.len() != switches * hosts {
        return Err(RoutesError::Size { entries: table.len(), switches, hosts });
    }
    let name = |id: NodeId| fabric.node(id).name.clone();
    // By switch rank: the walk that came by, so that a second walk can stop there. A walk is
    // a pair of source and destination, counted on.
    let mut walked_by = vec![0u64; switches];
    let mut walk = 0u64;
    for (h, &dst) in fabric.hosts().iter().enumerate() {
        let first_walk = walk + 1;
        for &src in fabric.hosts().iter().filter(|&&src| src != dst) {
            walk += 1;
            let mut egress = fabric.host_port(src);
            while let Some((arrival, _)) = fabric.peer(egress) {
                let node = arrival.node;
                if !fabric.is_switch(node) {
                    if arrival == fabric.host_port(dst) {
                        break;
                    }
                    let port = fabric.describe(arrival);
                    return Err(RoutesError::WrongHost { host: name(dst), port });
                }
                let s = fabric.rank(node);
                if walked_by[s] == walk {
                    return Err(RoutesError::Loop { switch: name(node), host: name(dst) });
                }
                if walked_by[s] >= first_walk {
                    break; // an earlier source got to this destination from here
                }
                walked_by[s] = walk;
                let port = table[s * hosts + h];
                if port == NO_ROUTE {
                    return Err(RoutesError::NoRoute { switch: name(node), host: name(dst) });
                }
                egress = Port { node, number: port };
                if fabric.peer(egress).is_none() {
                    let (switch, host) = (name(node), name(dst));
                    return Err(RoutesError::NoCable { switch, host, port });
                }
            }
        }
    }
    Ok(())
}
