//! `table` in `[congestion-control]`: the wait of sources at each index (IBTA A10).

use crate::reader::values::{Given, Number, number, within};
use bandwise_input::{Decimal, InputError, Source};
use bandwise_rdma::ib_congestion::{CctEntry, linear_table, quadratic_table};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::ops::Range;
use toml::Spanned;

/// The table as a document states it.
#[derive(Debug)]
pub(super) enum CctSpec {
    /// A linear table of this number of entries: entry n waits n packet times.
    Linear(u64),
    /// A table whose waits grow with the square of the index.
    Quadratic(QuadraticSpec),
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct QuadraticSpec {
    /// Number of entries.
    quadratic: Spanned<Number>,
    /// Wait of the last entry, in packet times.
    longest: Spanned<Decimal>,
    /// Waits are multiples of 2^-shift packet times.
    #[serde(default, deserialize_with = "number")]
    shift: Given<u64>,
}

const EXAMPLE: &str = "a number of entries such as 128, or { quadratic = 128, longest = 5.76 }";

/// Most entries: CCTI_Limit has 16 bits.
const ENTRIES: u64 = u16::MAX as u64;

impl<'de> Deserialize<'de> for CctSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = CctSpec;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(EXAMPLE)
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<CctSpec, E> {
                let negative = |_| E::custom(format_args!("{n} is negative; expected {EXAMPLE}"));
                u64::try_from(n).map(CctSpec::Linear).map_err(negative)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CctSpec, A::Error> {
                let table = MapAccessDeserializer::new(map);
                QuadraticSpec::deserialize(table).map(CctSpec::Quadratic)
            }
        }
        d.deserialize_any(Either)
    }
}

impl CctSpec {
    /// Returns the table, whose place is `at`.
    pub(super) fn resolve(
        &self,
        source: &Source,
        at: Range<usize>,
    ) -> Result<Vec<CctEntry>, InputError> {
        match self {
            CctSpec::Linear(entries) => {
                let given = Spanned::new(at, *entries);
                Ok(linear_table(within(source, "table", &given, 1..=ENTRIES)? as u16))
            }
            CctSpec::Quadratic(spec) => {
                let entries = Spanned::new(spec.quadratic.span(), spec.quadratic.get_ref().0);
                let entries = within(source, "quadratic", &entries, 2..=ENTRIES)? as u16;
                let shift = match &spec.shift {
                    Some(given) => within(source, "shift", given, 0..=3)? as u8,
                    None => 3,
                };
                let most = f64::from(CctEntry::MAX_MULTIPLIER) / f64::from(1u8 << shift);
                let longest = Spanned::new(spec.longest.span(), spec.longest.get_ref().0);
                let longest = within(source, "longest", &longest, 0.0..=most)?;
                Ok(quadratic_table(entries, longest, shift).expect("it is within what has a code"))
            }
        }
    }
}
