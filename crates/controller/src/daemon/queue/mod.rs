//! [`Queue`]: the messages that wait for the event loop.

mod turns;
mod waiting;

use super::message::{Asked, Event, Message, Read};
use crate::core::Owner;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use waiting::Waiting;

/// The messages that wait for the event loop. All clones share them.
#[derive(Clone)]
pub(super) struct Queue(Arc<Shared>);

struct Shared {
    /// `None` after the end of the event loop.
    waiting: Mutex<Option<Waiting>>,
    /// A message has arrived.
    arrived: Condvar,
    /// An event was taken, or the event loop has ended.
    left: Condvar,
}

/// The reason why a message is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Untaken {
    /// Too many messages of the owner wait.
    Full,
    /// The event loop has ended.
    Ended,
}

impl Queue {
    pub(super) fn new() -> Self {
        let waiting = Mutex::new(Some(Waiting::new()));
        Queue(Arc::new(Shared { waiting, arrived: Condvar::new(), left: Condvar::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, push: impl FnOnce(&mut Waiting) -> bool) -> Result<(), Untaken> {
        let is_taken = push(self.lock().as_mut().ok_or(Untaken::Ended)?);
        self.0.arrived.notify_one();
        if is_taken { Ok(()) } else { Err(Untaken::Full) }
    }

    /// Adds a call of this owner.
    pub(super) fn call(&self, owner: Owner, asked: Asked) -> Result<(), Untaken> {
        self.push(|waiting| waiting.call(owner, asked))
    }

    /// Adds a read for this owner.
    pub(super) fn read(&self, owner: Owner, read: Read) -> Result<(), Untaken> {
        self.push(|waiting| waiting.read(owner, read))
    }

    /// Adds an event, as soon as there is room.
    ///
    /// # Errors
    ///
    /// Returns [`Untaken::Ended`] if the event loop has ended.
    pub(super) fn event(&self, event: Event) -> Result<(), Untaken> {
        let has_none =
            |waiting: &mut Option<Waiting>| waiting.as_ref().is_some_and(|of| !of.has_room());
        let waiting = self.0.left.wait_while(self.lock(), has_none);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        waiting.as_mut().ok_or(Untaken::Ended)?.event(event);
        self.0.arrived.notify_one();
        Ok(())
    }

    /// Adds a stop, which goes before all other messages.
    pub(super) fn stop(&self) {
        // The event loop may have ended already.
        let _ = self.push(|waiting| {
            waiting.stop();
            true
        });
    }

    /// Takes the next message, if there is one.
    pub(super) fn pop(&self) -> Option<Message> {
        let message = self.lock().as_mut()?.pop();
        if matches!(message, Some(Message::Event(_))) {
            self.0.left.notify_one();
        }
        message
    }

    /// Waits until a message is there, for this time at most.
    pub(super) fn wait(&self, most: Duration) {
        let is_empty =
            |waiting: &mut Option<Waiting>| waiting.as_ref().is_none_or(Waiting::is_empty);
        drop(self.0.arrived.wait_timeout_while(self.lock(), most, is_empty));
    }

    /// Refuses all further messages, and drops those that wait.
    pub(super) fn end(&self) {
        let waiting = self.lock().take();
        self.0.left.notify_all();
        // Callers hear of the end as their messages are dropped.
        drop(waiting);
    }
}
