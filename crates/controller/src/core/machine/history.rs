//! The effect of stored changes, by this controller and by others that share the store.

use super::Core;
use super::waiting::{Waiting, Writing};
use crate::core::batch::Batch;
use crate::core::change::Change;
use crate::core::output::Output;
use crate::core::request::{ClientId, Refusal};
use crate::core::state::State;

/// The number of ids of each kind that are skipped after the store was emptied or restored. Other controllers may have
/// given so many that this one has not learned.
const UNKNOWN_IDS: u64 = 1 << 24;

impl Core {
    /// Handles the end of a write: applies its changes, or undoes them after a failure.
    pub(super) fn stored(&mut self, write: u64, error: Option<String>, revision: u64) {
        if write != self.writes {
            return;
        }
        let Some(Writing { mut batch, .. }) = self.writing.take() else { return };
        if let Some(error) = error {
            self.take_back(&mut batch);
            // Answers without changes are refused too: they may depend on changes that were undone.
            let refused = batch.answers.into_iter();
            let refused = refused.map(|of| (of.0, Err(Refusal::NotStored(error.clone()))));
            return self.answer(refused.collect());
        }
        self.revision = revision;
        self.pass_all_on(&batch.changes);
        self.take_effect(&batch.changes, &batch.undo);
        if batch.moved > 0 {
            self.out.push_back(Output::Rerouted { connections: batch.moved });
        }
        self.out.extend(batch.dropped.into_iter().map(|client| Output::Dropped { client }));
        self.answer(batch.answers);
        self.settle();
    }

    /// Handles changes by another controller. An unfinished write of this controller was decided
    /// before them, so the store has not accepted it.
    pub(super) fn learned(&mut self, revision: u64, changes: Vec<Change>) {
        self.decide_anew();
        let is_back = changes.iter().any(|change| self.is_back(change));
        let (changes, undo) = self.apply_learned(revision, changes);
        match is_back {
            true => self.allocate_anew(),
            false => self.pass_all_on(&changes),
        }
        self.take_effect(&changes, &undo);
        self.settle();
    }

    /// Returns whether something comes back that has ended, as another controller may bring it from an old copy of the
    /// store.
    fn is_back(&self, change: &Change) -> bool {
        let (next, state) = (self.state.next, &self.state);
        match change {
            Change::Application(id, Some(_)) => {
                id.0 < next.application && !state.applications.contains_key(id)
            }
            Change::Connection(id, Some(_)) => {
                id.0 < next.connection && !state.connections.contains_key(id)
            }
            _ => false,
        }
    }

    /// Handles all records of the store after the store was unreachable, emptied, or restored from an old copy.
    pub(super) fn known(&mut self, revision: u64, write: u64, records: Vec<Change>) {
        match self.writing.is_some() && write == self.writes {
            true => self.stored(write, None, revision),
            false => self.decide_anew(),
        }
        let stored = State::of(records);
        if stored.next.or_later(self.state.next) != stored.next {
            self.state.next = self.state.next.after(UNKNOWN_IDS);
        }
        let (changes, undo) = self.apply_learned(revision, self.state.until(&stored));
        // Saba's controller takes no id again that has ended, and an old copy has such ids.
        self.allocate_anew();
        self.take_effect(&changes, &undo);
    }

    /// Applies changes of others to the state. Returns them, and the changes that undo them.
    ///
    /// Ids never come again: if the store was emptied or restored from an old copy, this controller keeps its next ids
    /// and stores them.
    fn apply_learned(
        &mut self,
        revision: u64,
        mut changes: Vec<Change>,
    ) -> (Vec<Change>, Vec<Change>) {
        self.revision = revision;
        for change in &mut changes {
            let Change::Next(next) = change else { continue };
            let later = next.or_later(self.state.next);
            if std::mem::replace(next, later) != later {
                self.waiting.push_front(Waiting::Ids);
            }
        }
        let undo = changes.iter().map(|of| self.state.apply(of.clone())).collect();
        (changes, undo)
    }

    /// Undoes the write that is in progress. Its requests go into the next write.
    fn decide_anew(&mut self) {
        let Some(Writing { mut batch, taken }) = self.writing.take() else { return };
        self.take_back(&mut batch);
        for waiting in taken.into_iter().rev() {
            self.waiting.push_front(waiting);
        }
    }

    fn take_back(&mut self, batch: &mut Batch) {
        batch.take_back(&mut self.state);
        for change in &batch.changes {
            // The groups may have changed during the write.
            if let Change::Client(client, _) = change {
                self.keep_lease(*client);
            }
        }
    }

    /// Keeps the lease of a client whose group this controller holds, and of no other one.
    fn keep_lease(&mut self, client: ClientId) {
        let home = self.state.clients.get(&client).map(|of| &of.home);
        let is_ours = home.is_some_and(|home| self.holding.has(home));
        match (is_ours, self.leases.has(client)) {
            (true, false) => self.renew(client),
            (false, true) => self.leases.forget(client),
            _ => {}
        }
    }

    /// Makes stored changes effective, apart from Saba's controller.
    fn take_effect(&mut self, changes: &[Change], undo: &[Change]) {
        for before in undo {
            if let Change::Connection(_, Some(closed)) = before {
                closed.path.iter().for_each(|&port| self.ports.count(port, false));
            }
        }
        for change in changes {
            match change {
                Change::Connection(_, Some(made)) => {
                    made.path.iter().for_each(|&port| self.ports.count(port, true));
                }
                Change::Client(client, _) => self.keep_lease(*client),
                Change::Drained(port, drained) => {
                    self.ports
                        .change(*port, self.now, &self.rules, |port| port.is_drained = *drained);
                }
                _ => {}
            }
        }
    }
}
