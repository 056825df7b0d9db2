//! [`Persister`]: the thread that stores changes, one write after another.

use super::Metrics;
use super::message::Event;
use super::queue::Queue;
use crate::core::{Change, Group, Input};
use crate::store::Store;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// A write to the store.
#[derive(Debug, Clone)]
pub struct Write {
    /// The number of the write.
    pub write: u64,
    /// The store's revision at the decision. The write counts only if the store still has it.
    pub after: u64,
    /// The changes, to be stored all or none, in this order.
    pub changes: Vec<Change>,
}

/// A message to the persister.
#[derive(Debug)]
pub enum PersisterMessage {
    /// Store changes.
    Write(Write),
    /// A group that this controller has to release has no outstanding orders.
    Released(Group),
}

/// The sender of stored changes and held groups to the event loop.
#[derive(Clone)]
pub struct EventSender {
    queue: Queue,
    /// The start of the core's clock.
    began: Instant,
}

impl EventSender {
    pub(super) fn new(queue: Queue, began: Instant) -> Self {
        EventSender { queue, began }
    }

    /// Sends an update to the event loop.
    ///
    /// # Errors
    ///
    /// Returns [`Stopped`] if the event loop has ended.
    pub fn send(&self, update: Input) -> Result<(), Stopped> {
        self.queue.event(Event::Persisted(update)).map_err(|_| Stopped)
    }

    /// Returns the time by the core's clock.
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }
}

/// The event loop has ended.
#[derive(Debug, Clone, Copy)]
pub struct Stopped;

/// A store of changes that runs in its own thread.
pub trait Persister: Send {
    /// Stores the changes of each message and reports the result, until the sender of messages is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`Stopped`] if the event loop has ended.
    fn run(
        self: Box<Self>,
        messages: UnboundedReceiver<PersisterMessage>,
        events: &EventSender,
        metrics: &Metrics,
    ) -> Result<(), Stopped>;
}

/// A store without other writers.
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
            events.send(Input::Stored { write, error, revision: 0 })?;
        }
        Ok(())
    }
}
