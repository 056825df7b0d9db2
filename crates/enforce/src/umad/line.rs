//! [`Line`]: a wire that several threads use one after another.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A wire, and the number of its next SMP. A user waits for all answers before the next one starts, so answers are
/// never mixed up, and the device never has more than [`Patience::window`](crate::infiniband::Patience) outstanding
/// requests.
#[derive(Debug)]
pub(super) struct Line<W> {
    /// The lock of the next user. The last user queues behind it.
    next: Mutex<()>,
    wire: Mutex<(W, u32)>,
}

impl<W> Line<W> {
    pub(super) fn new(wire: W) -> Self {
        Line { next: Mutex::new(()), wire: Mutex::new((wire, 1)) }
    }

    /// Waits for the exclusive use of the wire. A panic of the former user does no harm: each
    /// exchange starts anew.
    pub(super) fn turn(&self) -> MutexGuard<'_, (W, u32)> {
        let _next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
