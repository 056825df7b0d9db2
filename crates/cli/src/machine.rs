//! Facts about this process and its machine from the operating system; `None` if it does not
//! provide them.

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

/// Returns the CPU time of this thread if `threads` is 1, else of the whole process. The time of a
/// thread is exact if the kernel keeps scheduling statistics; otherwise the resolution is a tick of
/// 1/100 s (`USER_HZ`, which is 100 on all Linux systems).
pub(crate) fn cpu_time(threads: NonZeroUsize) -> Option<Duration> {
    let of_thread = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let ns = text.split_whitespace().next()?.parse().ok()?;
        Some(Duration::from_nanos(ns)).filter(|time| !time.is_zero())
    };
    let of_process = || ticks(&std::fs::read_to_string("/proc/self/stat").ok()?);
    if threads.get() == 1 { of_thread().or_else(of_process) } else { of_process() }
}

/// Returns the sum of `utime` and `stime`, fields 14 and 15. The second field, a name in brackets,
/// may contain any character.
fn ticks(stat: &str) -> Option<Duration> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    let ticks = fields.next()?? + fields.next()??;
    Some(Duration::from_millis(10 * ticks))
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
    fn ticks_are_those_of_user_and_system() {
        let stat = "7 (a) b) R 1 7 7 0 -1 4 90 0 0 0 120 30 5 6 20 0 3 0 99 12 34";
        assert_eq!(ticks(stat), Some(Duration::from_millis(1500)));
        assert_eq!(ticks("7 (a) R 1"), None);
    }

    #[test]
    fn cpu_time_grows_with_work() {
        let Some(before) = cpu_time(NonZeroUsize::MIN) else { return };
        let begun = std::time::Instant::now();
        while begun.elapsed() < Duration::from_millis(100) {
            std::hint::black_box(0);
        }
        assert!(cpu_time(NonZeroUsize::MIN) > Some(before));
    }
}
