//! A stage of a job: the computing of its instances, and their transfers.

use super::pattern::PatternKey;
use crate::jobs::job::{LONGEST, MOST_BYTES};
use crate::reader::values::{Given, decimal, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_units::{Bytes, Time};
use bandwise_workload::job::Stage;
use serde::Deserialize;
use std::ops::Range;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct StageSpec {
    #[serde(default, deserialize_with = "text")]
    compute: Given<Time>,
    pattern: Option<PatternKey>,
    #[serde(default, deserialize_with = "text")]
    bytes: Given<Bytes>,
    #[serde(default, deserialize_with = "decimal")]
    overlap: Given<f64>,
}

impl StageSpec {
    /// Returns the stage, whose place is `at`.
    pub(super) fn resolve(&self, source: &Source, at: Range<usize>) -> Result<Stage, InputError> {
        let compute = match &self.compute {
            Some(given) => within(source, "compute", given, Time::ZERO..=LONGEST)?,
            None => Time::ZERO,
        };
        let bytes = match &self.bytes {
            Some(given) => within(source, "bytes", given, Bytes::new(0)..=MOST_BYTES)?,
            None => Bytes::new(0),
        };
        let overlap = match &self.overlap {
            Some(given) => within(source, "overlap", given, 0.0..=1.0)?,
            None => 0.0,
        };
        if compute == Time::ZERO && bytes.get() == 0 {
            let error = source.error(at, "a stage that does nothing");
            return Err(error.allowed("`compute`, `bytes`, or both"));
        }
        let Some(PatternKey(pattern)) = self.pattern else {
            if bytes.get() > 0 {
                let error = source.error(place(&self.bytes, at), "`bytes` without a `pattern`");
                return Err(error.allowed("a `pattern` besides"));
            }
            return Ok(Stage::computing(compute));
        };
        // The product is below 2^53, so that a double is exact.
        let overlapped = Bytes::new((bytes.get() as f64 * overlap) as u64);
        let exposed = Bytes::new(bytes.get() - overlapped.get());
        Ok(Stage { compute, pattern, overlapped, exposed })
    }
}
