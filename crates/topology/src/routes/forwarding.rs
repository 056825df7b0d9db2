//! [`Routes`]: the forwarding tables of a fabric, and the paths along them.

use crate::{Fabric, NodeId, Port};

/// The table entry for a host without packets at the switch; a packet for the host would be
/// dropped. The value is that of InfiniBand's linear forwarding tables.
pub const NO_ROUTE: u8 = 255;

/// The forwarding tables of all switches of a fabric.
///
/// Invariant: the route between every two hosts exists, ends at the destination's
/// [`host_port`](Fabric::host_port), and crosses no switch twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    /// The egress port or [`NO_ROUTE`], at index switch rank times hosts plus host rank.
    pub(super) table: Vec<u8>,
    pub(super) hosts: usize,
    /// The rank of each node, so that a lookup needs no fabric.
    ranks: Vec<u32>,
}

impl Routes {
    /// Returns routes with tables that lead every packet to its destination.
    pub(super) fn of(fabric: &Fabric, table: Vec<u8>) -> Routes {
        let ranks = fabric.nodes.iter().map(|n| n.rank).collect();
        Routes { table, hosts: fabric.hosts().len(), ranks }
    }

    /// Returns the port by which `switch` sends packets to `dst_host`, or [`NO_ROUTE`].
    #[inline]
    pub fn out_port(&self, switch: NodeId, dst_host: NodeId) -> u8 {
        let row = self.ranks[switch.index()] as usize * self.hosts;
        self.table[row + self.ranks[dst_host.index()] as usize]
    }

    /// Returns the tables in the form of [`Routes::from_tables`].
    pub fn tables(&self) -> &[u8] {
        &self.table
    }

    /// Returns the egress ports on the path from `src` to `dst`, beginning with the source's. The
    /// path is empty if both are the same host.
    ///
    /// # Panics
    ///
    /// Panics if the routes are of another fabric, or if `src` or `dst` is no host.
    pub fn path(&self, fabric: &Fabric, src: NodeId, dst: NodeId) -> Vec<Port> {
        let mut path = Vec::new();
        let mut node = src;
        while node != dst {
            let egress = if fabric.is_switch(node) {
                Port { node, number: self.out_port(node, dst) }
            } else {
                fabric.host_port(node)
            };
            path.push(egress);
            // A checked table leads to the destination without a loop.
            node = fabric.peer(egress).expect("routes lead over cables").0.node;
        }
        path
    }
}
