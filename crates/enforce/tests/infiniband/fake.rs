//! A model of a fabric: nodes that answer SMPs on directed routes, and a wire that loses, delays or replaces
//! them. Its clock advances only during a wait. The answers are those that were observed from ibsim 0.10 and
//! `smpquery` 44.

use bandwise_enforce::infiniband::{Attribute, LENGTH, Method, Smp};
use bandwise_enforce::umad::Wire;
use bandwise_units::Time;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::rc::Rc;

/// The fate of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trick {
    /// The datagram is lost.
    Lose,
    /// The datagram is carried out, and the answer is lost.
    LoseAnswer,
    /// The node refuses it.
    Refuse,
    /// The request is acknowledged and not carried out.
    Forget,
    /// The datagram is carried out, and the answer comes too late.
    Late,
    /// The datagram is carried out, and the answer is malformed.
    Garbage,
    /// This one and all after it do not arrive.
    Die,
    /// The device fails.
    Break,
    /// The datagram is carried out, and then another manager overwrites the same attribute.
    Meddle,
}

pub(crate) const TRICKS: [Trick; 9] = [
    Trick::Lose,
    Trick::LoseAnswer,
    Trick::Refuse,
    Trick::Forget,
    Trick::Late,
    Trick::Garbage,
    Trick::Die,
    Trick::Break,
    Trick::Meddle,
];

/// Attributes written to nodes, by node, attribute and modifier.
pub(crate) type Written = BTreeMap<(u64, u16, u32), [u8; 64]>;

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub name: &'static str,
    /// Ports; of a host there is one.
    pub ports: u8,
    pub lid: u16,
    /// Binary logarithm of the number of addresses.
    pub lmc: u8,
    /// The forwarding table of a switch: output port by address.
    pub forwarding: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub nodes: BTreeMap<u64, Node>,
    pub links: BTreeMap<(u64, u8), (u64, u8)>,
    pub written: Written,
    /// Before which datagram a trick is played, counted from now.
    pub trick: Option<(usize, Trick)>,
    /// Datagrams that were sent.
    pub sent: usize,
    is_dead: bool,
    now: Time,
    answers: VecDeque<(Time, [u8; LENGTH])>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Fake(pub Rc<RefCell<Inner>>);

pub(crate) const H1: u64 = 0x11;
pub(crate) const H2: u64 = 0x12;
pub(crate) const H3: u64 = 0x13;
pub(crate) const S1: u64 = 0x21;
pub(crate) const S2: u64 = 0x22;

impl Fake {
    /// Two hosts at one switch and one at another, with two links between the switches: to the third host by
    /// one of them, back by the other. We are at the first host.
    pub(crate) fn new() -> Self {
        let fake = Fake::default();
        let mut inner = fake.0.borrow_mut();
        let host = |name, lid| Node { name, ports: 1, lid, lmc: 0, forwarding: None };
        let switch = |name, lid, to: [u8; 6]| Node {
            name,
            ports: 4,
            lid,
            lmc: 0,
            forwarding: Some(to.into()),
        };
        inner.nodes.extend([
            (H1, host("h1", 1)),
            (H2, host("h2", 2)),
            (H3, host("h3", 3)),
            (S1, switch("s1", 4, [255, 1, 2, 3, 0, 3])),
            (S2, switch("s2", 5, [255, 4, 3, 1, 4, 0])),
        ]);
        for (a, b) in [
            ((H1, 1), (S1, 1)),
            ((H2, 1), (S1, 2)),
            ((H3, 1), (S2, 1)),
            ((S1, 3), (S2, 3)),
            ((S1, 4), (S2, 4)),
        ] {
            inner.links.extend([(a, b), (b, a)]);
        }
        drop(inner);
        fake
    }
}

impl Inner {
    /// The node that a route leads to, and the port by which it comes there.
    fn arrive(&self, route: &[u8]) -> Option<(u64, u8)> {
        let mut at = (H1, 1);
        for (hop, &port) in route.iter().enumerate() {
            if hop > 0 && self.nodes[&at.0].forwarding.is_none() {
                return None;
            }
            at = *self.links.get(&(at.0, port))?;
        }
        Some(at)
    }

    fn answer(&mut self, smp: &Smp, forgets: bool) -> Option<Smp> {
        let (guid, by) = self.arrive(smp.route.ports())?;
        let mut data = [0; 64];
        let mut status = 0;
        let number = smp.attribute;
        let is = |attribute: Attribute| number == attribute.number();
        let node = &self.nodes[&guid];
        let port = if node.forwarding.is_none() { by } else { smp.modifier as u8 };
        if is(Attribute::NodeInfo) {
            data[2] = if node.forwarding.is_some() { 2 } else { 1 };
            data[3] = node.ports;
            data[12..20].copy_from_slice(&guid.to_be_bytes());
            data[36] = by;
        } else if is(Attribute::NodeDescription) {
            data[..node.name.len()].copy_from_slice(node.name.as_bytes());
        } else if is(Attribute::SwitchInfo) && node.forwarding.is_some() {
            data[7] = node.forwarding.iter().flatten().count() as u8 - 1;
        } else if is(Attribute::LinearForwardingTable) && smp.modifier == 0 {
            let table = node.forwarding.clone().unwrap_or_default();
            data = std::array::from_fn(|at| table.get(at).copied().unwrap_or(255));
        } else if is(Attribute::PortInfo) && port <= node.ports {
            let is_up = self.links.contains_key(&(guid, port));
            data[16..18].copy_from_slice(&node.lid.to_be_bytes());
            data[34] = node.lmc;
            (data[32], data[33]) = if is_up { (4, 0x50) } else { (1, 0x20) };
            // 2048 bytes, arbitration tables of 8 entries, 8 data lanes.
            (data[36], data[39], data[40], data[43]) = (0x40, 8, 8, 0x40);
        } else if is(Attribute::SlToVlMappingTable) || is(Attribute::VlArbitrationTable) {
            let at = (guid, number, smp.modifier);
            if smp.method == Method::Set && !forgets {
                self.written.insert(at, smp.data);
            }
            data = self.written.get(&at).copied().unwrap_or([0; 64]);
        } else {
            status = 0x1c;
        }
        Some(Smp { method: Method::Answer, status, data, ..smp.clone() })
    }
}

impl Wire for Fake {
    fn now(&self) -> Time {
        self.0.borrow().now
    }

    fn send(&mut self, datagram: &[u8; LENGTH], timeout: Time) -> io::Result<()> {
        let mut inner = self.0.borrow_mut();
        inner.sent += 1;
        let trick = match inner.trick {
            Some((0, trick)) => inner.trick.take().map(|_| trick),
            Some((left, trick)) => {
                inner.trick = Some((left - 1, trick));
                None
            }
            None => None,
        };
        inner.is_dead |= trick == Some(Trick::Die);
        if trick == Some(Trick::Break) {
            return Err(io::Error::other("unplugged"));
        }
        if inner.is_dead || trick == Some(Trick::Lose) {
            return Ok(());
        }
        let smp = Smp::decode(datagram).expect("a datagram");
        let answer = match trick {
            Some(Trick::Refuse) => {
                Some(Smp { method: Method::Answer, status: 0x1c, ..smp.clone() })
            }
            _ => inner.answer(&smp, trick == Some(Trick::Forget)),
        };
        let Some(answer) = answer else { return Ok(()) };
        let mut bytes = answer.encode();
        let mut due = inner.now.saturating_add(Time::from_us(5));
        match trick {
            Some(Trick::LoseAnswer) => return Ok(()),
            Some(Trick::Late) => due = due.saturating_add(timeout),
            Some(Trick::Garbage) => bytes[1] = 0,
            Some(Trick::Meddle) if smp.method == Method::Set => {
                let (guid, _) = inner.arrive(smp.route.ports()).unwrap();
                inner.written.insert((guid, smp.attribute, smp.modifier), [0x11; 64]);
            }
            _ => {}
        }
        inner.answers.push_back((due, bytes));
        Ok(())
    }

    fn receive(&mut self, at_most: Time) -> io::Result<Option<[u8; LENGTH]>> {
        let mut inner = self.0.borrow_mut();
        let until = inner.now.saturating_add(at_most);
        let first = (0..inner.answers.len()).min_by_key(|&at| inner.answers[at].0);
        match first.filter(|&at| inner.answers[at].0 <= until) {
            Some(at) => {
                let (due, bytes) = inner.answers.remove(at).expect("it is there");
                inner.now = inner.now.max(due);
                Ok(Some(bytes))
            }
            None => {
                inner.now = until;
                Ok(None)
            }
        }
    }
}
