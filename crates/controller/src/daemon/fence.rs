//! [`Fence`]: the end of the time in which the writer may begin orders.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The end of the time in which the writer may begin orders. The event loop moves it; the writer reads it before each
/// order. So a process that was stopped for longer than its lease begins none of its queued orders.
#[derive(Clone)]
pub(super) struct Fence {
    /// The start of the core's clock.
    began: Instant,
    /// Microseconds since then.
    until: Arc<AtomicU64>,
}

impl Fence {
    pub(super) fn new(began: Instant) -> Self {
        Fence { began, until: Arc::new(AtomicU64::new(0)) }
    }

    pub(super) fn set(&self, until: Duration) {
        let until = u64::try_from(until.as_micros()).unwrap_or(u64::MAX);
        self.until.store(until, Ordering::Release);
    }

    /// Returns whether an order may begin now.
    pub(super) fn is_open(&self) -> bool {
        let until = Duration::from_micros(self.until.load(Ordering::Acquire));
        self.began.elapsed() < until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fence_is_closed_after_its_time() {
        let fence = Fence::new(Instant::now());
        assert!(!fence.is_open());
        fence.set(Duration::MAX);
        assert!(fence.clone().is_open());
        fence.set(fence.began.elapsed());
        assert!(!fence.is_open());
    }
}
