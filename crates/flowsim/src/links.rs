//! [`Links`]: the output ports of a fabric as the directed links of a network.

use crate::Network;
use bandwise_topology::{Fabric, NodeId, Port, Routes};
use bandwise_units::BitRate;

/// The mapping of ports to links.
#[derive(Debug, Clone)]
pub struct Links {
    ports: Vec<Port>,
    /// The links of each node's ports, by port number; `NONE` for a port without a cable.
    of_node: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;

impl Links {
    /// Returns the links of a fabric: one out of each port with a cable, in order of nodes and
    /// ports.
    pub fn new(fabric: &Fabric) -> Links {
        let mut links = Links { ports: Vec::new(), of_node: Vec::new() };
        for node in (0..fabric.nodes().len() as u32).map(NodeId) {
            let mut of_node = vec![NONE; usize::from(fabric.port_count(node)) + 1];
            for port in fabric.ports(node).filter(|&port| fabric.peer(port).is_some()) {
                of_node[usize::from(port.number)] = links.ports.len() as u32;
                links.ports.push(port);
            }
            links.of_node.push(of_node);
        }
        links
    }

    /// Returns the port of each link.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Returns a network of these links, with the fraction `part` (above 0, up to 1) of their
    /// rates.
    ///
    /// # Panics
    ///
    /// Panics if the links belong to another fabric.
    pub fn network(&self, fabric: &Fabric, part: f64) -> Network {
        let of_part = |rate: BitRate| match part {
            1.0 => rate,
            // Every link keeps a rate of at least 1 bit per second.
            _ => BitRate::from_bps(((rate.as_bps() as f64 * part) as u64).max(1)),
        };
        let rate = |&port: &Port| of_part(fabric.peer(port).expect("it has a cable").1.rate);
        Network::new(self.ports.iter().map(rate)).expect("links have rates that can be counted")
    }

    /// Returns the links from one host to another, by rank.
    pub fn path(&self, fabric: &Fabric, routes: &Routes, from: u32, to: u32) -> Vec<u32> {
        let host = |rank: u32| fabric.hosts()[rank as usize];
        let link = |port: Port| self.of_node[port.node.index()][usize::from(port.number)];
        routes.path(fabric, host(from), host(to)).into_iter().map(link).collect()
    }
}
