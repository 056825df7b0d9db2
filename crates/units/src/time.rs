//! [`Time`]: instants and durations in picoseconds.

use crate::parse::{UnitTable, text_forms};
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// An instant since the start of a run, or a duration, in picoseconds.
///
/// 64 bits hold 213 days. Arithmetic panics on overflow, also in release builds, because a
/// simulation with a wrapped time prints wrong numbers only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub(crate) u64);

const UNITS: UnitTable = &[
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("µs", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
];
const PRINT: UnitTable =
    &[("ps", 1), ("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];

impl Time {
    /// The start of a run, or an empty duration.
    pub const ZERO: Time = Time(0);
    /// An instant after all events.
    pub const MAX: Time = Time(u64::MAX);

    /// Returns `n` picoseconds.
    pub const fn from_ps(n: u64) -> Self {
        Time(n)
    }
    /// Returns `n` nanoseconds.
    pub const fn from_ns(n: u64) -> Self {
        Time(n * 1_000)
    }
    /// Returns `n` microseconds.
    pub const fn from_us(n: u64) -> Self {
        Time(n * 1_000_000)
    }
    /// Returns `n` milliseconds.
    pub const fn from_ms(n: u64) -> Self {
        Time(n * 1_000_000_000)
    }
    /// Returns the time in picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// Returns the time in nanoseconds, for output.
    pub fn as_ns_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }
    /// Returns the time in seconds, for output.
    pub fn as_s_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }
    /// Returns `self - earlier` in picoseconds, negative if `earlier` is later.
    pub const fn signed_ps_since(self, earlier: Time) -> i64 {
        self.0 as i64 - earlier.0 as i64
    }
    /// Returns `self - other`, or zero if `other` is later.
    pub const fn saturating_sub(self, other: Time) -> Time {
        Time(self.0.saturating_sub(other.0))
    }
    /// Returns `self + other`, or [`Time::MAX`] on overflow.
    pub const fn saturating_add(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0.checked_add(other.0).expect("time beyond 2^64 ps"))
    }
}
impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}
impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0.checked_sub(other.0).expect("a later time subtracted from an earlier one"))
    }
}
impl Mul<u64> for Time {
    type Output = Time;
    fn mul(self, n: u64) -> Time {
        Time(self.0.checked_mul(n).expect("time beyond 2^64 ps"))
    }
}
impl Div<u64> for Time {
    type Output = Time;
    fn div(self, n: u64) -> Time {
        Time(self.0 / n)
    }
}
impl std::iter::Sum for Time {
    fn sum<I: Iterator<Item = Time>>(iter: I) -> Time {
        iter.fold(Time::ZERO, Add::add)
    }
}

text_forms!(Time, UNITS, PRINT, "ps, ns, us, ms or s", "picoseconds");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_units_are_read_and_printed() {
        for (text, ps) in [("200 ns", 200_000), ("1.5us", 1_500_000), ("0 s", 0), ("7 ps", 7)] {
            assert_eq!(text.parse::<Time>().unwrap().as_ps(), ps, "{text}");
        }
        assert_eq!(Time::from_ps(1_500_000).to_string(), "1.5 us");
        assert_eq!(Time::from_ns(432).to_string(), "432 ns");
        for bad in ["", "ns", "-1 ns", "1", "1 h", "1. ns", "0.5 ps", "1e3 ns", "99999999 s"] {
            assert!(bad.parse::<Time>().is_err(), "{bad:?} must not parse");
        }
    }

    proptest::proptest! {
        #[test]
        fn times_round_trip(ps in 0u64..1 << 63) {
            let time = Time::from_ps(ps);
            proptest::prop_assert_eq!(time.to_string().parse::<Time>().unwrap(), time);
        }
    }
}
