//! [`Ledger`]: the connections of the program, as the reporting thread has observed them.

use crate::peer::Peer;
use crate::table::Id;
use std::collections::BTreeMap;

/// The inode of a socket, which distinguishes it from a later one with the same descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity(pub(crate) u64);

/// The connection at a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Observed {
    pub(crate) id: Id,
    pub(crate) peer: Peer,
    pub(crate) identity: Identity,
}

/// A change to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// A connection was opened.
    Opened(Id, Peer),
    /// The connection's last descriptor was closed.
    Closed(Id),
}

/// Descriptors and their connections. A connection exists as long as one of its descriptors.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    held: BTreeMap<usize, (Id, Identity)>,
    connections: BTreeMap<Id, usize>,
}

impl Ledger {
    /// Updates descriptors that were observed at one time. Returns the changes to report. A connection that moves
    /// between descriptors is neither closed nor opened.
    pub(crate) fn update(
        &mut self,
        all: impl IntoIterator<Item = (usize, Option<Observed>)>,
    ) -> Vec<Change> {
        let mut before = BTreeMap::<Id, (usize, Option<Peer>)>::new();
        for (descriptor, observed) in all {
            let held = self.held.get(&descriptor).map(|held| held.0);
            if held == observed.map(|observed| observed.id) {
                continue;
            }
            if let Some(Observed { id, peer, identity }) = observed {
                self.held.insert(descriptor, (id, identity));
                let count = self.connections.entry(id).or_insert(0);
                before.entry(id).or_insert((*count, None)).1 = Some(peer);
                *count += 1;
            } else {
                self.held.remove(&descriptor);
            }
            if let Some((id, count)) =
                held.and_then(|id| Some((id, self.connections.get_mut(&id)?)))
            {
                before.entry(id).or_insert((*count, None));
                *count -= 1;
            }
        }
        let mut changes = Vec::new();
        for (id, (before, peer)) in before {
            let now = self.connections[&id];
            if now == 0 {
                self.connections.remove(&id);
            }
            match (before, now, peer) {
                (0, 1.., Some(peer)) => changes.push(Change::Opened(id, peer)),
                (1.., 0, _) => changes.push(Change::Closed(id)),
                _ => {}
            }
        }
        changes
    }

    /// Iterates over the descriptors of connections, with the identities at their first observation.
    pub(crate) fn held(&self) -> impl Iterator<Item = (usize, Id, Identity)> {
        self.held.iter().map(|(descriptor, (id, identity))| (*descriptor, *id, *identity))
    }
}

#[cfg(test)]
mod tests;
