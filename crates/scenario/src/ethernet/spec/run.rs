//! `[run]`: seed, limit of simulated time, and warm-up.

use crate::ethernet::EthernetBuilder;
use crate::ethernet::builder::{LIMITS, warmups};
use crate::reader::values::{Given, number, text, within};
use bandwise_input::{InputError, Source};
use bandwise_units::Time;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct RunSpec {
    #[serde(deserialize_with = "number")]
    seed: Given<u64>,
    #[serde(deserialize_with = "text")]
    limit: Given<Time>,
    #[serde(deserialize_with = "text")]
    warmup: Given<Time>,
    pause_storm: Given<Time>,
}

impl RunSpec {
    /// Sets what the table states; the builder has the defaults.
    pub(super) fn set(
        &self,
        source: &Source,
        mut builder: EthernetBuilder,
    ) -> Result<EthernetBuilder, InputError> {
        let limit = |given| within(source, "limit", given, LIMITS);
        let limit = self.limit.as_ref().map(limit).transpose()?;
        if let Some(limit) = limit {
            builder = builder.limit(limit);
        }
        if let Some(warmup) = &self.warmup {
            builder = builder.warmup(within(source, "warmup", warmup, warmups(limit))?);
        }
        if let Some(storm) = &self.pause_storm {
            builder = builder.storm(within(source, "pause-storm", storm, LIMITS)?);
        }
        if let Some(seed) = &self.seed {
            builder = builder.seed(*seed.get_ref());
        }
        Ok(builder)
    }
}
