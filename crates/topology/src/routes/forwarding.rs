//! [`Routes`]: the forwarding tables of a fabric, and the paths along them.

use crate::{Fabric, NodeId, Port};

/// The table entry for a host without packets at the switch; a packet for the host would be
/// dropped. Ports are numbered from 1.
pub const NO_ROUTE: u16 = 0;

/// The forwarding tables of all switches of a fabric.
///
/// Invariant: the route between every two hosts exists, ends at the destination's
/// [`host_port`](Fabric::host_port), and crosses no switch twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    pub(super) table: Table,
    pub(super) hosts: usize,
    /// The rank of each node, so that a lookup needs no fabric.
    ranks: Vec<u32>,
}

/// The egress port or [`NO_ROUTE`], at index switch rank times hosts plus host rank. An entry has
/// one byte if all port numbers of the fabric have: a large fabric has hundreds of millions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Table {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

/// An entry of a table.
pub(super) trait Entry: Copy + Into<u16> {
    /// Returns the entry for a port number that is in range.
    fn of(port: u16) -> Self;
}

impl Entry for u8 {
    #[inline]
    fn of(port: u16) -> u8 {
        debug_assert!(port <= u8::MAX.into(), "{port} in a table of bytes");
        port as u8
    }
}

impl Entry for u16 {
    #[inline]
    fn of(port: u16) -> u16 {
        port
    }
}

impl Routes {
    /// Returns routes with tables that lead every packet to its destination.
    pub(super) fn of(fabric: &Fabric, table: Table) -> Routes {
        let ranks = fabric.nodes.iter().map(|n| n.rank).collect();
        Routes { table, hosts: fabric.hosts().len(), ranks }
    }

    /// Returns the port by which `switch` sends packets to `dst_host`, or [`NO_ROUTE`].
    #[inline]
    pub fn out_port(&self, switch: NodeId, dst_host: NodeId) -> u16 {
        let row = self.ranks[switch.index()] as usize * self.hosts;
        self.table.get(row + self.ranks[dst_host.index()] as usize)
    }

    /// Iterates over the tables in the form of [`Routes::from_tables`].
    pub fn tables(&self) -> impl Iterator<Item = u16> + '_ {
        (0..self.table.len()).map(|index| self.table.get(index))
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

impl Table {
    /// Returns whether the ports of a fabric whose largest switch has `ports` fit into bytes.
    pub(super) fn fits_bytes(ports: usize) -> bool {
        ports <= usize::from(u8::MAX)
    }

    /// Returns the table with the smallest entries for switches of up to `ports` ports. An entry for
    /// a switch without packets for a host may name no port of it.
    pub(super) fn narrowed(self, ports: usize) -> Table {
        match self {
            Table::Words(entries) if Table::fits_bytes(ports) => Table::Bytes(
                entries
                    .into_iter()
                    .map(|port| u8::try_from(port).unwrap_or(NO_ROUTE as u8))
                    .collect(),
            ),
            table => table,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Table::Bytes(entries) => entries.len(),
            Table::Words(entries) => entries.len(),
        }
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> u16 {
        match self {
            Table::Bytes(entries) => entries[index].into(),
            Table::Words(entries) => entries[index],
        }
    }
}
