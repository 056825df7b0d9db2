//! [`Line`]: a wire that several use, one after another.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A wire, and the number of its next datagram. Who has its turn waits for all of its answers before the next has his,
/// so that nobody gets what another has asked; and a device never has more of us under way than one may have
/// ([`Patience::window`](crate::infiniband::Patience)).
#[derive(Debug)]
pub(super) struct Line<W> {
    /// Who waits for the wire holds this, so that whoever has just had his turn comes after him.
    next: Mutex<()>,
    wire: Mutex<(W, u32)>,
}

impl<W> Line<W> {
    pub(super) fn new(wire: W) -> Self {
        Line { next: Mutex::new(()), wire: Mutex::new((wire, 1)) }
    }

    /// Waits for the wire. Whoever had it when a thread ended by a fault left nothing half done: each exchange
    /// begins anew.
    pub(super) fn turn(&self) -> MutexGuard<'_, (W, u32)> {
        let _next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
