//! [`Deadline`]: the time until which this process may write ports.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The time until which this process may write ports. The event loop sets it, and the writer asks for it right before
/// each write: a process that was suspended may have orders from before.
#[derive(Debug, Clone, Default)]
pub(super) struct Deadline(Arc<Mutex<Option<Instant>>>);

impl Deadline {
    /// Sets the time; `None` without other controllers.
    pub(super) fn set(&self, until: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Returns whether another controller may write the ports.
    pub(super) fn has_passed(&self) -> bool {
        let until = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| until <= Instant::now())
    }
}
