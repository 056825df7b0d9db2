//! The ranges of parameters, beyond which an algorithm would divide by nothing or never come to an
//! end.

use crate::reader::values::{Given, within};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// A part of something.
pub(super) const PART: RangeInclusive<f64> = 0.0..=1.0;
/// A part of something that can't be nothing: averages would stand still, or it is divided by.
pub(super) const SOME: RangeInclusive<f64> = 1e-6..=1.0;
/// Packets by which a window grows in a round trip.
pub(super) const STEPS: RangeInclusive<f64> = 0.0..=1_000.0;
/// How often something is counted.
pub(super) const COUNTS: RangeInclusive<u64> = 0..=1_000_000;
/// A step of a rate.
pub(super) const RATE_STEPS: RangeInclusive<BitRate> = BitRate::from_bps(0)..=MOST_RATE;
/// A least rate: a packet must leave some day.
pub(super) const LEAST_RATES: RangeInclusive<BitRate> = BitRate::from_bps(1_000)..=MOST_RATE;
const MOST_RATE: BitRate = BitRate::from_gbps(100_000);
/// A timer whose ends are counted one by one.
pub(super) const TIMERS: RangeInclusive<Time> = Time::from_us(1)..=crate::reader::values::SECOND;

/// What is given, if it is in its range, or else the usual value.
pub(super) fn read<T: Copy + PartialOrd + Display>(
    source: &Source,
    name: &str,
    given: &Given<T>,
    range: RangeInclusive<T>,
    usual: T,
) -> Result<T, InputError> {
    given.as_ref().map_or(Ok(usual), |given| within(source, name, given, range))
}

/// The same for a count.
pub(super) fn count(
    source: &Source,
    name: &str,
    given: &Given<u64>,
    usual: u32,
) -> Result<u32, InputError> {
    Ok(read(source, name, given, COUNTS, usual.into())? as u32)
}

/// The same for what zero turns off.
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
