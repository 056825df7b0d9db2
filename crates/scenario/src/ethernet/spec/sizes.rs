//! `sizes`: the distribution of flow sizes, a name or a table.

use super::key::Key;
use crate::reader::files::{Files, named};
use crate::reader::values::{Given, Read, names, text, within};
use bandwise_input::{InputError, Source};
use bandwise_units::Bytes;
use bandwise_workload::{IrnSpreads, KNOWN, SizeDistribution, Spread, WorkloadError, read};
use serde::Deserialize;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;

/// The key `sizes`.
#[derive(Debug)]
pub(super) enum SizesKey {
    Name(String),
    Table(SizesSpec),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SizesSpec {
    #[serde(default, deserialize_with = "text")]
    fixed: Given<Bytes>,
    uniform: Option<Spanned<[Read<Bytes>; 2]>>,
    cdf: Option<Spanned<String>>,
    /// "irn-heavy-tailed" with another spread in the range that the paper leaves open.
    #[serde(default, deserialize_with = "text")]
    irn_middle: Given<Spread>,
    #[serde(default, deserialize_with = "text")]
    spread: Given<Spread>,
    /// Bytes of a unit of the sizes in the file.
    #[serde(default, deserialize_with = "text")]
    unit: Given<Bytes>,
}

/// Units of the sizes in a file: bytes, or the payload of a packet.
const UNITS: RangeInclusive<Bytes> = Bytes::new(1)..=Bytes::new(64 << 10);

names! { Spread, "spread", "\"uniform\" or \"log-uniform\"",
"uniform" => Spread::Uniform, "log-uniform" => Spread::LogUniform }

impl Key for SizesKey {
    const EXAMPLE: &'static str = "a name such as \"irn-heavy-tailed\", { fixed = \"1 MB\" }, \
                                   { uniform = [\"500 KB\", \"5 MB\"] } or { cdf = \"FILE\" }";
    type Table = SizesSpec;
    fn text(text: &str) -> Option<Self> {
        Some(SizesKey::Name(text.to_owned()))
    }
    fn table(table: SizesSpec) -> Option<Self> {
        Some(SizesKey::Table(table))
    }
}

/// Returns the distribution of a key, or that of IRN 4.1.
pub(super) fn resolve(
    source: &Source,
    given: &Given<SizesKey>,
    files: Files,
) -> Result<SizeDistribution, InputError> {
    let Some(given) = given else {
        return Ok(SizeDistribution::irn_heavy_tailed(IrnSpreads::default()));
    };
    match given.get_ref() {
        SizesKey::Name(name) => SizeDistribution::known(name).ok_or_else(|| {
            let error = source.error(given.span(), format!("no distribution is called {name:?}"));
            error.allowed(format!("{}, or a table such as {{ cdf = \"FILE\" }}", KNOWN.join(", ")))
        }),
        SizesKey::Table(spec) => spec.resolve(source, given.span(), files),
    }
}

/// Returns the error of a workload at its place.
pub(super) fn refuse(source: &Source, at: Range<usize>, error: &WorkloadError) -> InputError {
    source.error(at, error.to_string()).allowed(error.allowed())
}

impl SizesSpec {
    fn resolve(
        &self,
        source: &Source,
        at: Range<usize>,
        files: Files,
    ) -> Result<SizeDistribution, InputError> {
        if let (Some(spread), None) = (&self.spread, &self.cdf) {
            let error = source.error(spread.span(), "a spread without the points of a `cdf`");
            return Err(error.allowed("`spread` beside `cdf`"));
        }
        if let (Some(unit), None) = (&self.unit, &self.cdf) {
            let error = source.error(unit.span(), "a unit without the sizes of a `cdf`");
            return Err(error.allowed("`unit` beside `cdf`"));
        }
        match (&self.fixed, &self.uniform, &self.cdf, &self.irn_middle) {
            (Some(fixed), None, None, None) => SizeDistribution::fixed(*fixed.get_ref())
                .map_err(|error| refuse(source, fixed.span(), &error)),
            (None, Some(uniform), None, None) => {
                let [Read(least), Read(most)] = *uniform.get_ref();
                SizeDistribution::uniform(least, most)
                    .map_err(|error| refuse(source, uniform.span(), &error))
            }
            (None, None, Some(cdf), None) => {
                let file = named(source, cdf, files)?;
                let spread = self.spread.as_ref().map_or(Spread::Uniform, |s| *s.get_ref());
                let unit = match &self.unit {
                    Some(unit) => within(source, "unit", unit, UNITS)?,
                    None => Bytes::new(1),
                };
                read::cdf(&Source::new(&file.name, &file.text), spread, unit)
            }
            (None, None, None, Some(middle)) => {
                let spreads = IrnSpreads { middle: *middle.get_ref(), ..IrnSpreads::default() };
                Ok(SizeDistribution::irn_heavy_tailed(spreads))
            }
            _ => {
                let error = source.error(at, "several kinds of sizes");
                Err(error.allowed("one of `fixed`, `uniform`, `cdf` and `irn-middle`"))
            }
        }
    }
}
