//! The time on a core.

use std::time::Instant;

/// A clock of a thread's work.
pub(super) struct Clock {
    start: Instant,
}

impl Clock {
    pub(super) fn new() -> Self {
        Clock { start: Instant::now() }
    }

    /// Returns the seconds for which this thread has had a core, so that other work on the machine
    /// does not count. On systems without this account, returns the wall time since the clock was
    /// made.
    fn now(&self) -> f64 {
        // The system brings its account of a thread up to date when another could have its place.
        std::thread::yield_now();
        let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let ns = schedstat.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        ns.map_or_else(|| self.start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
    }

    /// Returns the seconds that some work takes.
    pub(super) fn time<T>(&self, work: impl FnOnce() -> T) -> f64 {
        let before = self.now();
        std::hint::black_box(work());
        self.now() - before
    }
}
