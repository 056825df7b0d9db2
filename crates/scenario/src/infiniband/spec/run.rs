//! `[run]`: the duration and the seed.

use crate::infiniband::InfinibandBuilder;
use crate::infiniband::builder::{DURATIONS, WARMUPS};
use crate::reader::values::{Given, number, text, within};
use bandwise_input::{InputError, Source};
use bandwise_units::Time;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct RunSpec {
    #[serde(deserialize_with = "text")]
    warmup: Given<Time>,
    #[serde(deserialize_with = "text")]
    duration: Given<Time>,
    #[serde(deserialize_with = "number")]
    seed: Given<u64>,
    allow_credit_loops: bool,
}

impl RunSpec {
    /// Sets what the table states; the builder has the defaults.
    pub(super) fn set(
        &self,
        source: &Source,
        mut builder: InfinibandBuilder,
    ) -> Result<InfinibandBuilder, InputError> {
        if let Some(warmup) = &self.warmup {
            builder = builder.warmup(within(source, "warmup", warmup, WARMUPS)?);
        }
        if let Some(duration) = &self.duration {
            builder = builder.duration(within(source, "duration", duration, DURATIONS)?);
        }
        if let Some(seed) = &self.seed {
            builder = builder.seed(*seed.get_ref());
        }
        Ok(builder.allow_credit_loops(self.allow_credit_loops))
    }
}
