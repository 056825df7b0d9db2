//! [`TimeError`]: a time of a scenario that is out of its range.

use bandwise_units::Time;
use std::ops::RangeInclusive;

/// Longest simulated time, far below the overflow of picoseconds.
pub(crate) const LONGEST: Time = Time::from_ms(3_600_000);

/// A time of a scenario that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} can't be {value} (allowed: {} to {})", .range.start(), .range.end())]
pub struct TimeError {
    /// Key of `[run]`.
    pub key: &'static str,
    /// Value.
    pub value: Time,
    /// Allowed values.
    pub range: RangeInclusive<Time>,
}

/// Checks a time that was passed to a builder.
pub(crate) fn check(
    key: &'static str,
    value: Time,
    range: RangeInclusive<Time>,
) -> Result<(), TimeError> {
    match range.contains(&value) {
        true => Ok(()),
        false => Err(TimeError { key, value, range }),
    }
}
