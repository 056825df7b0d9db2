//! The events of etcd, and their translation into inputs of the core.

use super::steps::Step;
use super::{Notice, Session, SessionOutput};
use crate::cluster::calls::{Content, Failure, Update};
use crate::cluster::content::{Loaded, RevisionEvents};
use crate::core::Input;
use crate::daemon::Write;
use std::time::Duration;

impl Session {
    /// Handles changes that the watch reports. Reads the whole store after a manual edit.
    pub(super) fn updated(&mut self, now: Duration, update: Update) -> Result<(), Failure> {
        let mut is_unclear = update.is_cancelled;
        for events in RevisionEvents::read(&self.of.keys, &update.events) {
            is_unclear |= events.is_manual_edit();
            if is_unclear {
                self.out.push_back(SessionOutput::Notice(Notice::Edited(events.revision)));
                break;
            }
            self.happened(now, events);
        }
        if is_unclear {
            // The lease is renewed when the store is read.
            (self.watch, self.keep_alive) = (None, None);
            self.load(Step::LoadsAgain);
        }
        Ok(())
    }

    /// Handles the events of one revision. After any write, the outcome of this controller's own pending write is
    /// known.
    fn happened(&mut self, now: Duration, events: RevisionEvents) {
        let RevisionEvents { revision, author, changes, alive, holders, .. } = events;
        self.revision = revision;
        if let Some(author) = author {
            let revision = revision as u64;
            self.head = revision;
            self.author = Some(author.clone());
            let is_ours = (&author.instance, author.run) == (&self.of.own, self.of.run);
            let pending = self.pending.take();
            let stored = match pending.filter(|of| is_ours && of.0.write == author.write) {
                Some((Write { write, .. }, since)) => {
                    self.out.push_back(SessionOutput::Stored(now.saturating_sub(since)));
                    Input::Stored { write, error: None, revision }
                }
                None => Input::StoredByOther { revision, changes },
            };
            self.out.push_back(SessionOutput::Tell(stored));
        }
        for (instance, is_alive) in alive {
            self.lacks_name |= !is_alive && instance == self.of.own;
            let notice = Notice::Alive(instance.clone(), is_alive);
            self.out.push_back(SessionOutput::Notice(notice));
            self.claims.alive(instance, is_alive);
        }
        for (group, holder) in holders {
            self.claims.held(group, holder);
        }
    }

    /// Takes over the whole store.
    pub(super) fn loaded(&mut self, now: Duration, content: &Content) -> Result<(), Failure> {
        let loaded = Loaded::read(&self.of.keys, content)?;
        let written = loaded.written.get(&self.of.own);
        let written = written.filter(|author| author.run == self.of.run);
        let write = written.map_or(0, |author| author.write);
        self.pending = None;
        (self.cluster, self.revision) = (loaded.cluster, loaded.at);
        (self.head, self.author) = (loaded.head, loaded.author);
        self.lacks_name |= !loaded.alive.contains(&self.of.own);
        self.lacks_rules |= loaded.rules.is_empty();
        let is_holder = self.lease.is_some_and(|lease| lease.until > now);
        self.claims.see_again(loaded.alive, loaded.holders, is_holder);
        self.sure_from = now + self.of.lease;
        let (revision, records) = (loaded.head, loaded.records);
        self.out.push_back(SessionOutput::Tell(Input::Reloaded { revision, write, records }));
        Ok(())
    }
}
