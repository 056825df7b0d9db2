//! [`Links`]: the output ports of a fabric as the directed links of a network.

use crate::Network;
use bandwise_topology::{Fabric, NodeId, Port, Routes};
use bandwise_units::BitRate;

/// Which port is which link.
#[derive(Debug, Clone)]
pub struct Links {
    ports: Vec<Port>,
    /// By node: the links of its ports, by port number; `NONE` for a port without a cable.
    of_node: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;

impl Links {
    /// The links of a fabric: one out of each port with a cable, in order of nodes and ports.
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

    /// The port of each link.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The same as a network, of links with that part of their rates: above 0, up to 1.
    pub fn network(&self, fabric: &Fabric, part: f64) -> Network {
        let of_part = |rate: BitRate| match part {
            1.0 => rate,
            // No link is so slow that nothing is left.
            _ => BitRate::from_bps(((rate.as_bps() as f64 * part) as u64).max(1)),
        };
        let rate = |&port: &Port| of_part(fabric.peer(port).expect("it has a cable").1.rate);
        Network::new(self.ports.iter().map(rate)).expect("links have rates that can be counted")
    }

    /// The links from one host to another, by rank.
    pub fn path(&self, fabric: &Fabric, routes: &Routes, from: u32, to: u32) -> Vec<u32> {
        let host = |rank: u32| fabric.hosts()[rank as usize];
        let link = |port: Port| self.of_node[port.node.index()][usize::from(port.number)];
        routes.path(fabric, host(from), host(to)).into_iter().map(link).collect()
    }
}
