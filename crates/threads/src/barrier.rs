//! [`Barrier`]: a synchronisation point of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A spinning barrier for rounds of less than a millisecond, because sleeping and waking would take
/// longer. A panic of one thread breaks the barrier, so that no other waits forever.
#[derive(Debug)]
pub(crate) struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
}

/// The number of polls before a thread yields its core. They take some microseconds. If there are
/// fewer cores than threads, the awaited thread may need this core.
const LOOKS: u32 = 4_000;

impl Barrier {
    pub(crate) const fn new(threads: usize) -> Self {
        Barrier {
            threads,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// Waits until all threads are here. Each then sees the writes of the others before the
    /// barrier.
    ///
    /// # Panics
    ///
    /// Panics if another thread has panicked.
    pub(crate) fn wait(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.round.load(Ordering::Acquire) == round {
            assert!(!self.broken.load(Ordering::Acquire), "another thread panicked");
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }

    /// Returns a guard. A panic of the thread during its life breaks the barrier.
    pub(crate) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

pub(crate) struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
        }
    }
}
