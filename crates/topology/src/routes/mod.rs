//! [`Routes`]: the egress port of each switch for each destination, as in the linear forwarding
//! tables (LFT) of InfiniBand switches.

mod credit_loop;
mod equal;
mod farthest;
mod shortest;
mod switches;
mod tables;

pub use credit_loop::credit_loop;
pub use equal::EqualPaths;
pub use farthest::farthest_hosts;
pub use tables::RoutesError;

use crate::{Fabric, NodeId, Port};

/// The table entry for a host whose packets never arrive at the switch and would be dropped. The
/// value is that of InfiniBand's linear forwarding tables.
pub const NO_ROUTE: u8 = 255;

/// The forwarding tables of all switches of a fabric.
///
/// Invariant: the route between every two hosts exists, ends at the destination's
/// [`host_port`](Fabric::host_port), and crosses no switch twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    /// The egress port or [`NO_ROUTE`], at index switch rank times hosts plus host rank.
    table: Vec<u8>,
    hosts: usize,
    /// The rank of each node, so that a lookup needs no fabric.
    ranks: Vec<u32>,
}

impl Routes {
    /// Computes routes with the fewest hops. If several ports are equally near to a destination,
    /// the destinations are spread over them, so that the ports carry equal numbers of host pairs
    /// as far as the topology allows. The minhop engine of OpenSM balances entries instead. In a
    /// fat tree the entries of an upper switch can balance while all destinations that a lower
    /// switch sends to it use one port.
    ///
    /// Destinations are processed by switch, in the order of the first host of each switch, then in
    /// the order of hosts. For each destination every switch selects, among its equally near ports,
    /// the one with the fewest host pairs so far, and of those the lowest. Farther switches select
    /// before nearer ones.
    pub fn shortest(fabric: &Fabric) -> Routes {
        shortest::routes(fabric)
    }

    /// Returns routes with given tables. Index `s * hosts + h` of `table` has the egress port of
    /// switch `s` (its index in [`Fabric::switches`]) for host `h` (its index in
    /// [`Fabric::hosts`]), or [`NO_ROUTE`] if no packet for this host arrives there.
    ///
    /// # Errors
    ///
    /// Returns a [`RoutesError`] if the size is wrong, or a packet would not reach its destination.
    pub fn from_tables(fabric: &Fabric, table: Vec<u8>) -> Result<Routes, RoutesError> {
        tables::check(fabric, &table)?;
        Ok(Routes::of(fabric, table))
    }

    fn of(fabric: &Fabric, table: Vec<u8>) -> Routes {
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
