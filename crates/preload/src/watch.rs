//! [`Watch`]: the table of descriptors and its changes.

use crate::changes::Changes;
use crate::peer::Peer;
use crate::table::{At, Id, Table};

/// A table with a set of changes: `N` descriptors in `WORDS` times 64 bits.
#[derive(Debug)]
pub(crate) struct Watch<const N: usize, const WORDS: usize, const SUMMARIES: usize> {
    table: Table<N>,
    changes: Changes<WORDS, SUMMARIES>,
}

impl<const N: usize, const WORDS: usize, const SUMMARIES: usize> Watch<N, WORDS, SUMMARIES> {
    pub(crate) const fn new() -> Self {
        const { assert!(N <= WORDS * 64) };
        Watch { table: Table::new(), changes: Changes::new() }
    }

    /// Stores that a descriptor is a new connection.
    pub(crate) fn connected(&self, descriptor: usize, peer: Peer) {
        self.table.put(descriptor, peer);
        self.changes.note(descriptor);
    }

    /// Stores that a descriptor is connected to a peer: as a new connection, unless it is already connected there, as
    /// after `connect` without waiting and another `connect` for its result.
    pub(crate) fn connected_once(&self, descriptor: usize, peer: Peer) {
        match self.table.at(descriptor) {
            At::Connection(_, there) if there == peer => self.changes.note(descriptor),
            _ => self.connected(descriptor, peer),
        }
    }

    /// Clears a descriptor that is about to be closed or connected elsewhere. The call comes first, as another thread
    /// may get the descriptor afterwards.
    pub(crate) fn closing(&self, descriptor: usize) {
        if self.table.is_known(descriptor) {
            self.table.clear(descriptor);
            self.changes.note(descriptor);
        }
    }

    /// Stores that `to` is now a duplicate of `from`.
    pub(crate) fn duplicated(&self, from: usize, to: usize) {
        match self.table.at(from) {
            At::Connection(id, peer) => {
                self.table.put_as(to, id, peer);
                self.changes.note(to);
            }
            At::Nothing => self.closing(to),
        }
    }

    /// Clears a connection's descriptor that was closed unnoticed.
    pub(crate) fn lost(&self, descriptor: usize, id: Id) {
        self.table.clear_if(descriptor, id);
        self.changes.note(descriptor);
    }

    /// Returns whether a descriptor is in the table, without reading its peer.
    pub(crate) fn is_known(&self, descriptor: usize) -> bool {
        self.table.is_known(descriptor)
    }

    pub(crate) fn at(&self, descriptor: usize) -> At {
        self.table.at(descriptor)
    }

    /// Iterates over the descriptors in the table, within a range.
    pub(crate) fn known(&self, first: usize, last: usize) -> impl Iterator<Item = usize> {
        (first..self.table.end().min(last.saturating_add(1))).filter(|d| self.table.is_known(*d))
    }

    /// Takes each descriptor that has changed since the last call.
    pub(crate) fn take(&self, each: impl FnMut(usize)) {
        self.changes.take(each);
    }

    /// Clears the table in a forked child.
    pub(crate) fn restart(&self) {
        self.table.restart();
    }
}
