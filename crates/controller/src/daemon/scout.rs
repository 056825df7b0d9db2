//! Whoever looks over the network, while others write to it and ask it for ways.

use super::handle::Message;
use crate::core::{Connection, Way};
use bandwise_enforce::{Port, Switches};
use bandwise_saba::controller::PortId;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Hosts that data go from and to.
pub(super) type Ends = (Box<str>, Box<str>);

/// The way of connections; none where those between the same hosts have different ones.
pub(super) type Path = Option<Box<[PortId]>>;

/// All ends between which there are connections, and the way of those.
pub(super) type Known = BTreeMap<Ends, Path>;

/// What came of it.
pub(super) struct Surveyed {
    pub(super) ports: Vec<Port>,
    pub(super) ways: Vec<Way>,
}

/// Who knows ways through the network as it was found last. The event loop asks; the scout puts another in its place.
pub(super) struct Ways<S>(Arc<Mutex<S>>);

impl<S> Clone for Ways<S> {
    fn clone(&self) -> Self {
        Ways(self.0.clone())
    }
}

impl<S: Switches> Ways<S> {
    pub(super) fn new(switches: S) -> Self {
        Ways(Arc::new(Mutex::new(switches)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The ways of connections.
pub(super) fn known<'a>(connections: impl Iterator<Item = &'a Connection>) -> Known {
    let mut known = Known::new();
    for of in connections {
        add(&mut known, (of.from.clone(), of.to.clone()), Some(of.path.clone()));
    }
    known
}

/// One more connection between these hosts.
pub(super) fn add(known: &mut Known, ends: Ends, path: Path) {
    let there = known.entry(ends).or_insert_with(|| path.clone());
    if *there != path {
        *there = None;
    }
}

/// Of these, the ways that are others now. Where no way is found a connection keeps the one that it had: its packets
/// go nowhere else meanwhile.
pub(super) fn others(switches: &mut impl Switches, known: Known) -> Vec<Way> {
    let other = |((from, to), before): (Ends, Path)| {
        let path: Box<[PortId]> = switches.path(&from, &to).ok()?.into();
        (before.as_ref() != Some(&path)).then_some(Way { from, to, path })
    };
    known.into_iter().filter_map(other).collect()
}

/// Looks over the network whenever it is asked, until nobody does any more.
pub(super) fn run<S: Switches>(
    mut switches: S,
    ways: &Ways<S>,
    asked: &Receiver<Known>,
    messages: &SyncSender<Message>,
) {
    while let Ok(known) = asked.recv() {
        let surveyed = switches.discover().map(|ports| {
            let others = others(&mut switches, known);
            std::mem::swap(&mut *ways.lock(), &mut switches);
            Surveyed { ports, ways: others }
        });
        let surveyed = surveyed.map_err(|fault| fault.to_string());
        if messages.send(Message::Surveyed(surveyed)).is_err() {
            return;
        }
    }
}
