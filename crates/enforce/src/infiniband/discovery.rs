//! [`Discovery`]: the requests that lead to a [`Fabric`], link by link, starting at this host's port.

use super::attributes::{Attribute, Guid, Kind, NodeInfo, PortInfo, SwitchInfo, description};
use super::exchange::Unanswered;
use super::fabric::{Fabric, Node, PortAt};
use super::smp::{Data, Request, Route};
use std::collections::BTreeMap;

/// The subject of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The node at the other end of a link; `None` for this host's node.
    Node(Option<PortAt>),
    /// The node's description.
    Name(Guid),
    /// The properties of a switch.
    Switch(Guid),
    /// The properties of a port.
    Port(PortAt),
    /// A switch's forwarding table, by block of 64 addresses.
    Forwarding(Guid, u16),
}

/// The discovery of a fabric: it emits requests and takes their results.
///
/// Nodes that do not answer are listed as missing. The rest is still discovered: in a large fabric some host is always
/// restarting.
#[derive(Debug, Default)]
pub struct Discovery {
    fabric: Fabric,
    asks: Vec<(Subject, Request)>,
}

/// The addresses in a block of the forwarding table (IBTA 14.2.5.10).
const BLOCK: usize = 64;

impl Discovery {
    /// Starts a discovery at this host's port.
    pub fn new() -> Self {
        let own = Request::get(&Route::default(), Attribute::NodeInfo, 0);
        Discovery { fabric: Fabric::default(), asks: vec![(Subject::Node(None), own)] }
    }

    /// Returns the requests that can be sent now.
    pub fn asks(&mut self) -> Vec<(Subject, Request)> {
        std::mem::take(&mut self.asks)
    }

    /// Handles the result of a request.
    pub fn answered(
        &mut self,
        subject: Subject,
        request: &Request,
        answer: Result<Data, Unanswered>,
    ) {
        let data = match answer {
            Ok(data) => data,
            Err(why) => {
                let about = match subject {
                    Subject::Node(Some(from)) => {
                        format!("the node beyond {}", self.fabric.port_name(from))
                    }
                    Subject::Node(None) => "the node of this host".to_owned(),
                    Subject::Name(guid) => format!("the name of {guid}"),
                    Subject::Switch(guid) => format!("the switch {}", self.fabric.name(guid)),
                    Subject::Port(at) => self.fabric.port_name(at),
                    Subject::Forwarding(guid, _) => {
                        format!("the forwarding table of {}", self.fabric.name(guid))
                    }
                };
                self.fabric.missing.push(format!("{about}: {why}"));
                return;
            }
        };
        let route = &request.route;
        match subject {
            Subject::Node(from) => self.met(from, route, NodeInfo::decode(&data)),
            Subject::Name(guid) => {
                self.node(guid, |node| node.description = description(&data));
            }
            Subject::Switch(guid) => {
                let info = SwitchInfo::decode(&data);
                self.node(guid, |node| node.has_enhanced_port_0 = info.has_enhanced_port_0);
                for block in 0..=info.linear_top / BLOCK as u16 {
                    let subject = Subject::Forwarding(guid, block);
                    self.ask(subject, route, Attribute::LinearForwardingTable, block.into());
                }
            }
            Subject::Port(at) => self.port(at, route, PortInfo::decode(&data)),
            Subject::Forwarding(guid, block) => self.node(guid, |node| {
                let start = usize::from(block) * BLOCK;
                let table = &mut node.forwarding;
                table.resize(table.len().max(start + BLOCK), u8::MAX);
                table[start..start + BLOCK].copy_from_slice(&data);
            }),
        }
    }

    /// Returns the fabric, when no request is outstanding.
    pub fn finish(self) -> Fabric {
        self.fabric
    }

    fn ask(&mut self, subject: Subject, route: &Route, attribute: Attribute, modifier: u32) {
        self.asks.push((subject, Request::get(route, attribute, modifier)));
    }

    fn node(&mut self, guid: Guid, change: impl FnOnce(&mut Node)) {
        self.fabric.nodes.get_mut(&guid).map(change);
    }

    /// Adds a node at the other end of a link, or this host's node.
    fn met(&mut self, from: Option<PortAt>, route: &Route, info: NodeInfo) {
        let at = PortAt { node: info.guid, port: info.local_port };
        if let Some(from) = from {
            self.fabric.links.insert(from, at);
            self.fabric.links.insert(at, from);
        }
        let is_new = !self.fabric.nodes.contains_key(&info.guid);
        if is_new {
            let node = Node {
                kind: info.kind,
                description: String::new(),
                ports: info.ports,
                has_enhanced_port_0: false,
                read: BTreeMap::new(),
                forwarding: Vec::new(),
            };
            self.fabric.nodes.insert(info.guid, node);
            self.ask(Subject::Name(info.guid), route, Attribute::NodeDescription, 0);
        }
        let mut ask_port = |port: u8| {
            let subject = Subject::Port(PortAt { node: info.guid, port });
            self.ask(subject, route, Attribute::PortInfo, port.into());
        };
        match info.kind {
            Kind::Switch if is_new => {
                (0..=info.ports).for_each(ask_port);
                self.ask(Subject::Switch(info.guid), route, Attribute::SwitchInfo, 0);
            }
            // A host forwards nothing between its ports, so each port is discovered separately.
            Kind::Host => ask_port(info.local_port),
            _ => {}
        }
    }

    fn port(&mut self, at: PortAt, route: &Route, info: PortInfo) {
        self.node(at.node, |node| {
            node.read.insert(at.port, (route.clone(), info));
        });
        // SMPs pass through any port of a switch, but end at hosts other than this one.
        let is_ours = route.ports().is_empty();
        let kind = self.fabric.nodes.get(&at.node).map(|node| node.kind);
        let forwards_smps = at.port > 0 && (kind == Some(Kind::Switch) || is_ours);
        if !forwards_smps || !info.is_linked || self.fabric.links.contains_key(&at) {
            return;
        }
        match route.by(at.port) {
            Some(beyond) => self.ask(Subject::Node(Some(at)), &beyond, Attribute::NodeInfo, 0),
            None => {
                let name = self.fabric.port_name(at);
                self.fabric.missing.push(format!("the node beyond {name}: too many links away"));
            }
        }
    }
}
