//! `[model]`: the kind of sensitivity models.

use crate::reader::values::{Given, names, number, text, within};
use bandwise_input::{InputError, Source};
use bandwise_saba::sensitivity::{Degree, Kind};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct ModelSpec {
    #[serde(deserialize_with = "text")]
    kind: Given<KindKey>,
    #[serde(deserialize_with = "number")]
    degree: Given<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KindKey {
    Monotone,
    Polynomial,
}

names! { KindKey, "kind of model", "\"monotone\" or \"polynomial\"",
"monotone" => KindKey::Monotone, "polynomial" => KindKey::Polynomial }

/// Default degree (Saba 4.6.2).
const DEGREE: u64 = 3;

impl ModelSpec {
    pub(super) fn resolve(&self, source: &Source) -> Result<Kind, InputError> {
        let polynomial = self.kind.as_ref().is_some_and(|k| *k.get_ref() == KindKey::Polynomial);
        let degree = match &self.degree {
            Some(given) if !polynomial => {
                let error = source.error(given.span(), "a degree without a polynomial");
                return Err(error.allowed("kind = \"polynomial\" besides"));
            }
            Some(given) => within(source, "degree", given, 1..=3)?,
            None => DEGREE,
        };
        match polynomial {
            false => Ok(Kind::Monotone),
            true => {
                let degree = Degree::try_from(degree as u8).expect("1 to 3 are degrees");
                Ok(Kind::Polynomial(degree))
            }
        }
    }
}
