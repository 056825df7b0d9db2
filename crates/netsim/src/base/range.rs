//! [`OutOfRange`]: a number of a model that is out of its range.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// A number of a model that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} can't be {value} (allowed: {allowed})")]
pub struct OutOfRange {
    /// Name of the number.
    pub name: &'static str,
    /// The number with its unit.
    pub value: String,
    /// Allowed values.
    pub allowed: String,
}

/// Checks that a number with this unit, or one that prints its unit, is in its range.
pub(crate) fn within<T: PartialOrd + Display>(
    name: &'static str,
    value: T,
    range: RangeInclusive<T>,
    unit: &str,
) -> Result<(), OutOfRange> {
    if range.contains(&value) {
        return Ok(());
    }
    let number = |value: &T| match unit {
        "" => value.to_string(),
        unit => format!("{value} {unit}"),
    };
    let allowed = format!("{} to {}", number(range.start()), number(range.end()));
    Err(OutOfRange { name, value: number(&value), allowed })
}
