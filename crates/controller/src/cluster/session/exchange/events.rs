//! The events of etcd, and their translation into inputs of the core.

use super::{Exchange, ExchangeEnd};
use crate::cluster::link::RevisionEvents;
use crate::core::Input;
use crate::daemon::{Stopped, Write};
use std::time::Instant;

impl Exchange<'_> {
    /// Handles the events of one revision. After any write, the outcome of this controller's own pending write is
    /// known.
    pub(super) fn handle(&mut self, events: RevisionEvents) -> Result<(), Stopped> {
        let RevisionEvents { revision, author, changes, alive, holders, .. } = events;
        self.of.known.revision = revision;
        if let Some(author) = author {
            self.of.known.author = Some(author.clone());
            let revision = revision as u64;
            self.of.head = revision;
            let is_ours = (&author.instance, author.run) == (&self.of.endpoints.own, self.of.run);
            let pending = self.of.pending.take();
            match pending.filter(|of| is_ours && of.0.write == author.write) {
                Some((Write { write, .. }, since)) => {
                    self.metrics.stored(since.elapsed());
                    self.events.send(Input::Stored { write, error: None, revision })?;
                }
                None => self.events.send(Input::StoredByOther { revision, changes })?,
            }
        }
        for (instance, is_alive) in alive {
            tracing::info!(instance = instance.as_ref(), is_alive, "controller changed state");
            self.lacks_name |= !is_alive && instance == self.of.endpoints.own;
            self.of.claims.alive(instance, is_alive);
        }
        for (group, holder) in holders {
            self.of.claims.held(group, holder);
        }
        Ok(())
    }

    /// Reads the whole store.
    pub(super) async fn load(&mut self) -> Result<(), ExchangeEnd> {
        let loaded = self.link.load().await?;
        let written = loaded.written.get(&self.of.endpoints.own);
        let written = written.filter(|author| author.run == self.of.run);
        let write = written.map_or(0, |author| author.write);
        self.of.pending = None;
        (self.of.known, self.of.head) = (loaded.known, loaded.head);
        self.lacks_name |= !loaded.alive.contains(&self.of.endpoints.own);
        self.lacks_rules |= loaded.rules.is_empty();
        let now = Instant::now();
        let is_holder = self.of.lease.is_some_and(|lease| lease.until > now);
        self.of.claims.see_again(loaded.alive, loaded.holders, is_holder);
        self.of.sure_from = now + self.of.endpoints.lease;
        let (revision, records) = (loaded.head, loaded.records);
        Ok(self.events.send(Input::Reloaded { revision, write, records })?)
    }
}
