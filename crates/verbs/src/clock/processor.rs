//! [`processor_time`]: the processor time of a thread.

use bandwise_units::Time;
use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time of this thread, in user and kernel mode.
pub fn processor_time() -> Time {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Time::from_ns(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// The work of another thread does not count.
    #[test]
    fn processor_time_counts_only_this_thread() {
        let busy = || {
            let before = processor_time();
            while processor_time() - before < Time::from_ms(50) {}
            processor_time() - before
        };
        let before = processor_time();
        let theirs = thread::spawn(busy).join().unwrap();
        let ours = processor_time() - before;
        assert!(ours < theirs, "{ours} beside {theirs}");
    }
}
