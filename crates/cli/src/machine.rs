//! Facts about this process and its machine from the operating system; `None` if it does not
//! provide them.

use rustix::time::{ClockId, DynamicClockId, clock_gettime_dynamic};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Returns the peak resident memory of this process in bytes (`VmHWM`).
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib: u64 = field(&status, "VmHWM")?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Returns the processor's name.
pub(crate) fn cpu_model() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    field(&info, "model name").map(str::to_owned)
}

/// Returns the number of cores that this process may use.
pub(crate) fn cores() -> Option<usize> {
    std::thread::available_parallelism().ok().map(usize::from)
}

/// Returns the CPU time of this thread if `threads` is 1, else of the whole process.
pub(crate) fn cpu_time(threads: NonZeroUsize) -> Option<Duration> {
    let clock = if threads.get() == 1 { ClockId::ThreadCPUTime } else { ClockId::ProcessCPUTime };
    let time = clock_gettime_dynamic(DynamicClockId::Known(clock)).ok()?;
    Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Returns the value of the first line `name: value`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let of = |line: &'a str| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    };
    text.lines().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_grows_with_work() {
        let before = cpu_time(NonZeroUsize::MIN).unwrap();
        let begun = std::time::Instant::now();
        while begun.elapsed() < Duration::from_millis(100) {
            std::hint::black_box(0);
        }
        assert!(cpu_time(NonZeroUsize::MIN).unwrap() > before);
    }
}
