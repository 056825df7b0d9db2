//! The discovery thread: reads the network while the event loop looks up paths and the writer writes ports.

use super::message::{Discovered, Event};
use super::queue::Queue;
use crate::core::{Connection, Route};
use bandwise_saba::controller::PortId;
use bandwise_switches::Switches;
use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sending and the receiving host.
pub(super) type HostPair = (Box<str>, Box<str>);

/// The common path of all connections between two hosts; `None` if their paths differ.
pub(super) type Path = Option<Box<[PortId]>>;

/// All pairs of hosts with connections, and their common path.
pub(super) type KnownPaths = BTreeMap<HostPair, Path>;

/// The switches for looking up paths in the last discovered network. The event loop reads them; the discovery thread
/// replaces them.
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

/// Returns the paths of connections, by pair of hosts.
pub(super) fn known_paths<'a>(connections: impl Iterator<Item = &'a Connection>) -> KnownPaths {
    let mut known = KnownPaths::new();
    for of in connections {
        add(&mut known, (of.from.clone(), of.to.clone()), Some(of.path.clone()));
    }
    known
}

/// Adds a connection between two hosts.
pub(super) fn add(known: &mut KnownPaths, ends: HostPair, path: Path) {
    let there = known.entry(ends).or_insert_with(|| path.clone());
    if *there != path {
        *there = None;
    }
}

/// Returns the routes that have changed. A connection without a path keeps its old route, since its
/// packets take no other one.
pub(super) fn changed_routes(switches: &mut impl Switches, known: KnownPaths) -> Vec<Route> {
    let other = |((from, to), before): (HostPair, Path)| {
        let path: Box<[PortId]> = switches.path(&from, &to).ok()?.into();
        (before.as_ref() != Some(&path)).then_some(Route { from, to, path })
    };
    known.into_iter().filter_map(other).collect()
}

/// Discovers the network at each request, until the sender of requests is dropped.
pub(super) fn run<S: Switches>(
    mut switches: S,
    shared: &SharedSwitches<S>,
    requests: &Receiver<KnownPaths>,
    events: &Queue,
) {
    while let Ok(known) = requests.recv() {
        let discovered = switches.discover().map(|ports| {
            let changed = changed_routes(&mut switches, known);
            std::mem::swap(&mut *shared.lock(), &mut switches);
            Discovered { ports, routes: changed }
        });
        let discovered = discovered.map_err(|fault| fault.to_string());
        if events.event(Event::Discovered(discovered)).is_err() {
            return;
        }
    }
}
