//! [`Ledger`]: which connections there are, as one thread has seen them, and what changed by a look.

use crate::peer::Peer;
use crate::table::Id;
use std::collections::BTreeMap;

/// What tells a socket from another that has the same descriptor later: its inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity(pub(crate) u64);

/// What was seen at a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) id: Id,
    pub(crate) peer: Peer,
    pub(crate) identity: Identity,
}

/// What is to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// There is a connection.
    Opened(Id, Peer),
    /// It has no descriptor any more.
    Closed(Id),
}

/// Descriptors, and the connections that they are of. A connection is there as long as one of them is.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    held: BTreeMap<usize, (Id, Identity)>,
    connections: BTreeMap<Id, usize>,
}

impl Ledger {
    /// What was seen at descriptors at one time, and what follows. A connection that went from one of them to another
    /// is neither closed nor opened.
    pub(crate) fn look(
        &mut self,
        all: impl IntoIterator<Item = (usize, Option<Seen>)>,
    ) -> Vec<Change> {
        let mut before = BTreeMap::<Id, (usize, Option<Peer>)>::new();
        for (descriptor, seen) in all {
            let held = self.held.get(&descriptor).map(|held| held.0);
            if held == seen.map(|seen| seen.id) {
                continue;
            }
            if let Some(Seen { id, peer, identity }) = seen {
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

    /// Descriptors of connections, and what they were when they were first seen.
    pub(crate) fn held(&self) -> impl Iterator<Item = (usize, Id, Identity)> {
        self.held.iter().map(|(descriptor, (id, identity))| (*descriptor, *id, *identity))
    }
}

#[cfg(test)]
mod tests;
