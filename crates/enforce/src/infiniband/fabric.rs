//! [`Fabric`]: nodes, ports, links and forwarding tables, as they were read; and the way of a connection.

use super::attributes::{Guid, Kind, PortInfo};
use super::smp::Route;
use bandwise_saba::controller::PortId;
use std::collections::{BTreeMap, BTreeSet};

/// A port of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortAt {
    /// The node.
    pub node: Guid,
    /// The port's number there, from 1; 0 is a switch's own.
    pub port: u8,
}

impl PortAt {
    /// What a controller knows it by: the lower 56 bits of the GUID, and the port. So it is the same after
    /// another discovery, in whatever order, and for a controller that starts again. Where two nodes differ in
    /// the uppermost byte alone, which is that of a manufacturer's number, nothing is discovered
    /// ([`Fabric::ambiguous`]).
    pub fn id(self) -> PortId {
        PortId(self.node.0 << 8 | u64::from(self.port))
    }
}

/// A host or switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it does with packets.
    pub kind: Kind,
    /// What people call it; empty if nobody gave it a name.
    pub description: String,
    /// How many ports it has.
    pub ports: u8,
    /// Whether port 0 of a switch has lanes, as packets enter by it.
    pub has_enhanced_port_0: bool,
    /// What was read of each port, and by which way. A switch's are all read by one way, a host's each by its
    /// own.
    pub read: BTreeMap<u8, (Route, PortInfo)>,
    /// Of a switch, by address, the port that it sends to; 255 for none (IBTA 14.2.5.10).
    pub forwarding: Vec<u8>,
}

/// A fabric, as far as it could be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fabric {
    /// By what they are known.
    pub nodes: BTreeMap<Guid, Node>,
    /// From each port to the one at the other end.
    pub links: BTreeMap<PortAt, PortAt>,
    /// What could not be read, and why.
    pub missing: Vec<String>,
}

/// Where an address leads nowhere.
const NOWHERE: u8 = 255;

impl Fabric {
    /// What people call a node: its description where no other node has the same, or else that and its GUID.
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

    /// What people call a port: node and number.
    pub fn port_name(&self, at: PortAt) -> String {
        format!("{}:{}", self.name(at.node), at.port)
    }

    /// The node with that name, GUID (`0x…`) or address (LID, in decimals). A name that several have is none; with its
    /// GUID behind it, as in [`name`](Fabric::name), it is.
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

    /// The node that has this address at one of its ports.
    fn at_lid(&self, lid: u16) -> Option<Guid> {
        let has = |info: &PortInfo| {
            info.lid != 0 && (info.lid..=info.lid | ((1 << info.lmc) - 1)).contains(&lid)
        };
        let found = self.nodes.iter().find(|of| of.1.read.values().any(|(_, info)| has(info)));
        found.map(|of| *of.0)
    }

    /// The port that a controller knows by this.
    pub fn port(&self, id: PortId) -> Option<PortAt> {
        let port = id.0 as u8;
        let at = |&node: &Guid| PortAt { node, port };
        let found = self.nodes.keys().map(at).find(|at| at.id() == id)?;
        self.nodes[&found.node].read.contains_key(&port).then_some(found)
    }

    /// Two nodes that a controller could not tell apart.
    pub fn ambiguous(&self) -> Option<[Guid; 2]> {
        let mut seen = BTreeMap::new();
        let twice = |&guid: &Guid| Some([seen.insert(guid.0 << 8, guid)?, guid]);
        self.nodes.keys().find_map(twice)
    }

    /// The ports that a packet leaves through on its way from a host's port to an address; none if it does not
    /// get there.
    fn walk(&self, from: PortAt, lid: u16, to: Guid) -> Option<Vec<PortAt>> {
        let mut way = vec![from];
        // No way is longer than all switches once; one that is goes round in circles.
        for _ in 0..=self.nodes.len() {
            let out = *way.last()?;
            let next = self.links.get(&out)?.node;
            if next == to {
                return Some(way);
            }
            let node = self.nodes.get(&next).filter(|node| node.kind == Kind::Switch)?;
            let port = *node.forwarding.get(usize::from(lid))?;
            // Port 0 is the switch itself.
            if port == NOWHERE || port == 0 {
                return None;
            }
            way.push(PortAt { node: next, port });
        }
        None
    }

    /// The ports that data leaves through from one host to another, by the forwarding tables: from every active
    /// port of the one to every address of the other (several where the mask control, LMC, is not 0). None if
    /// no way leads there.
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
        let mut ways = BTreeSet::new();
        if from != to {
            for (&port, _) in active(from) {
                let from = PortAt { node: from, port };
                ways.extend(lids.iter().filter_map(|&lid| self.walk(from, lid, to)).flatten());
            }
        }
        (!ways.is_empty()).then_some(ways)
    }
}
