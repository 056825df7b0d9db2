//! [`Fabric`]: nodes, ports and cables, and the questions asked of them.

use bandwise_units::{BitRate, Time};
use std::collections::BTreeMap;

/// Most ports that a node can have. Port sets elsewhere are 64-bit masks, and no switch of the
/// papers comes near (an InfiniBand port number itself could go to 254).
pub const MAX_PORTS: u8 = 64;

/// Most nodes that a fabric can have: an InfiniBand subnet has 16-bit local identifiers.
pub const MAX_NODES: usize = 65_000;

/// The slowest link that a fabric can have: one packet takes some milliseconds.
pub const SLOWEST_LINK: BitRate = BitRate::from_bps(10_000_000);

/// The longest delay that a link can have, one way: more than to a satellite.
pub const LONGEST_DELAY: Time = Time::from_ms(1_000);

/// The number of a node: its index in [`Fabric::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The index in [`Fabric::nodes`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node does with packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// An end point: sends and receives, never forwards. Channel adapters and routers are hosts.
    Host,
    /// Forwards packets between its ports.
    Switch,
}

/// One port of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// The node that the port belongs to.
    pub node: NodeId,
    /// The port's number, from 1 as InfiniBand counts them (0 is the switch itself).
    pub number: u8,
}

/// A host or a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name: unique in the fabric, not empty, without control characters and U+FFFD, without
    /// space at the ends.
    pub name: String,
    /// Host or switch.
    pub kind: NodeKind,
    /// Position among the hosts or among the switches.
    pub(crate) rank: u32,
    /// By port number less one: the index of the cable in it.
    pub(crate) cables: Vec<Option<u32>>,
}

/// A full-duplex cable between two ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Both ends, the lower port first.
    pub ends: [Port; 2],
    /// Rate in each direction on the wire, after line coding; at least [`SLOWEST_LINK`].
    pub rate: BitRate,
    /// One-way propagation delay, up to [`LONGEST_DELAY`].
    pub delay: Time,
}

/// Hosts and switches and the cables between them.
///
/// Always true: names are unique; every host has a cable; every host reaches every other
/// through the port that its traffic uses ([`Fabric::host_port`]); links have at least
/// [`SLOWEST_LINK`] and at most [`LONGEST_DELAY`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fabric {
    pub(crate) nodes: Vec<Node>,
    pub(crate) hosts: Vec<NodeId>,
    pub(crate) switches: Vec<NodeId>,
    pub(crate) links: Vec<Link>,
    pub(crate) names: BTreeMap<String, NodeId>,
}

impl Fabric {
    /// All nodes, in the order in which they were added.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node. Panics for a number from another, larger fabric.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The hosts, in order. Where hosts are numbered from 0, this is the numbering.
    pub fn hosts(&self) -> &[NodeId] {
        &self.hosts
    }

    /// The switches, in order.
    pub fn switches(&self) -> &[NodeId] {
        &self.switches
    }

    /// The position of a node in [`Fabric::hosts`] or [`Fabric::switches`], whichever it is in.
    pub fn rank(&self, id: NodeId) -> usize {
        self.node(id).rank as usize
    }

    /// Whether a node is a switch.
    pub fn is_switch(&self, id: NodeId) -> bool {
        self.node(id).kind == NodeKind::Switch
    }

    /// The node of that name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.names.get(name).copied()
    }

    /// All cables, ordered by their lower end.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The position in [`Fabric::links`] of the cable in a port, if there is one.
    pub fn link_at(&self, port: Port) -> Option<usize> {
        let slot = usize::from(port.number).checked_sub(1)?;
        let cable = *self.nodes.get(port.node.index())?.cables.get(slot)?;
        cable.map(|i| i as usize)
    }

    /// The port at the other end of the cable in `port`, and the cable; none where there is no
    /// cable or no such port.
    pub fn peer(&self, port: Port) -> Option<(Port, &Link)> {
        let link = &self.links[self.link_at(port)?];
        let [a, b] = link.ends;
        Some((if a == port { b } else { a }, link))
    }

    /// The connected ports of a node, ascending.
    pub fn ports(&self, node: NodeId) -> impl Iterator<Item = Port> + '_ {
        let cables = self.node(node).cables.iter();
        cables.zip(1u8..).filter(|(c, _)| c.is_some()).map(move |(_, number)| Port { node, number })
    }

    /// How many ports a node has, connected or not.
    pub fn port_count(&self, node: NodeId) -> u8 {
        self.node(node).cables.len() as u8
    }

    /// The port that a host's traffic uses: its lowest connected one. Further ports of a host
    /// are kept but carry nothing. Panics for a switch without cables.
    pub fn host_port(&self, host: NodeId) -> Port {
        self.ports(host).next().expect("every host of a fabric has a cable")
    }

    /// A port as people write it: `tor:3`.
    pub fn describe(&self, port: Port) -> String {
        format!("{}:{}", self.node(port.node).name, port.number)
    }
}
