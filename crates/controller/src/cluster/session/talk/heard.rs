//! What is heard of etcd, and what of it the event loop is told.

use super::{End, Talk};
use crate::cluster::link::Happened;
use crate::core::Input;
use crate::daemon::{Stopped, Write};

impl Talk<'_> {
    /// Something has happened. Where somebody has written, what this one was writing is there, or never will be.
    pub(super) fn happened(&mut self, happened: Happened) -> Result<(), Stopped> {
        let Happened { revision, author, changes, alive, holders, .. } = happened;
        self.of.heard = revision;
        if let Some(author) = author {
            let revision = revision as u64;
            self.of.head = revision;
            let is_ours = (&author.instance, author.run) == (&self.of.endpoints.own, self.of.run);
            let pending = self.of.pending.take();
            match pending.filter(|of| is_ours && of.0.write == author.write) {
                Some((Write { write, .. }, since)) => {
                    self.metrics.stored(since.elapsed());
                    self.events.tell(Input::Stored { write, error: None, revision })?;
                }
                None => self.events.tell(Input::StoredByOther { revision, changes })?,
            }
        }
        for (instance, is_alive) in alive {
            tracing::info!(instance = instance.as_ref(), is_alive, "a controller");
            self.is_unnamed |= !is_alive && instance == self.of.endpoints.own;
            self.of.claims.alive(instance, is_alive);
        }
        for (group, holder) in holders {
            self.of.claims.held(group, holder);
        }
        Ok(())
    }

    /// Reads all that there is.
    pub(super) async fn load(&mut self) -> Result<(), End> {
        let loaded = self.link.load().await?;
        let written = loaded.written.get(&self.of.endpoints.own);
        let written = written.filter(|author| author.run == self.of.run);
        let write = written.map_or(0, |author| author.write);
        self.of.pending = None;
        (self.of.heard, self.of.head) = (loaded.at, loaded.head);
        self.is_unnamed |= !loaded.alive.contains(&self.of.endpoints.own);
        self.is_unruled |= loaded.rules.is_empty();
        self.of.claims.see(loaded.alive, loaded.holders);
        let (revision, records) = (loaded.head, loaded.records);
        Ok(self.events.tell(Input::Reloaded { revision, write, records })?)
    }
}
