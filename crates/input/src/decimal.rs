//! [`Decimal`]: a number with or without a decimal point.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;

/// A number with or without a decimal point. TOML's integer 1 and float 1.0 are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decimal(pub f64);

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Decimal;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number such as 0.7, without quotes")
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Decimal, E> {
                Ok(Decimal(number))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Decimal, E> {
                Ok(Decimal(number as f64))
            }
        }
        deserializer.deserialize_any(Number)
    }
}
