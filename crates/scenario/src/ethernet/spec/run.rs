//! `[run]`: seed, limit of simulated time, and warm-up.

use crate::ethernet::builder::STORM;
use crate::reader::values::{Given, number, text, within};
use crate::time_range::LONGEST;
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
    warm_up: Given<Time>,
    pause_storm: Given<Time>,
}

pub(super) struct Run {
    pub(super) seed: u64,
    pub(super) limit: Option<Time>,
    pub(super) warm_up: Time,
    pub(super) storm: Time,
}

impl RunSpec {
    pub(super) fn resolve(&self, source: &Source) -> Result<Run, InputError> {
        let limit = |given| within(source, "limit", given, Time::from_us(1)..=LONGEST);
        let storm = |given| within(source, "pause-storm", given, Time::from_us(1)..=LONGEST);
        let limit = self.limit.as_ref().map(limit).transpose()?;
        // No flow would count after a warm-up beyond the limit.
        let longest = limit.unwrap_or(LONGEST);
        let warm_up = |given| within(source, "warm-up", given, Time::ZERO..=longest);
        Ok(Run {
            seed: self.seed.as_ref().map_or(1, |seed| *seed.get_ref()),
            limit,
            warm_up: self.warm_up.as_ref().map_or(Ok(Time::ZERO), warm_up)?,
            storm: self.pause_storm.as_ref().map_or(Ok(STORM), storm)?,
        })
    }
}
