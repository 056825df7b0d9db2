//! [`Clock`]: the CPU time of a thread.

use std::time::Instant;

/// A clock of a thread's CPU time.
pub(super) struct Clock {
    start: Instant,
}

impl Clock {
    pub(super) fn new() -> Self {
        Clock { start: Instant::now() }
    }

    /// Returns the CPU time of this thread in seconds, which excludes other work on the machine. On
    /// systems without this account, returns the wall time since the clock was made.
    fn now(&self) -> f64 {
        // The kernel updates a thread's account when another thread could be scheduled.
        std::thread::yield_now();
        let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let ns = schedstat.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        ns.map_or_else(|| self.start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
    }

    /// Runs some work and returns its time in seconds.
    pub(super) fn time<T>(&self, work: impl FnOnce() -> T) -> f64 {
        let before = self.now();
        std::hint::black_box(work());
        self.now() - before
    }
}
