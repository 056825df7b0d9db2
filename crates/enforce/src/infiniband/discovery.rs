//! [`Discovery`]: which questions lead to a [`Fabric`], one link after another from our own port on.

use super::attributes::{Attribute, Guid, Kind, NodeInfo, PortInfo, SwitchInfo, description};
use super::exchange::Unanswered;
use super::fabric::{Fabric, Node, PortAt};
use super::smp::{Data, Request, Route};
use std::collections::BTreeMap;

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Who is there, at the other end of a link; none for our own node.
    Who(Option<PortAt>),
    /// What people call it.
    Name(Guid),
    /// What the switch is.
    Switch(Guid),
    /// What a port is.
    Port(PortAt),
    /// The switch's forwarding table, by block of 64 addresses.
    Forwarding(Guid, u16),
}

/// Finds a fabric: says what to ask, and is told what came of it.
///
/// What does not answer is missing and said to be, and the rest is found nevertheless: a fabric has always
/// some host that is about to start.
#[derive(Debug, Default)]
pub struct Discovery {
    fabric: Fabric,
    asks: Vec<(Question, Request)>,
}

/// Addresses in a block of the forwarding table (IBTA 14.2.5.10).
const BLOCK: usize = 64;

impl Discovery {
    /// Begins at our own port.
    pub fn new() -> Self {
        let own = Request::get(&Route::default(), Attribute::NodeInfo, 0);
        Discovery { fabric: Fabric::default(), asks: vec![(Question::Who(None), own)] }
    }

    /// What is to be asked now.
    pub fn asks(&mut self) -> Vec<(Question, Request)> {
        std::mem::take(&mut self.asks)
    }

    /// What came of a question.
    pub fn answered(
        &mut self,
        question: Question,
        request: &Request,
        answer: Result<Data, Unanswered>,
    ) {
        let data = match answer {
            Ok(data) => data,
            Err(why) => {
                let about = match question {
                    Question::Who(Some(from)) => {
                        format!("what is beyond {}", self.fabric.port_name(from))
                    }
                    Question::Who(None) => "our own node".to_owned(),
                    Question::Name(guid) => format!("the name of {guid}"),
                    Question::Switch(guid) => format!("the switch {}", self.fabric.name(guid)),
                    Question::Port(at) => self.fabric.port_name(at),
                    Question::Forwarding(guid, _) => {
                        format!("the forwarding table of {}", self.fabric.name(guid))
                    }
                };
                self.fabric.missing.push(format!("{about}: {why}"));
                return;
            }
        };
        let route = &request.route;
        match question {
            Question::Who(from) => self.met(from, route, NodeInfo::decode(&data)),
            Question::Name(guid) => {
                self.node(guid, |node| node.description = description(&data));
            }
            Question::Switch(guid) => {
                let info = SwitchInfo::decode(&data);
                self.node(guid, |node| node.has_enhanced_port_0 = info.has_enhanced_port_0);
                for block in 0..=info.linear_top / BLOCK as u16 {
                    let question = Question::Forwarding(guid, block);
                    self.ask(question, route, Attribute::LinearForwardingTable, block.into());
                }
            }
            Question::Port(at) => self.port(at, route, PortInfo::decode(&data)),
            Question::Forwarding(guid, block) => self.node(guid, |node| {
                let start = usize::from(block) * BLOCK;
                let table = &mut node.forwarding;
                table.resize(table.len().max(start + BLOCK), u8::MAX);
                table[start..start + BLOCK].copy_from_slice(&data);
            }),
        }
    }

    /// What was found, when nothing is to be asked any more.
    pub fn finish(self) -> Fabric {
        self.fabric
    }

    fn ask(&mut self, question: Question, route: &Route, attribute: Attribute, modifier: u32) {
        self.asks.push((question, Request::get(route, attribute, modifier)));
    }

    fn node(&mut self, guid: Guid, change: impl FnOnce(&mut Node)) {
        self.fabric.nodes.get_mut(&guid).map(change);
    }

    /// A node, at the other end of a link or our own.
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
            self.ask(Question::Name(info.guid), route, Attribute::NodeDescription, 0);
        }
        let mut ask_port = |port: u8| {
            let question = Question::Port(PortAt { node: info.guid, port });
            self.ask(question, route, Attribute::PortInfo, port.into());
        };
        match info.kind {
            Kind::Switch if is_new => {
                (0..=info.ports).for_each(ask_port);
                self.ask(Question::Switch(info.guid), route, Attribute::SwitchInfo, 0);
            }
            // A host passes nothing on from one of its ports to another, so each is met by itself.
            Kind::Host => ask_port(info.local_port),
            _ => {}
        }
    }

    fn port(&mut self, at: PortAt, route: &Route, info: PortInfo) {
        self.node(at.node, |node| {
            node.read.insert(at.port, (route.clone(), info));
        });
        // Datagrams go on through any port of a switch, but end at a host that is not ours.
        let is_ours = route.ports().is_empty();
        let kind = self.fabric.nodes.get(&at.node).map(|node| node.kind);
        let goes_on = at.port > 0 && (kind == Some(Kind::Switch) || is_ours);
        if !goes_on || !info.is_linked || self.fabric.links.contains_key(&at) {
            return;
        }
        match route.by(at.port) {
            Some(beyond) => self.ask(Question::Who(Some(at)), &beyond, Attribute::NodeInfo, 0),
            None => {
                let name = self.fabric.port_name(at);
                self.fabric.missing.push(format!("what is beyond {name}: too many links away"));
            }
        }
    }
}
