//! `[run]`: the duration and the seed.

use crate::reader::values::{Given, number, text, within};
use crate::time_range::LONGEST;
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
    pub(super) allow_credit_loops: bool,
}

/// The duration and the seed of a run.
pub(super) struct Run {
    pub(super) warmup: Time,
    pub(super) duration: Time,
    pub(super) seed: u64,
}

impl RunSpec {
    /// Returns the defaults.
    pub(super) fn default_run() -> Run {
        Run { warmup: Time::from_us(100), duration: Time::from_ms(50), seed: 1 }
    }

    pub(super) fn resolve(&self, source: &Source) -> Result<Run, InputError> {
        let mut run = Self::default_run();
        if let Some(warmup) = &self.warmup {
            run.warmup = within(source, "warmup", warmup, Time::ZERO..=LONGEST)?;
        }
        if let Some(duration) = &self.duration {
            run.duration = within(source, "duration", duration, Time::from_ps(1)..=LONGEST)?;
        }
        if let Some(seed) = &self.seed {
            run.seed = *seed.get_ref();
        }
        Ok(run)
    }
}
