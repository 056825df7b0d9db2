//! `[congestion-control.swift]`.

use super::range::{PART, SOME, STEPS, count, read};
use crate::reader::values::{Given, SECOND, decimal, number, text};
use bandwise_input::{InputError, Source};
use bandwise_rdma::congestion::SwiftSettings;
use bandwise_units::Time;
use serde::Deserialize;
use std::ops::RangeInclusive;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct SwiftSpec {
    #[serde(deserialize_with = "text")]
    queueing: Given<Time>,
    #[serde(deserialize_with = "text")]
    scaling_range: Given<Time>,
    #[serde(deserialize_with = "decimal")]
    scaling_min: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    scaling_max: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    increase: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    decrease: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    max_decrease: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    min_window: Given<f64>,
    #[serde(deserialize_with = "number")]
    reset_after: Given<u64>,
}

/// Range of windows of flow scaling, in packets. Their square roots are divisors.
const SCALING: RangeInclusive<f64> = 1e-6..=1e6;
const TIMES: RangeInclusive<Time> = Time::ZERO..=SECOND;

impl SwiftSpec {
    pub(super) fn resolve(&self, source: &Source) -> Result<SwiftSettings, InputError> {
        let usual = SwiftSettings::default();
        let time = |name, given, usual| read(source, name, given, TIMES, usual);
        let part = |name, given, usual| read(source, name, given, PART, usual);
        let most = read(source, "scaling-max", &self.scaling_max, SCALING, usual.scaling_max)?;
        let up_to = *SCALING.start()..=most;
        // If the given maximum is below the default minimum, the minimum is lowered to it.
        let least = usual.scaling_min.min(most);
        Ok(SwiftSettings {
            queueing: time("queueing", &self.queueing, usual.queueing)?,
            scaling_range: time("scaling-range", &self.scaling_range, usual.scaling_range)?,
            scaling_min: read(source, "scaling-min", &self.scaling_min, up_to, least)?,
            scaling_max: most,
            increase: read(source, "increase", &self.increase, STEPS, usual.increase)?,
            decrease: part("decrease", &self.decrease, usual.decrease)?,
            max_decrease: part("max-decrease", &self.max_decrease, usual.max_decrease)?,
            min_window: read(source, "min-window", &self.min_window, SOME, usual.min_window)?,
            reset_after: count(source, "reset-after", &self.reset_after, usual.reset_after)?,
        })
    }
}
