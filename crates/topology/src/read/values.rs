//! Values of the TOML form. Their errors contain an example.

use bandwise_units::{BitRate, Time};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// A quantity in quotes, such as `"100 Gbps"`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quantity<T>(pub(super) T);

/// A valid value for error messages.
pub(super) trait Example: FromStr<Err: fmt::Display> {
    const EXAMPLE: &'static str;
}

impl Example for BitRate {
    const EXAMPLE: &'static str = "a rate such as \"100 Gbps\"";
}

impl Example for Time {
    const EXAMPLE: &'static str = "a delay such as \"10 ns\"";
}

impl<'de, T: Example> Deserialize<'de> for Quantity<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<T>(PhantomData<T>);
        impl<T: Example> Visitor<'_> for Text<T> {
            type Value = Quantity<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(T::EXAMPLE)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Quantity<T>, E> {
                let wrong = |e| E::custom(format_args!("{e}; expected {}", T::EXAMPLE));
                text.parse().map(Quantity).map_err(wrong)
            }
        }
        deserializer.deserialize_any(Text(PhantomData))
    }
}

/// A count. Its user checks the range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count(pub(super) i64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Count;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a whole number such as 8, without quotes")
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Count, E> {
                Ok(Count(number))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
                Ok(Count(i64::try_from(number).unwrap_or(i64::MAX)))
            }
        }
        deserializer.deserialize_any(Number)
    }
}
