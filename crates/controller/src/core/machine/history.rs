//! The effect of stored changes, by this controller and by others that share the store.

use super::Core;
use super::waiting::{Waiting, Writing};
use crate::core::change::Change;
use crate::core::output::Output;
use crate::core::request::Refusal;
use crate::core::state::State;

impl Core {
    /// Handles the end of a write: applies its changes, or undoes them after a failure.
    pub(super) fn stored(&mut self, write: u64, error: Option<String>, revision: u64) {
        if write != self.writes {
            return;
        }
        let Some(Writing { mut batch, .. }) = self.writing.take() else { return };
        if let Some(error) = error {
            batch.take_back(&mut self.state);
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
    ///
    /// Ids never come again: if the store was emptied or restored from an old copy, this controller keeps its next ids
    /// and stores them.
    pub(super) fn learned(&mut self, revision: u64, changes: Vec<Change>) {
        self.decide_anew();
        let is_back = changes.iter().any(|change| self.is_back(change));
        self.learn(revision, changes, is_back);
    }

    fn learn(&mut self, revision: u64, mut changes: Vec<Change>, is_back: bool) {
        self.revision = revision;
        for change in &mut changes {
            let Change::Next(next) = change else { continue };
            let later = next.or_later(self.state.next);
            if std::mem::replace(next, later) != later {
                self.waiting.push_front(Waiting::Ids);
            }
        }
        let undo: Vec<Change> = changes.iter().map(|of| self.state.apply(of.clone())).collect();
        if !is_back {
            self.pass_all_on(&changes);
        }
        self.take_effect(&changes, &undo);
        match is_back {
            true => self.begin_anew(),
            false => self.settle(),
        }
    }

    /// Returns whether something is back that has ended, as an old copy of the store brings it.
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

    /// Returns whether an application is another one than before, as in a store that was emptied and used since.
    fn is_other(&self, change: &Change) -> bool {
        let Change::Application(id, Some(of)) = change else { return false };
        self.state.applications.get(id).is_some_and(|known| known != of)
    }

    /// Handles all records of the store after the store was unreachable.
    pub(super) fn known(&mut self, revision: u64, write: u64, records: Vec<Change>) {
        match self.writing.is_some() && write == self.writes {
            true => self.stored(write, None, revision),
            false => self.decide_anew(),
        }
        let changes = self.state.until(&State::of(records));
        let is_back = changes.iter().any(|change| self.is_back(change) || self.is_other(change));
        self.learn(revision, changes, is_back);
    }

    /// Undoes the write that is in progress. Its requests go into the next write.
    fn decide_anew(&mut self) {
        let Some(Writing { mut batch, taken }) = self.writing.take() else { return };
        batch.take_back(&mut self.state);
        for waiting in taken.into_iter().rev() {
            self.waiting.push_front(waiting);
        }
    }

    /// Passes stored changes to Saba's controller.
    fn pass_all_on(&mut self, changes: &[Change]) {
        for change in changes {
            match self.pass_on(change) {
                Ok(()) => {}
                Err(invalid) => {
                    self.out.push_back(Output::RecordIgnored { error: invalid.to_string() });
                    continue;
                }
            }
            if let Change::Connection(_, Some(opened)) = change {
                opened.path.iter().for_each(|&port| self.ports.count(port, true));
            }
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
                Change::Client(client, of) => {
                    let is_ours = of.as_ref().is_some_and(|of| self.holding.has(&of.home));
                    match (is_ours, self.leases.has(*client)) {
                        (true, false) => self.renew(*client),
                        (false, true) => self.leases.forget(*client),
                        _ => {}
                    }
                }
                Change::Drained(port, drained) => {
                    self.ports
                        .change(*port, self.now, &self.rules, |port| port.is_drained = *drained);
                }
                _ => {}
            }
        }
    }
}
