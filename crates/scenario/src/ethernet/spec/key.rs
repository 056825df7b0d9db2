//! Keys with values of several kinds, such as `false` or a number.

use crate::reader::values::{Given, given};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A value of one of several kinds. A kind whose method is not implemented is refused.
pub(super) trait Key: Sized {
    /// Example of a value, for errors.
    const EXAMPLE: &'static str;
    /// Type of a table.
    type Table: for<'de> Deserialize<'de>;

    fn truth(_: bool) -> Option<Self> {
        None
    }
    fn number(_: u64) -> Option<Self> {
        None
    }
    fn text(_: &str) -> Option<Self> {
        None
    }
    fn table(_: Self::Table) -> Option<Self> {
        None
    }
}

/// A table type for keys that accept no table.
#[derive(Debug, serde::Deserialize)]
pub(super) enum NoTable {}

/// Reads a key, as a function for `deserialize_with`.
pub(super) fn key<'de, D: Deserializer<'de>, T: Key>(d: D) -> Result<Given<T>, D::Error> {
    given(d, |Any::<T>(value)| value)
}

struct Any<T>(T);

impl<'de, T: Key> Deserialize<'de> for Any<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct AnyOf<T>(PhantomData<T>);
        impl<'de, T: Key> Visitor<'de> for AnyOf<T> {
            type Value = Any<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(T::EXAMPLE)
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<Any<T>, E> {
                let wrong =
                    || E::custom(format_args!("it can't be {value}; expected {}", T::EXAMPLE));
                T::truth(value).map(Any).ok_or_else(wrong)
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Any<T>, E> {
                let wrong = || E::invalid_type(Unexpected::Signed(value), &self);
                u64::try_from(value).ok().and_then(T::number).map(Any).ok_or_else(wrong)
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Any<T>, E> {
                let wrong =
                    || E::custom(format_args!("it can't be {value:?}; expected {}", T::EXAMPLE));
                T::text(value).map(Any).ok_or_else(wrong)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Any<T>, A::Error> {
                let table = T::Table::deserialize(MapAccessDeserializer::new(map))?;
                T::table(table)
                    .map(Any)
                    .ok_or_else(|| A::Error::invalid_type(Unexpected::Map, &self))
            }
        }
        d.deserialize_any(AnyOf(PhantomData))
    }
}
