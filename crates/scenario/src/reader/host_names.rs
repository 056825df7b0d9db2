//! [`HostNames`]: one name of a host, or a list of names, with their places.

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use toml::Spanned;

/// The hosts of a flow, one or several, by name.
#[derive(Debug, Clone)]
pub enum HostNames {
    /// A single host.
    One(Spanned<String>),
    /// Several hosts with a flow each.
    Each(Spanned<Vec<Spanned<String>>>),
}

impl<'de> Deserialize<'de> for HostNames {
    /// Deserializes without serde's untagged enums, which lose places in the document.
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NameOrList;
        impl<'de> Visitor<'de> for NameOrList {
            type Value = Names;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a host, or a list of names such as [\"h1\", \"h2\"]")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Names, E> {
                Ok(Names::One(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Names, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Names::Each)
            }
        }
        enum Names {
            One(String),
            Each(Vec<Spanned<String>>),
        }
        impl<'de> Deserialize<'de> for Names {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                d.deserialize_any(NameOrList)
            }
        }
        let names = Spanned::<Names>::deserialize(d)?;
        let span = names.span();
        Ok(match names.into_inner() {
            Names::One(name) => HostNames::One(Spanned::new(span, name)),
            Names::Each(names) => HostNames::Each(Spanned::new(span, names)),
        })
    }
}
