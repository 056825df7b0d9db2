//! [`Tsc`]: the processor's time-stamp counter.

use super::Clock;
use bandwise_units::Time;
use std::fmt;
use std::time::{Duration, Instant};

/// The time-stamp counter of an x86-64 processor, read by RDTSCP. All earlier instructions are done at the reading, and
/// a load fence keeps later ones behind it (Paoloni, "How to Benchmark Code Execution Times on Intel IA-32 and IA-64
/// Instruction Set Architectures", 3.2, as RPerf does). Its rate is measured against the system's clock at the start.
#[derive(Debug, Clone, Copy)]
pub struct Tsc {
    /// The counter at time zero.
    zero: u64,
    /// The picoseconds per tick, in units of 2^-32.
    ps_per_tick: u64,
}

/// The reason for which the counter can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TscError {
    /// The processor has no such counter.
    #[error("this processor has no time-stamp counter that is read by RDTSCP")]
    Missing,
    /// The counter changes its rate, or stops.
    #[error("the time-stamp counter of this processor is not invariant: its rate changes")]
    NotInvariant,
    /// Two measurements of the rate differ, or the counter stands still.
    #[error("the time-stamp counter deviates from the system's clock")]
    Unsteady,
}

/// The duration of each of two measurements of the rate. Reading the system's clock has an error of
/// some tens of nanoseconds, a few millionths of this duration.
const COUNTED: Duration = Duration::from_millis(10);

/// The largest relative difference of the two measurements: one part in this number.
const STEADY: u64 = 5_000;

impl Tsc {
    /// Returns a clock that reads zero now. It takes 20 ms.
    ///
    /// # Errors
    ///
    /// Returns [`TscError`] if the processor has no counter of constant rate.
    pub fn start() -> Result<Self, TscError> {
        counter::check()?;
        let (first, second) = (rate(COUNTED), rate(COUNTED));
        let (low, high) = (first.min(second), first.max(second));
        if low == 0 || high - low > high / STEADY {
            return Err(TscError::Unsteady);
        }
        Ok(Tsc { zero: counter::read(), ps_per_tick: low + (high - low) / 2 })
    }

    /// Returns the ticks of a second.
    pub fn hertz(&self) -> u64 {
        ((1_000_000_000_000u128 << 32) / u128::from(self.ps_per_tick)) as u64
    }
}

impl fmt::Display for Tsc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the time-stamp counter, {:.0} MHz", self.hertz() as f64 / 1e6)
    }
}

impl Clock for Tsc {
    #[inline]
    fn now(&self) -> Time {
        let ticks = counter::read().saturating_sub(self.zero);
        Time::from_ps(ps(ticks, self.ps_per_tick))
    }
}

/// Converts ticks to picoseconds, rounded down.
#[inline]
fn ps(ticks: u64, ps_per_tick: u64) -> u64 {
    ((u128::from(ticks) * u128::from(ps_per_tick)) >> 32) as u64
}

/// Measures the picoseconds per tick in units of 2^-32 for about the given duration; 0 if the
/// counter stands still.
fn rate(counted: Duration) -> u64 {
    let (began, first) = read_both();
    loop {
        let (now, last) = read_both();
        let elapsed = now - began;
        if elapsed >= counted {
            let ps = u128::from(elapsed.as_nanos() as u64) * 1_000;
            let rate = (ps << 32).checked_div(u128::from(last.saturating_sub(first)));
            return rate.map_or(0, |rate| u64::try_from(rate).unwrap_or(0));
        }
    }
}

/// Reads both clocks at one moment: the closest of a few pairs of readings.
fn read_both() -> (Instant, u64) {
    let reading = || {
        let before = counter::read();
        let now = Instant::now();
        let after = counter::read();
        (after.saturating_sub(before), now, before + after.saturating_sub(before) / 2)
    };
    let best = (0..5).map(|_| reading()).min_by_key(|&(took, ..)| took);
    let (_, now, ticks) = best.expect("there were five");
    (now, ticks)
}

#[cfg(target_arch = "x86_64")]
mod counter {
    use super::TscError;
    use core::arch::x86_64::{__cpuid, __rdtscp, _mm_lfence};

    /// CPUID leaf 8000_0007H, EDX: the counter has one rate in all states of the processor.
    const INVARIANT: u32 = 1 << 8;
    /// CPUID leaf 8000_0001H, EDX.
    const RDTSCP: u32 = 1 << 27;

    #[allow(unsafe_code, unused_unsafe)]
    pub(super) fn check() -> Result<(), TscError> {
        // SAFETY: every x86-64 processor has CPUID. A leaf is read only if the processor reports
        // that it has the leaf.
        let edx = |leaf: u32| unsafe {
            if __cpuid(0x8000_0000).eax < leaf { 0 } else { __cpuid(leaf).edx }
        };
        if edx(0x8000_0001) & RDTSCP == 0 {
            return Err(TscError::Missing);
        }
        if edx(0x8000_0007) & INVARIANT == 0 { Err(TscError::NotInvariant) } else { Ok(()) }
    }

    #[allow(unsafe_code, unused_unsafe)]
    #[inline]
    pub(super) fn read() -> u64 {
        let mut processor = 0;
        // SAFETY: `check` has found RDTSCP, which writes only to `processor`. Every x86-64
        // processor has the load fence.
        unsafe {
            let ticks = __rdtscp(&mut processor);
            _mm_lfence();
            ticks
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod counter {
    use super::TscError;

    pub(super) fn check() -> Result<(), TscError> {
        Err(TscError::Missing)
    }

    pub(super) fn read() -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_time() {
        // 4 GHz: 250 ps a tick. A third of a nanosecond: rounded down.
        assert_eq!(ps(8, 250 << 32), 2_000);
        assert_eq!(ps(3, ((1_000u64 << 32) / 3) + 1), 1_000);
        // A hundred days of ticks: intermediate values of more than 64 bits.
        let days = 100 * 86_400 * 4_000_000_000u64;
        assert_eq!(ps(days, 250 << 32), days * 250);
    }

    /// The counter, if there is one, never goes back and keeps pace with the system's clock.
    #[test]
    fn tsc_keeps_pace_with_the_system_clock() {
        let tsc = match Tsc::start() {
            Ok(tsc) => tsc,
            // Some processors and machines have no reliable counter, and report that.
            Err(error) => return assert_ne!(error.to_string(), ""),
        };
        // One pair of readings around the system's, one within it: true even if other threads run in between.
        let (outer, began) = (tsc.now(), Instant::now());
        let inner = tsc.now();
        let mut before = inner;
        while began.elapsed() < COUNTED {
            let now = tsc.now();
            assert!(now >= before);
            before = now;
        }
        let within = (tsc.now() - inner).as_s_f64();
        let elapsed = began.elapsed().as_secs_f64();
        let around = (tsc.now() - outer).as_s_f64();
        assert!(within <= elapsed * 1.001, "{within} s in {elapsed} s");
        assert!(around >= elapsed * 0.999, "{around} s in {elapsed} s");
    }
}
