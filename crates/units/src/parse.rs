//! Exact conversion of decimal numbers with units, without floating point.

/// The reasons for which a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseUnitError {
    /// The number is below 0.
    #[error("{text:?} is negative")]
    Negative {
        /// The text as given.
        text: String,
    },
    /// The number is missing or malformed.
    #[error("{text:?} does not start with a decimal number such as 1.5")]
    Number {
        /// The text as given.
        text: String,
    },
    /// The number has an exponent.
    #[error("{text:?} has an exponent, and needs a decimal number such as 1.5")]
    Exponent {
        /// The text as given.
        text: String,
    },
    /// The unit is missing.
    #[error("{text:?} needs a unit: {allowed}")]
    NoUnit {
        /// The text as given.
        text: String,
        /// The allowed units, as a list for messages.
        allowed: &'static str,
    },
    /// The unit is not one of those allowed.
    #[error("{text:?} needs another unit: {allowed}")]
    OtherUnit {
        /// The text as given.
        text: String,
        /// The allowed units, as a list for messages.
        allowed: &'static str,
    },
    /// The quantity is finer than one base unit or too large for 64 bits.
    #[error("{text:?} is not a whole number of {base} below 2^63")]
    Range {
        /// The text as given.
        text: String,
        /// The base unit.
        base: &'static str,
    },
}

/// The units of a quantity: name, and number of base units.
pub(crate) type UnitTable = &'static [(&'static str, u64)];

/// Parses `text` as a decimal number and one of `units` into a whole number of base units. A space
/// between number and unit is optional; case matters.
pub(crate) fn quantity(
    text: &str,
    units: UnitTable,
    allowed: &'static str,
    base: &'static str,
) -> Result<u64, ParseUnitError> {
    let number_error = || ParseUnitError::Number { text: text.to_owned() };
    let range_error = || ParseUnitError::Range { text: text.to_owned(), base };
    let trimmed = text.trim();
    let is_number = |s: &str| s.trim_start().starts_with(|c: char| c.is_ascii_digit());
    if trimmed.strip_prefix('-').is_some_and(is_number) {
        return Err(ParseUnitError::Negative { text: text.to_owned() });
    }
    let split = trimmed
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(split);
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() || fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
        return Err(number_error());
    }
    let unit = unit.trim();
    let &(_, scale) = units.iter().find(|(name, _)| *name == unit).ok_or_else(|| {
        let text = text.to_owned();
        match unit.strip_prefix(['e', 'E']) {
            Some(power) if is_number(power.trim_start_matches(['+', '-'])) => {
                ParseUnitError::Exponent { text }
            }
            _ if unit.is_empty() => ParseUnitError::NoUnit { text, allowed },
            _ => ParseUnitError::OtherUnit { text, allowed },
        }
    })?;
    if whole.len() > 19 || fraction.len() > 18 {
        return Err(range_error());
    }
    let scale = u128::from(scale);
    let divisor = 10u128.pow(fraction.len() as u32);
    let digits = |s: &str| if s.is_empty() { Ok(0) } else { s.parse::<u128>() };
    let whole = digits(whole).map_err(|_| number_error())?;
    let fraction = digits(fraction).map_err(|_| number_error())? * scale;
    if fraction % divisor != 0 {
        return Err(range_error());
    }
    let total = whole * scale + fraction / divisor;
    u64::try_from(total).ok().filter(|&t| t < 1 << 63).ok_or_else(range_error)
}

/// Prints `value` base units exactly, without trailing zeros, in the largest of `units` (ascending)
/// that keeps the number at 1 or more.
pub(crate) fn print(
    value: u64,
    units: UnitTable,
    f: &mut std::fmt::Formatter<'_>,
) -> std::fmt::Result {
    let &(name, scale) =
        units.iter().rev().find(|&&(_, scale)| value >= scale).unwrap_or(&units[0]);
    let (whole, rest) = (value / scale, value % scale);
    if rest == 0 {
        return write!(f, "{whole} {name}");
    }
    // Scales of 1024 have no short finite decimal fraction. The next smaller unit prints exactly.
    if !scale.is_multiple_of(1000) {
        let shorter = &units[..units.iter().position(|u| u.1 == scale).unwrap_or(1).max(1)];
        return print(value, if shorter.is_empty() { &units[..1] } else { shorter }, f);
    }
    let width = scale.ilog10() as usize;
    let fraction = format!("{rest:0width$}");
    write!(f, "{whole}.{} {name}", fraction.trim_end_matches('0'))
}

/// Implements `Display`, `FromStr`, `Serialize` and `Deserialize` of a quantity, all by its text.
macro_rules! text_forms {
    ($type:ident, $units:expr, $print:expr, $allowed:literal, $base:literal) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                crate::parse::print(self.0, $print, f)
            }
        }

        impl std::str::FromStr for $type {
            type Err = crate::ParseUnitError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                crate::parse::quantity(text, $units, $allowed, $base).map($type)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use text_forms;
