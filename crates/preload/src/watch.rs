//! [`Watch`]: what calls of the program do to what is known of descriptors.

use crate::changes::Changes;
use crate::peer::Peer;
use crate::table::{At, Id, Table};

/// A table, and which of it changed. `N` descriptors in `WORDS` times 64 bits.
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

    /// A descriptor is a connection from now on, whatever it was before.
    pub(crate) fn connected(&self, descriptor: usize, peer: Peer) {
        self.table.put(descriptor, peer);
        self.changes.note(descriptor);
    }

    /// A descriptor is about to be closed, or to be connected elsewhere. To be said before: afterwards it may be
    /// somebody else's.
    pub(crate) fn closing(&self, descriptor: usize) {
        if self.table.is_known(descriptor) {
            self.table.clear(descriptor);
            self.changes.note(descriptor);
        }
    }

    /// `to` is the same as `from` from now on.
    pub(crate) fn duplicated(&self, from: usize, to: usize) {
        match self.table.at(from) {
            At::Connection(id, peer) => {
                self.table.put_as(to, id, peer);
                self.changes.note(to);
            }
            At::Own | At::Nothing => self.closing(to),
        }
    }

    /// A connection's descriptor turned out to be something else by now.
    pub(crate) fn lost(&self, descriptor: usize, id: Id) {
        self.table.clear_if(descriptor, id);
        self.changes.note(descriptor);
    }

    /// What is known, without a look at who is at the other end.
    pub(crate) fn is_known(&self, descriptor: usize) -> bool {
        self.table.is_known(descriptor)
    }

    pub(crate) fn at(&self, descriptor: usize) -> At {
        self.table.at(descriptor)
    }

    /// The library itself has opened a descriptor.
    pub(crate) fn opened_own(&self, descriptor: usize) {
        self.closing(descriptor);
        self.table.put_own(descriptor);
    }

    /// The library's own descriptors, from one on.
    pub(crate) fn own_from(&self, first: usize) -> impl Iterator<Item = usize> {
        (first..self.table.end()).filter(|descriptor| self.table.at(*descriptor) == At::Own)
    }

    /// Descriptors of which something is known, in a range.
    pub(crate) fn known(&self, first: usize, last: usize) -> impl Iterator<Item = usize> {
        (first..self.table.end().min(last.saturating_add(1))).filter(|d| self.table.is_known(*d))
    }

    /// Each descriptor that has changed since the last time.
    pub(crate) fn take(&self, each: impl FnMut(usize)) {
        self.changes.take(each);
    }

    /// This is another process.
    pub(crate) fn restart(&self) {
        self.table.restart();
    }
}
