//! [`Fabric`]: nodes, ports, links and forwarding tables as read from a fabric, and the paths of
//! connections.

use super::attributes::{Guid, Kind, PortInfo};
use super::smp::Route;
use bandwise_saba::controller::PortId;
use std::collections::{BTreeMap, BTreeSet};

/// A port of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortAt {
    /// The node.
    pub node: Guid,
    /// The number of the port, from 1; 0 is a switch's own port.
    pub port: u8,
}

impl PortAt {
    /// Returns the port's id for a controller: the lower 56 bits of the GUID, and the number of the
    /// port. Discoveries and restarts do not change the id. Two nodes whose GUIDs differ only in
    /// the uppermost byte are refused ([`Fabric::ambiguous`]).
    pub fn id(self) -> PortId {
        PortId(self.node.0 << 8 | u64::from(self.port))
    }
}

/// A host or switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The node's role.
    pub kind: Kind,
    /// The node's description; empty if it has none.
    pub description: String,
    /// The number of ports.
    pub ports: u8,
    /// True if port 0 of a switch has lanes, since packets enter there.
    pub has_enhanced_port_0: bool,
    /// The properties of each port, and the route by which they were read. The ports of a switch have one route, those
    /// of a host one each.
    pub read: BTreeMap<u8, (Route, PortInfo)>,
    /// The output port of a switch, by address; 255 for none (IBTA 14.2.5.10).
    pub forwarding: Vec<u8>,
}

/// A fabric, as far as it could be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fabric {
    /// The nodes, by GUID.
    pub nodes: BTreeMap<Guid, Node>,
    /// The links: from each port to the one at the other end.
    pub links: BTreeMap<PortAt, PortAt>,
    /// The parts that could not be read, with the reasons.
    pub missing: Vec<String>,
}

/// The output port of an address without a path.
const NOWHERE: u8 = 255;

impl Fabric {
    /// Returns a node's name for people: its description. The GUID is appended if another node has
    /// the same description.
    pub fn name(&self, guid: Guid) -> String {
        let Some(node) = self.nodes.get(&guid) else { return guid.to_string() };
        let text = &node.description;
        let same = self.nodes.values().filter(|other| other.description == *text).count();
        match (text.is_empty(), same) {
            (true, _) => guid.to_string(),
            (false, 1) => text.clone(),
            _ => format!("{text} {guid}"),
        }
    }

    /// Returns a port's name for people: node and number.
    pub fn port_name(&self, at: PortAt) -> String {
        format!("{}:{}", self.name(at.node), at.port)
    }

    /// Returns the node with this name, GUID (`0x…`) or address (decimal LID). A name that several nodes share needs
    /// the GUID, as in [`name`](Fabric::name).
    pub fn named(&self, name: &str) -> Option<Guid> {
        let hex = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok().map(Guid);
        let there = |guid: &Guid| self.nodes.contains_key(guid);
        let mut called =
            self.nodes.iter().filter(|of| !name.is_empty() && of.1.description == name);
        if let (Some((&guid, _)), None) = (called.next(), called.next()) {
            return Some(guid);
        }
        let by_guid = hex(name).filter(there);
        let by_both = || {
            let (text, number) = name.rsplit_once(' ')?;
            hex(number).filter(|guid| self.nodes.get(guid).is_some_and(|of| of.description == text))
        };
        by_guid.or_else(by_both).or_else(|| self.at_lid(name.parse().ok()?))
    }

    /// Returns the node that has this address at one of its ports.
    fn at_lid(&self, lid: u16) -> Option<Guid> {
        let has = |info: &PortInfo| {
            info.lid != 0 && (info.lid..=info.lid | ((1 << info.lmc) - 1)).contains(&lid)
        };
        let found = self.nodes.iter().find(|of| of.1.read.values().any(|(_, info)| has(info)));
        found.map(|of| *of.0)
    }

    /// Returns the port with this id.
    pub fn port(&self, id: PortId) -> Option<PortAt> {
        let port = id.0 as u8;
        let at = |&node: &Guid| PortAt { node, port };
        let found = self.nodes.keys().map(at).find(|at| at.id() == id)?;
        self.nodes[&found.node].read.contains_key(&port).then_some(found)
    }

    /// Returns two nodes whose ports would get the same ids; `None` if all ids differ.
    pub fn ambiguous(&self) -> Option<[Guid; 2]> {
        let mut seen = BTreeMap::new();
        let twice = |&guid: &Guid| Some([seen.insert(guid.0 << 8, guid)?, guid]);
        self.nodes.keys().find_map(twice)
    }

    /// Returns the output ports from a host's port to an address; `None` if there is no path.
    fn walk(&self, from: PortAt, lid: u16, to: Guid) -> Option<Vec<PortAt>> {
        let mut path = vec![from];
        // A path visits each switch once; a longer one is a loop.
        for _ in 0..=self.nodes.len() {
            let out = *path.last()?;
            let next = self.links.get(&out)?.node;
            if next == to {
                return Some(path);
            }
            let node = self.nodes.get(&next).filter(|node| node.kind == Kind::Switch)?;
            let port = *node.forwarding.get(usize::from(lid))?;
            // Port 0 is the switch itself.
            if port == NOWHERE || port == 0 {
                return None;
            }
            path.push(PortAt { node: next, port });
        }
        None
    }

    /// Returns the output ports of all paths between two hosts by the forwarding tables: from every
    /// active port of one host to every address of the other (LMC gives a port several addresses).
    /// Returns `None` if there is no path.
    pub fn path(&self, from: Guid, to: Guid) -> Option<BTreeSet<PortAt>> {
        let active = |guid: Guid| {
            let ports = self.nodes.get(&guid).map(|node| &node.read);
            ports.into_iter().flatten().filter(|(_, (_, info))| info.is_active)
        };
        let lids: Vec<u16> = active(to)
            .flat_map(|(_, (_, info))| {
                (0..1u16 << info.lmc).map(|offset| info.lid.wrapping_add(offset))
            })
            .filter(|&lid| lid != 0)
            .collect();
        let mut paths = BTreeSet::new();
        if from != to {
            for (&port, _) in active(from) {
                let from = PortAt { node: from, port };
                paths.extend(lids.iter().filter_map(|&lid| self.walk(from, lid, to)).flatten());
            }
        }
        (!paths.is_empty()).then_some(paths)
    }
}
