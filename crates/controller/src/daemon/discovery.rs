//! Whoever looks over the network, while others write to it and ask it for routes.

use super::handle::Message;
use crate::core::{Connection, Route};
use bandwise_enforce::{Port, Switches};
use bandwise_saba::controller::PortId;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Hosts that data go from and to.
pub(super) type HostPair = (Box<str>, Box<str>);

/// The way of connections; none where those between the same hosts have different ones.
pub(super) type Path = Option<Box<[PortId]>>;

/// All ends between which there are connections, and the way of those.
pub(super) type KnownPaths = BTreeMap<HostPair, Path>;

/// What came of it.
pub(super) struct Discovered {
    pub(super) ports: Vec<Port>,
    pub(super) routes: Vec<Route>,
}

/// Who knows ways through the network as it was found last. The event loop asks; the discovery puts another in its place.
pub(super) struct SharedSwitches<S>(Arc<Mutex<S>>);

impl<S> Clone for SharedSwitches<S> {
    fn clone(&self) -> Self {
        SharedSwitches(self.0.clone())
    }
}

impl<S: Switches> SharedSwitches<S> {
    pub(super) fn new(switches: S) -> Self {
        SharedSwitches(Arc::new(Mutex::new(switches)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The ways of connections.
pub(super) fn known_paths<'a>(connections: impl Iterator<Item = &'a Connection>) -> KnownPaths {
    let mut known = KnownPaths::new();
    for of in connections {
        add(&mut known, (of.from.clone(), of.to.clone()), Some(of.path.clone()));
    }
    known
}

/// One more connection between these hosts.
pub(super) fn add(known: &mut KnownPaths, ends: HostPair, path: Path) {
    let there = known.entry(ends).or_insert_with(|| path.clone());
    if *there != path {
        *there = None;
    }
}

/// Of these, the ways that are others now. Where no way is found a connection keeps the one that it had: its packets
/// go nowhere else meanwhile.
pub(super) fn changed_routes(switches: &mut impl Switches, known: KnownPaths) -> Vec<Route> {
    let other = |((from, to), before): (HostPair, Path)| {
        let path: Box<[PortId]> = switches.path(&from, &to).ok()?.into();
        (before.as_ref() != Some(&path)).then_some(Route { from, to, path })
    };
    known.into_iter().filter_map(other).collect()
}

/// Looks over the network whenever it is asked, until nobody does any more.
pub(super) fn run<S: Switches>(
    mut switches: S,
    shared: &SharedSwitches<S>,
    requests: &Receiver<KnownPaths>,
    messages: &SyncSender<Message>,
) {
    while let Ok(known) = requests.recv() {
        let discovered = switches.discover().map(|ports| {
            let changed = changed_routes(&mut switches, known);
            std::mem::swap(&mut *shared.lock(), &mut switches);
            Discovered { ports, routes: changed }
        });
        let discovered = discovered.map_err(|fault| fault.to_string());
        if messages.send(Message::Discovered(discovered)).is_err() {
            return;
        }
    }
}
