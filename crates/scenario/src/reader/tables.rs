//! Tables with their places. Serde's derived structs would also accept lists as tables, and its
//! untagged enums lose places in the document.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use toml::Spanned;

/// Reads a table that may be missing, as a function for `deserialize_with`.
pub(crate) fn table<'de, D, T>(d: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Only::deserialize(d).map(|Only(table)| table)
}

/// Reads a table with its place, as a function for `deserialize_with`.
pub(crate) fn placed<'de, D, T>(d: D) -> Result<Option<Spanned<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let read = Option::<Spanned<Only<T>>>::deserialize(d)?;
    Ok(read.map(inner))
}

/// Reads a list of tables with their places, as a function for `deserialize_with`.
pub(crate) fn list<'de, D, T>(d: D) -> Result<Vec<Spanned<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let read = Vec::<Spanned<Only<T>>>::deserialize(d)?;
    Ok(read.into_iter().map(inner).collect())
}

fn inner<T>(only: Spanned<Only<T>>) -> Spanned<T> {
    Spanned::new(only.span(), only.into_inner().0)
}

/// A wrapper that accepts only a table.
struct Only<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Only<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Map<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Map<T> {
            type Value = Only<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("one [table]")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Only<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Only)
            }
        }
        d.deserialize_any(Map(PhantomData))
    }
}

/// A table that turns a feature on, or `false`.
#[derive(Debug, Clone)]
pub(crate) enum OrFalse<T> {
    False,
    Table(T),
}

/// A table of [`OrFalse`], with an example for errors.
pub(crate) trait Table {
    const EXAMPLE: &'static str;
}

impl<'de, T: Table + Deserialize<'de>> Deserialize<'de> for OrFalse<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Table + Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OrFalse<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(T::EXAMPLE)
            }
            fn visit_bool<E: Error>(self, on: bool) -> Result<OrFalse<T>, E> {
                match on {
                    false => Ok(OrFalse::False),
                    true => Err(E::custom(format_args!(
                        "true says too little; expected {}",
                        T::EXAMPLE
                    ))),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OrFalse<T>, A::Error> {
                let table = MapAccessDeserializer::new(map);
                T::deserialize(table).map(OrFalse::Table)
            }
        }
        d.deserialize_any(Either(PhantomData))
    }
}
