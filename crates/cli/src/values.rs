//! Parsers of flags' values, which refuse a value with the allowed ones.

use bandwise_units::{BitRate, Bytes, Time};
use std::fmt;
use std::ops::RangeInclusive;

/// The reason for which a value is refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The mistake, unless the value alone shows it.
    pub why: Option<String>,
    /// The allowed values.
    pub allowed: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.allowed)
    }
}

impl std::error::Error for Refusal {}

/// Refuses a value.
pub(crate) fn refused<T>(why: Option<String>, allowed: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { why, allowed: allowed.into() })
}

/// Returns a parser of whole numbers in the range.
pub(crate) fn number(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, Refusal> + Clone {
    move |text| match text.trim().parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => refused(None, format!("{} to {}", range.start(), range.end())),
    }
}

/// The largest message size, here as in scenario files.
const LARGEST: Bytes = Bytes::from_kib(1 << 20);

/// Parses the payload of a message: a size with a unit, or a number of bytes.
pub(crate) fn size(text: &str) -> Result<Bytes, Refusal> {
    let allowed = || format!("up to {LARGEST}, such as 64 or \"4 KiB\"");
    let negative = text.trim_start().starts_with('-');
    let read = match text.trim().parse::<u64>() {
        _ if negative => return refused(None, allowed()),
        Ok(bytes) => Ok(Bytes::new(bytes)),
        Err(_) => text.parse::<Bytes>(),
    };
    match read {
        Ok(bytes) if bytes <= LARGEST => Ok(bytes),
        Ok(_) => refused(None, allowed()),
        // A number without a unit that does not fit in 64 bits.
        Err(_) if text.trim().bytes().all(|b| b.is_ascii_digit()) => refused(None, allowed()),
        Err(e) => refused(Some(e.to_string()), allowed()),
    }
}

/// Returns a parser of rates in the range.
pub(crate) fn rate(
    range: RangeInclusive<BitRate>,
    example: &str,
) -> impl Fn(&str) -> Result<BitRate, Refusal> + Clone {
    let allowed = format!("{} to {}, such as {example}", range.start(), range.end());
    move |text| match text.parse() {
        Ok(rate) if range.contains(&rate) => Ok(rate),
        Ok(_) => refused(None, &*allowed),
        Err(error) => refused(Some(error.to_string()), &*allowed),
    }
}

/// Parses a time of 1 us to 1 h.
pub(crate) fn duration(text: &str) -> Result<Time, Refusal> {
    const LEAST: Time = Time::from_us(1);
    const LONGEST: Time = Time::from_ms(3_600_000);
    let allowed = || format!("{LEAST} to {LONGEST}, such as \"10 ms\"");
    match text.parse::<Time>() {
        Ok(time) if (LEAST..=LONGEST).contains(&time) => Ok(time),
        Ok(_) => refused(None, allowed()),
        Err(e) => refused(Some(e.to_string()), allowed()),
    }
}
