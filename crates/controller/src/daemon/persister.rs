//! [`Persister`]: whoever stores changes, one write after another.

use super::Metrics;
use super::handle::Message;
use crate::core::{Change, Group, Input};
use crate::store::Store;
use std::sync::mpsc::SyncSender;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedReceiver;

/// A write to the store.
#[derive(Debug, Clone)]
pub struct Write {
    /// Its number.
    pub write: u64,
    /// What the store is to have come to: else it is not to be stored.
    pub after: u64,
    /// What: all of it or nothing, in this order.
    pub changes: Vec<Change>,
}

/// What a persister is told.
#[derive(Debug)]
pub enum PersisterMessage {
    /// To store something.
    Write(Write),
    /// Nothing is under way any more at ports of a group that was had.
    Released(Group),
}

/// By which a persister tells the event loop what is stored, and which groups are had.
#[derive(Clone)]
pub struct EventSender {
    messages: SyncSender<Message>,
    /// When the core's clock began.
    began: Instant,
}

impl EventSender {
    pub(super) fn new(messages: SyncSender<Message>, began: Instant) -> Self {
        EventSender { messages, began }
    }

    /// Tells it, unless it has ended.
    pub fn tell(&self, update: Input) -> Result<(), Stopped> {
        self.messages.send(Message::Persisted(update)).map_err(|_| Stopped)
    }

    /// Tells it that it has these groups until then.
    pub fn holds(&self, groups: Vec<Group>, until: Instant) -> Result<(), Stopped> {
        self.tell(Input::Held { groups, until: until.saturating_duration_since(self.began) })
    }
}

/// The event loop has ended.
#[derive(Debug, Clone, Copy)]
pub struct Stopped;

/// Whoever stores changes.
pub trait Persister: Send {
    /// Stores what comes, and says so, until nothing comes any more.
    fn run(
        self: Box<Self>,
        messages: UnboundedReceiver<PersisterMessage>,
        events: &EventSender,
        metrics: &Metrics,
    ) -> Result<(), Stopped>;
}

/// A store that nobody else writes to.
impl<S: Store + 'static> Persister for S {
    fn run(
        mut self: Box<Self>,
        mut messages: UnboundedReceiver<PersisterMessage>,
        events: &EventSender,
        metrics: &Metrics,
    ) -> Result<(), Stopped> {
        while let Some(message) = messages.blocking_recv() {
            let PersisterMessage::Write(Write { write, changes, .. }) = message else { continue };
            let began = Instant::now();
            let error = Store::write(&mut *self, &changes).err().map(|error| error.to_string());
            metrics.stored(began.elapsed());
            events.tell(Input::Stored { write, error, revision: 0 })?;
        }
        Ok(())
    }
}
