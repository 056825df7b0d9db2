//! The ranges of parameters. Outside of them, an algorithm would divide by zero or never end.

use crate::reader::values::{Given, within};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Fractions.
pub(super) const PART: RangeInclusive<f64> = 0.0..=1.0;
/// Fractions above 0, which are divisors or weights of moving averages.
pub(super) const SOME: RangeInclusive<f64> = 1e-6..=1.0;
/// Packets by which a window grows per round trip.
pub(super) const STEPS: RangeInclusive<f64> = 0.0..=1_000.0;
/// Counts.
pub(super) const COUNTS: RangeInclusive<u64> = 0..=1_000_000;
/// Steps of a rate.
pub(super) const RATE_STEPS: RangeInclusive<BitRate> = BitRate::from_bps(0)..=MOST_RATE;
/// Lowest rates, at which a packet can still leave.
pub(super) const LEAST_RATES: RangeInclusive<BitRate> = BitRate::from_bps(1_000)..=MOST_RATE;
/// Highest rate of a sender or a port.
pub(super) const MOST_RATE: BitRate = BitRate::from_gbps(100_000);
/// Timers whose expirations are counted.
pub(super) const TIMERS: RangeInclusive<Time> = Time::from_us(1)..=crate::reader::values::SECOND;

/// Returns a given value in its range, or else the default.
pub(super) fn read<T: Copy + PartialOrd + Display>(
    source: &Source,
    name: &str,
    given: &Given<T>,
    range: RangeInclusive<T>,
    usual: T,
) -> Result<T, InputError> {
    given.as_ref().map_or(Ok(usual), |given| within(source, name, given, range))
}

/// Returns a given count in its range, or else the default.
pub(super) fn count(
    source: &Source,
    name: &str,
    given: &Given<u64>,
    usual: u32,
) -> Result<u32, InputError> {
    Ok(read(source, name, given, COUNTS, usual.into())? as u32)
}

/// Returns a given value that is in its range or 0, which turns the feature off, or else the
/// default.
pub(super) fn zero_or<T: Copy + PartialOrd + Display + Default>(
    source: &Source,
    name: &str,
    given: &Given<T>,
    range: RangeInclusive<T>,
    usual: T,
) -> Result<T, InputError> {
    match given {
        Some(given) if *given.get_ref() == T::default() => Ok(T::default()),
        Some(given) if !range.contains(given.get_ref()) => {
            let message = format!("{name} can't be {}", given.get_ref());
            let allowed =
                format!("{} for none, or {} to {}", T::default(), range.start(), range.end());
            Err(source.error(given.span(), message).allowed(allowed))
        }
        Some(given) => Ok(*given.get_ref()),
        None => Ok(usual),
    }
}
