//! Values with their places. Errors state an example of an allowed value, or the range.

pub use super::host_names::HostNames;

use bandwise_input::{Decimal, InputError, Source};
use bandwise_units::{BitRate, Bytes, Time};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;

/// An optional value.
pub type Given<T> = Option<Spanned<T>>;

/// The longest time of a single stage of a message.
pub(crate) const SECOND: Time = Time::from_ms(1_000);

/// A value that is written as a text: a number with a unit, or a name.
pub trait Text: Sized {
    /// Example of a value, for errors.
    const EXAMPLE: &'static str;
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// Returns a message if the text is no value of the type.
    fn read(text: &str) -> Result<Self, String>;
}

/// Implements [`Text`] for a number with a unit.
macro_rules! quantity {
    ($type:ty, $example:literal) => {
        impl Text for $type {
            const EXAMPLE: &'static str = $example;
            fn read(text: &str) -> Result<Self, String> {
                text.parse().map_err(|e: bandwise_units::ParseUnitError| e.to_string())
            }
        }
    };
}
quantity!(Time, "a time such as \"200 ns\"");
quantity!(Bytes, "a size such as \"32 KiB\"");
quantity!(BitRate, "a rate such as \"10 Gbps\"");

/// Implements [`Text`] for a set of names.
macro_rules! names {
    ($type:ty, $what:literal, $example:literal, $($name:literal => $value:expr),+) => {
        impl $crate::reader::values::Text for $type {
            const EXAMPLE: &'static str = $example;
            fn read(text: &str) -> Result<Self, String> {
                match text {
                    $($name => Ok($value),)+
                    _ => Err(format!(concat!("unknown ", $what, " {:?}"), text)),
                }
            }
        }
    };
}
pub(crate) use names;

/// Reads a text, as a function for `deserialize_with`.
///
/// # Errors
///
/// Returns an error if the value is no text of the type.
pub fn text<'de, D: Deserializer<'de>, T: Text>(d: D) -> Result<Given<T>, D::Error> {
    given(d, |Read::<T>(value)| value)
}

/// Reads a whole number, as a function for `deserialize_with`.
///
/// # Errors
///
/// Returns an error if the value is no whole number.
pub fn number<'de, D: Deserializer<'de>>(d: D) -> Result<Given<u64>, D::Error> {
    given(d, |Number(value)| value)
}

/// Reads a number with or without decimals, as a function for `deserialize_with`.
pub(crate) fn decimal<'de, D: Deserializer<'de>>(d: D) -> Result<Given<f64>, D::Error> {
    given(d, |Decimal(n)| n)
}

/// Reads a number of bytes, with or without a unit, as a function for `deserialize_with`.
pub(crate) fn bytes<'de, D: Deserializer<'de>>(d: D) -> Result<Given<u64>, D::Error> {
    given(d, |NumberOfBytes(value)| value)
}

/// Reads an optional value as an `R`, converts it by `value`, and returns it with its place.
///
/// # Errors
///
/// Returns an error if the value can't be read as an `R`.
pub fn given<'de, D, R, T>(d: D, value: impl FnOnce(R) -> T) -> Result<Given<T>, D::Error>
where
    D: Deserializer<'de>,
    R: Deserialize<'de>,
{
    let read = Option::<Spanned<R>>::deserialize(d)?;
    Ok(read.map(|r| Spanned::new(r.span(), value(r.into_inner()))))
}

/// A text that was read as a `T`.
#[derive(Debug, Clone)]
pub struct Read<T>(pub T);

impl<'de, T: Text> Deserialize<'de> for Read<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Quoted<T>(PhantomData<T>);
        impl<T: Text> Visitor<'_> for Quoted<T> {
            type Value = Read<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(T::EXAMPLE)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Read<T>, E> {
                let wrong = |e| E::custom(format_args!("{e}; expected {}", T::EXAMPLE));
                T::read(text).map(Read).map_err(wrong)
            }
        }
        d.deserialize_any(Quoted(PhantomData))
    }
}

/// A whole number, 0 or more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number(pub(crate) u64);

const NUMBER: &str = "a whole number, 0 or more, without quotes";

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(NUMBER)
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<Number, E> {
                let negative = |_| E::custom(format_args!("{n} is negative; expected {NUMBER}"));
                u64::try_from(n).map(Number).map_err(negative)
            }
            fn visit_u64<E: Error>(self, n: u64) -> Result<Number, E> {
                Ok(Number(n))
            }
            fn visit_i128<E: Error>(self, n: i128) -> Result<Number, E> {
                // Integers that fit into 64 bits with a sign take the methods above.
                u64::try_from(n).map(Number).map_err(|_| {
                    E::custom(format_args!("{n} does not fit 64 bits; expected {NUMBER}"))
                })
            }
        }
        d.deserialize_any(Whole)
    }
}

struct NumberOfBytes(u64);

const BYTES: &str = "a number of bytes such as 4096 or \"4 KiB\"";

impl<'de> Deserialize<'de> for NumberOfBytes {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = NumberOfBytes;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(BYTES)
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<NumberOfBytes, E> {
                let negative = |_| E::custom(format_args!("{n} is negative; expected {BYTES}"));
                u64::try_from(n).map(NumberOfBytes).map_err(negative)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<NumberOfBytes, E> {
                let wrong = |e| E::custom(format_args!("{e}; expected {}", Bytes::EXAMPLE));
                Bytes::read(text).map(|n| NumberOfBytes(n.get())).map_err(wrong)
            }
        }
        d.deserialize_any(Either)
    }
}

/// Returns the value of the key `name`, if it is in its range.
///
/// # Errors
///
/// Returns an [`InputError`] at the value otherwise.
pub fn within<T: Copy + PartialOrd + Display>(
    source: &Source,
    name: &str,
    given: &Spanned<T>,
    range: RangeInclusive<T>,
) -> Result<T, InputError> {
    let value = *given.get_ref();
    if range.contains(&value) {
        return Ok(value);
    }
    let error = source.error(given.span(), format!("{name} can't be {value}"));
    Err(error.allowed(format!("{} to {}", range.start(), range.end())))
}

/// Returns the place of a value, or else another place.
pub fn place<T>(given: &Given<T>, or: Range<usize>) -> Range<usize> {
    given.as_ref().map_or(or, Spanned::span)
}
