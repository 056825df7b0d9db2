//! [`Routes`]: which port each switch sends a packet out of, by destination, as the linear
//! forwarding tables of InfiniBand switches say it.

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

/// In a forwarding table: packets for that host don't come here and would be dropped. The value
/// that InfiniBand's linear forwarding tables use.
pub const NO_ROUTE: u8 = 255;

/// The forwarding tables of all switches of one fabric.
///
/// Always true: the route between every two hosts exists, ends at the destination's
/// [`host_port`](Fabric::host_port), and crosses no switch twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    /// By switch rank times hosts plus host rank: the port to leave by, or [`NO_ROUTE`].
    table: Vec<u8>,
    hosts: usize,
    /// By node number: its rank, so that a look-up needs no fabric.
    ranks: Vec<u32>,
}

impl Routes {
    /// Routes of fewest hops. Where several ports are equally near a destination, the
    /// destinations are spread over them, so that the ports carry the same number of host pairs
    /// as far as the shape allows; as the minhop engine of OpenSM does, but counting the
    /// pairs that come by instead of the entries, because in a fat tree the entries of an upper
    /// switch balance while the destinations that the lower one sends it all fall on one port.
    ///
    /// The rule: the destinations are gone through switch by switch, the switches in the order
    /// of the first host at each, the hosts of one switch in their order. For each destination
    /// every switch takes, of its equally near ports, the one that the fewest host pairs leave
    /// by so far, and of those the lowest; farther switches take theirs before nearer ones.
    pub fn shortest(fabric: &Fabric) -> Routes {
        shortest::routes(fabric)
    }

    /// Routes by given tables: the flat array in which switch `s` (its place in
    /// [`Fabric::switches`]) has for host `h` (its place in [`Fabric::hosts`]) the port to leave
    /// by at `s * hosts + h`, or [`NO_ROUTE`] where no packet for that host arrives.
    pub fn from_tables(fabric: &Fabric, table: Vec<u8>) -> Result<Routes, RoutesError> {
        tables::check(fabric, &table)?;
        Ok(Routes::of(fabric, table))
    }

    fn of(fabric: &Fabric, table: Vec<u8>) -> Routes {
        let ranks = fabric.nodes.iter().map(|n| n.rank).collect();
        Routes { table, hosts: fabric.hosts().len(), ranks }
    }

    /// The port by which `switch` sends packets for `dst_host`, or [`NO_ROUTE`].
    #[inline]
    pub fn out_port(&self, switch: NodeId, dst_host: NodeId) -> u8 {
        let row = self.ranks[switch.index()] as usize * self.hosts;
        self.table[row + self.ranks[dst_host.index()] as usize]
    }

    /// The tables as [`Routes::from_tables`] takes them.
    pub fn tables(&self) -> &[u8] {
        &self.table
    }

    /// The ports by which a packet from `src` to `dst` leaves the nodes on its way, the first one
    /// being the source's; empty where they are the same host.
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
