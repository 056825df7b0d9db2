//! Where threads wait for each other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A barrier for rounds of less than a millisecond: who waits looks again and again, as to sleep and
/// to be woken would take longer. A thread that panics breaks it, so that nobody waits for ever.
#[derive(Debug)]
pub(crate) struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
}

/// How often a thread looks before it lets others have the core. Some microseconds: where there are
/// fewer cores than threads, the one waited for may need this one.
const LOOKS: u32 = 4_000;

impl Barrier {
    pub const fn new(threads: usize) -> Self {
        Barrier {
            threads,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// Returns once all threads are here. What each did before is seen by all. Panics if one of them
    /// panicked.
    pub fn wait(&self) {
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

    /// While this lives, a panic of its thread breaks the barrier.
    pub fn guard(&self) -> Guard<'_> {
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
