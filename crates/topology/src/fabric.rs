//! [`Fabric`]: nodes, ports and cables, and queries on them.

use crate::FabricError;
use bandwise_units::{BitRate, Time};
use std::collections::BTreeMap;

/// The maximum number of ports of a node: an Ethernet switch of 51.2 Tbps has 512 ports of 100 Gbps.
/// A node of an InfiniBand fabric has at most [`infiniband::MAX_PORTS`](crate::infiniband::MAX_PORTS).
pub const MAX_PORTS: u16 = 512;

/// The maximum number of nodes: an InfiniBand subnet has 16-bit local identifiers (LIDs).
pub const MAX_NODES: usize = 65_000;

/// The lowest rate of a link. A packet takes some milliseconds at this rate.
pub const SLOWEST_LINK: BitRate = BitRate::from_bps(10_000_000);

/// The highest one-way delay of a link: more than to a geostationary satellite and back.
pub const LONGEST_DELAY: Time = Time::from_ms(1_000);

/// The number of a node: its index in [`Fabric::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Returns the index in [`Fabric::nodes`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The role of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// An end point: it sends and receives, and never forwards. Channel adapters and routers are
    /// hosts.
    Host,
    /// A node that forwards packets between its ports.
    Switch,
}

/// A port of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// The node of the port.
    pub node: NodeId,
    /// The port's number, counted from 1 as in InfiniBand (port 0 is the switch itself).
    pub number: u16,
}

/// A host or a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The name: unique in the fabric, not empty, without control characters, U+FFFD and
    /// surrounding space.
    pub name: String,
    /// The kind: host or switch.
    pub kind: NodeKind,
    /// The position among the hosts, or among the switches.
    pub(crate) rank: u32,
    /// The index of the cable in each port, by port number less one.
    pub(crate) cables: Vec<Option<u32>>,
    /// The port that a host's traffic uses, if it is not the lowest connected one.
    pub(crate) traffic: Option<u16>,
    /// The PCI device ID of the adapter or switch, such as 0x101b, where the file states it.
    pub device: Option<u16>,
}

/// A full-duplex cable between two ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Both ends, the lower port first.
    pub ends: [Port; 2],
    /// The rate in each direction, after line coding; at least [`SLOWEST_LINK`].
    pub rate: BitRate,
    /// The one-way propagation delay, at most [`LONGEST_DELAY`].
    pub delay: Time,
}

/// Hosts, switches and the cables between them.
///
/// Invariants: names are unique; every host has a cable; every host reaches every other one through
/// the port that its traffic uses ([`Fabric::host_port`]); links have at least [`SLOWEST_LINK`] and
/// at most [`LONGEST_DELAY`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fabric {
    pub(crate) nodes: Vec<Node>,
    pub(crate) hosts: Vec<NodeId>,
    pub(crate) switches: Vec<NodeId>,
    pub(crate) links: Vec<Link>,
    pub(crate) names: BTreeMap<String, NodeId>,
}

impl Fabric {
    /// Returns all nodes in the order in which they were added.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns a node.
    ///
    /// # Panics
    ///
    /// Panics if `id` comes from another, larger fabric.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Returns the hosts, in order. Host numbers from 0 are indices of this slice.
    pub fn hosts(&self) -> &[NodeId] {
        &self.hosts
    }

    /// Returns the switches, in order.
    pub fn switches(&self) -> &[NodeId] {
        &self.switches
    }

    /// Returns the position of a node in [`Fabric::hosts`] or [`Fabric::switches`].
    pub fn rank(&self, id: NodeId) -> usize {
        self.node(id).rank as usize
    }

    /// Returns whether a node is a switch.
    pub fn is_switch(&self, id: NodeId) -> bool {
        self.node(id).kind == NodeKind::Switch
    }

    /// Returns whether the port of a host's traffic was chosen ([`Fabric::with_host_ports`]).
    pub fn has_chosen_port(&self, host: NodeId) -> bool {
        self.node(host).traffic.is_some()
    }

    /// Returns the node with this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.names.get(name).copied()
    }

    /// Returns all cables, ordered by their lower ends.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Returns the index in [`Fabric::links`] of the cable in a port, if there is one.
    pub fn link_at(&self, port: Port) -> Option<usize> {
        let slot = usize::from(port.number).checked_sub(1)?;
        let cable = *self.nodes.get(port.node.index())?.cables.get(slot)?;
        cable.map(|i| i as usize)
    }

    /// Returns the port at the other end of the cable in `port`, and the cable. Returns `None` if
    /// the port does not exist or has no cable.
    pub fn peer(&self, port: Port) -> Option<(Port, &Link)> {
        let link = &self.links[self.link_at(port)?];
        let [a, b] = link.ends;
        Some((if a == port { b } else { a }, link))
    }

    /// Iterates over the connected ports of a node, ascending.
    pub fn ports(&self, node: NodeId) -> impl Iterator<Item = Port> + '_ {
        let cables = self.node(node).cables.iter();
        cables
            .zip(1u16..)
            .filter(|(c, _)| c.is_some())
            .map(move |(_, number)| Port { node, number })
    }

    /// Returns the number of ports of a node, connected or not.
    pub fn port_count(&self, node: NodeId) -> u16 {
        self.node(node).cables.len() as u16
    }

    /// Checks that no node has more than `most` ports.
    pub(crate) fn check_ports(&self, most: u16) -> Result<(), FabricError> {
        match self.nodes.iter().find(|node| node.cables.len() > usize::from(most)) {
            Some(Node { name, cables, .. }) => {
                let (name, ports) = (name.clone(), cables.len() as u64);
                Err(FabricError::PortCount { name, ports, most })
            }
            None => Ok(()),
        }
    }

    /// Returns the port that a host's traffic uses: its lowest connected one, or the one of
    /// [`with_host_ports`](Self::with_host_ports). Further ports of a host carry no traffic.
    ///
    /// # Panics
    ///
    /// Panics if the node is a switch without cables.
    pub fn host_port(&self, host: NodeId) -> Port {
        match self.node(host).traffic {
            Some(number) => Port { node: host, number },
            None => self.ports(host).next().expect("every host of a fabric has a cable"),
        }
    }

    /// Returns the text form of a port, such as `tor:3`.
    pub fn describe(&self, port: Port) -> String {
        format!("{}:{}", self.node(port.node).name, port.number)
    }
}
