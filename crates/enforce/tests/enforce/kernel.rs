//! A model of a device's queueing in the kernel: takes and answers messages of netlink, refuses what the kernel
//! refuses. What it does was seen on Linux 6.18.

use crate::messages::{
    Htb, acknowledged, default_class, done, filter_options, kind, object, other_options, part,
    read, selector,
};
use bandwise_enforce::htb::{Change, Root};
use bandwise_enforce::tc::{Kernel as Asked, Reach, Reason, Wire};
use netlink_packet_core::{NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NetlinkHeader};
use netlink_packet_route::RouteNetlinkMessage as Route;
use netlink_packet_route::link::{LinkAttribute, LinkMessage};
use netlink_packet_route::tc::TcMessage;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::rc::Rc;

/// The number of the device, of any name.
pub(crate) const DEVICE: u32 = 7;
const OURS: u32 = 0x5aba_0000;

/// A fault of the kernel, which occurs once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Trick {
    #[default]
    None,
    /// The change that comes after so many is refused.
    Refuse(usize),
    /// The request is acknowledged and not carried out.
    Forget(usize),
}

/// By number: mask and value of the first word, class. As in the kernel, a class need not be there; its packets go
/// to the default.
type Filters = BTreeMap<u32, (u32, u32, u32)>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Kind, handle, default class; none is the kernel's own.
    pub root: Option<(String, u32, u32)>,
    /// By the kernel's number: its parent's, and the rest.
    pub classes: BTreeMap<u32, (u32, Htb)>,
    /// By rank and protocol: the table's number, and filters.
    pub filters: BTreeMap<u32, (u32, Filters)>,
    next_table: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub state: State,
    pub trick: Trick,
    /// Changes that were done, by what the kernel calls them.
    pub done: Vec<&'static str>,
    /// Datagrams with changes. A process can be killed between two of them, and not within one.
    pub batches: usize,
    changes: usize,
    /// The state after each request.
    pub states: Vec<State>,
    /// Unread datagrams.
    reason: VecDeque<Vec<u8>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Kernel(pub Rc<RefCell<Inner>>);

/// Why it refuses, and in what words if it has some.
type Refused = (i32, &'static str);
const NO_ENTRY: i32 = 2;
const BUSY: i32 = 16;
const EXISTS: i32 = 17;
const INVALID: i32 = 22;
const NO_SPACE: i32 = 28;

impl Reach for Kernel {
    fn visit(&mut self, _: Option<&str>, device: &str, changes: &[Change]) -> Result<Root, Reason> {
        Asked::new(self.clone()).visit(device, changes)
    }
}

impl Wire for Kernel {
    fn device(&mut self, _: &str) -> io::Result<u32> {
        Ok(DEVICE)
    }

    fn send(&mut self, datagram: &[u8]) -> io::Result<()> {
        let mut inner = self.0.borrow_mut();
        let mut rest = datagram;
        let changes = inner.changes;
        while !rest.is_empty() {
            let length = u32::from_ne_bytes(*rest.first_chunk().unwrap()) as usize;
            let (header, message) = read(&rest[..length]);
            inner.handle(header, &message);
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
        inner.batches += usize::from(inner.changes > changes);
        Ok(())
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        self.0.borrow_mut().reason.pop_front().ok_or(io::ErrorKind::TimedOut.into())
    }
}

impl Inner {
    /// Handles a message. As in the kernel, the refusal of one does not keep those after it from being handled.
    fn handle(&mut self, header: NetlinkHeader, message: &Route) {
        let number = header.sequence_number;
        let dump = match message {
            Route::GetLink(of) => Some(vec![self.state.link(of)]),
            Route::GetQueueDiscipline(_) => Some(self.state.qdiscs()),
            Route::GetTrafficClass(of) => Some(self.state.classes(of)),
            Route::GetTrafficFilter(of) => Some(self.state.filters(of)),
            _ => None,
        };
        if let Some(dump) = dump {
            // First the answer to an abandoned request, then parts of the answer in two datagrams.
            let old = acknowledged(number.wrapping_sub(1), Some((INVALID, "too late")));
            self.reason.push_back(old);
            let parts: Vec<Vec<u8>> = dump.into_iter().map(|of| part(number, of)).collect();
            self.reason.extend(parts.chunks(3).map(|of| of.concat()));
            self.reason.push_back(done(number));
            return;
        }
        self.changes += 1;
        let trick = self.trick;
        self.trick = match trick {
            Trick::Refuse(n) if n > 0 => Trick::Refuse(n - 1),
            Trick::Forget(n) if n > 0 => Trick::Forget(n - 1),
            _ => Trick::None,
        };
        let changed = match trick {
            Trick::Refuse(0) => Err((INVALID, "no")),
            Trick::Forget(0) => Ok(""),
            _ => self.state.change(header.flags, message),
        };
        if let Ok(what @ ("qdisc" | "class" | "filter")) = changed {
            self.done.push(what);
            let state = self.state.clone();
            self.states.push(state);
        }
        // Refusals are reported in any case.
        if changed.is_err() || header.flags & NLM_F_ACK != 0 {
            self.reason.push_back(acknowledged(number, changed.err()));
        }
    }
}

impl Kernel {
    /// Returns all answers about the device, each with the number of its request.
    pub(crate) fn everything(&self) -> Vec<(u32, Vec<u8>)> {
        let state = &self.0.borrow().state;
        let of = object((0, OURS, 0), "", vec![]);
        let all = [state.qdiscs(), state.classes(&of), state.filters(&of)];
        all.map(|all| (1, all.into_iter().map(|of| part(1, of)).collect::<Vec<_>>().concat()))
            .into()
    }
}

impl State {
    fn change(&mut self, flags: u16, message: &Route) -> Result<&'static str, Refused> {
        let is_new = flags & (NLM_F_CREATE | NLM_F_EXCL) == NLM_F_CREATE | NLM_F_EXCL;
        match message {
            Route::NewQueueDiscipline(of) => self.add_root(of).map(|()| "qdisc"),
            _ if self.root.is_none() => Err((INVALID, "Failed to find specified qdisc.")),
            Route::DelQueueDiscipline(_) => {
                *self = State::default();
                Ok("qdisc")
            }
            Route::NewTrafficClass(of) => self.class(is_new, of).map(|()| "class"),
            Route::DelTrafficClass(of) => self.remove_class(of).map(|()| "class"),
            Route::NewTrafficFilter(of) => self.filter(is_new, of).map(|()| "filter"),
            Route::DelTrafficFilter(of) => self.remove_filter(of).map(|()| "filter"),
            _ => panic!("{message:?}"),
        }
    }

    fn add_root(&mut self, of: &TcMessage) -> Result<(), Refused> {
        if self.root.is_some() {
            return Err((EXISTS, "Exclusivity flag on, cannot modify"));
        }
        let default = default_class(of);
        *self = State::default();
        self.root = Some((kind(of).unwrap().into(), of.header.handle.into(), default));
        Ok(())
    }

    fn class(&mut self, is_new: bool, of: &TcMessage) -> Result<(), Refused> {
        let (at, parent) = (of.header.handle.into(), of.header.parent.into());
        assert_eq!((of.header.index as u32, kind(of)), (DEVICE, Some("htb")));
        // The kernel takes the root's number for no class, too.
        let parent = if parent == OURS { u32::MAX } else { parent };
        if parent != u32::MAX && !self.classes.contains_key(&parent) {
            return Err((NO_ENTRY, ""));
        }
        match (is_new, self.classes.get(&at)) {
            (true, Some(_)) => return Err((EXISTS, "")),
            (false, None) => return Err((NO_ENTRY, "")),
            (false, Some(there)) => assert_eq!(there.0, parent),
            _ => {}
        }
        self.classes.insert(at, (parent, Htb::of(of)));
        Ok(())
    }

    fn remove_class(&mut self, of: &TcMessage) -> Result<(), Refused> {
        let at = of.header.handle.into();
        let is_parent = self.classes.values().any(|class| class.0 == at);
        let is_named = self.filters.values().flat_map(|of| of.1.values()).any(|of| of.2 == at);
        match (is_parent || is_named, self.classes.remove(&at)) {
            (true, _) => Err((BUSY, "HTB class in use")),
            (_, None) => Err((NO_ENTRY, "")),
            _ => Ok(()),
        }
    }

    fn filter(&mut self, is_new: bool, of: &TcMessage) -> Result<(), Refused> {
        let handle = u32::from(of.header.handle);
        assert_eq!((u32::from(of.header.parent), kind(of)), (OURS, Some("u32")));
        let (mask, value, class) = selector(of);
        if is_new {
            self.next_table += 1;
            let next = 0x7ff + self.next_table;
            let of = self.filters.entry(of.header.info).or_insert((next, BTreeMap::new()));
            let none = of.1.insert(handle & 0xfff, (mask, value, class)).is_none();
            return if none { Ok(()) } else { Err((NO_SPACE, "")) };
        }
        // The mark is unchanged by any request.
        self.there(of)?.2 = class;
        Ok(())
    }

    fn remove_filter(&mut self, of: &TcMessage) -> Result<(), Refused> {
        self.there(of)?;
        let (info, node) = (of.header.info, u32::from(of.header.handle) & 0xfff);
        let of = self.filters.get_mut(&info).unwrap();
        of.1.remove(&node);
        if of.1.is_empty() {
            self.filters.remove(&info);
        }
        Ok(())
    }

    fn there(&mut self, of: &TcMessage) -> Result<&mut (u32, u32, u32), Refused> {
        let handle = u32::from(of.header.handle);
        let filters = self.filters.get_mut(&of.header.info).filter(|of| of.0 == handle >> 20);
        let there = filters.and_then(|of| of.1.get_mut(&(handle & 0xf_ffff)));
        there.ok_or((NO_ENTRY, "Specified filter handle not found"))
    }

    fn link(&self, of: &LinkMessage) -> Route {
        assert_eq!(of.header.index, DEVICE);
        let mut link = LinkMessage::default();
        link.header.index = DEVICE;
        link.attributes.push(LinkAttribute::IfName("h1".into()));
        Route::NewLink(link)
    }

    fn qdiscs(&self) -> Vec<Route> {
        let mut other = object((0, u32::MAX, 2), "noqueue", vec![]);
        other.header.index = 1;
        let own = match &self.root {
            None => object((0, u32::MAX, 2), "noqueue", vec![]),
            Some((kind, handle, default)) => {
                let glob = [3, 10, *default, 0, 0u32].map(u32::to_ne_bytes).concat();
                let options = [&[24, 0, 2, 0][..], &glob, &[8, 0, 5, 0, 100, 0, 0, 0]].concat();
                object((*handle, u32::MAX, 2), kind, other_options(options))
            }
        };
        [other, own].map(Route::NewQueueDiscipline).to_vec()
    }

    fn classes(&self, of: &TcMessage) -> Vec<Route> {
        assert_eq!(of.header.index as u32, DEVICE);
        let level = |at| if self.classes.values().any(|class| class.0 == at) { 6 } else { 0 };
        let class = |(&at, (parent, htb)): (&u32, &(u32, Htb))| {
            let options = other_options(htb.options(level(at)));
            Route::NewTrafficClass(object((at, *parent, 0), "htb", options))
        };
        self.classes.iter().rev().map(class).collect()
    }

    fn filters(&self, of: &TcMessage) -> Vec<Route> {
        assert_eq!((of.header.index as u32, u32::from(of.header.parent)), (DEVICE, OURS));
        let mut all = Vec::new();
        for (&info, (table, filters)) in &self.filters {
            // The protocol, and its table.
            all.push(object((0, OURS, info), "u32", vec![]));
            all.push(object((table << 20, OURS, info), "u32", vec![]));
            all.extend(filters.iter().map(|(node, &of)| {
                object((table << 20 | node, OURS, info), "u32", filter_options(of))
            }));
        }
        all.into_iter().map(Route::NewTrafficFilter).collect()
    }
}
