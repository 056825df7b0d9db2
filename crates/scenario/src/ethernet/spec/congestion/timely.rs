//! `[congestion-control.timely]`.

use super::range::{LEAST_RATES, PART, RATE_STEPS, SOME, count, read};
use crate::reader::values::{Given, SECOND, decimal, number, text};
use bandwise_input::{InputError, Source};
use bandwise_rdma::congestion::TimelySettings;
use bandwise_units::{BitRate, Bytes, Time};
use serde::Deserialize;
use std::ops::RangeInclusive;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct TimelySpec {
    #[serde(deserialize_with = "text")]
    segment: Given<Bytes>,
    #[serde(deserialize_with = "decimal")]
    ewma: Given<f64>,
    #[serde(deserialize_with = "text")]
    min_rtt: Given<Time>,
    #[serde(deserialize_with = "text")]
    low: Given<Time>,
    #[serde(deserialize_with = "text")]
    high: Given<Time>,
    #[serde(deserialize_with = "text")]
    additive_increase: Given<BitRate>,
    #[serde(deserialize_with = "decimal")]
    decrease: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    floor: Given<f64>,
    #[serde(deserialize_with = "number")]
    hyper_after: Given<u64>,
    #[serde(deserialize_with = "text")]
    min_rate: Given<BitRate>,
    #[serde(deserialize_with = "decimal")]
    back_off: Given<f64>,
}

/// Bytes for each update; 0 for an update with each acknowledgement.
const SEGMENTS: RangeInclusive<Bytes> = Bytes::ZERO..=Bytes::from_kib(1 << 20);
/// Range of the least round trip, which is the divisor of gradients.
const LEAST_ROUND_TRIPS: RangeInclusive<Time> = Time::from_ns(1)..=SECOND;

impl TimelySpec {
    pub(super) fn resolve(&self, source: &Source) -> Result<TimelySettings, InputError> {
        let usual = TimelySettings::default();
        let part = |name, given, usual| read(source, name, given, PART, usual);
        let steps = &self.additive_increase;
        let high = read(source, "high", &self.high, Time::ZERO..=SECOND, usual.high)?;
        Ok(TimelySettings {
            segment: read(source, "segment", &self.segment, SEGMENTS, usual.segment)?,
            ewma: read(source, "ewma", &self.ewma, SOME, usual.ewma)?,
            min_rtt: read(source, "min-rtt", &self.min_rtt, LEAST_ROUND_TRIPS, usual.min_rtt)?,
            // If the given upper threshold is below the default lower one, the lower one is lowered
            // to it.
            low: read(source, "low", &self.low, Time::ZERO..=high, usual.low.min(high))?,
            high,
            additive_increase: read(
                source,
                "additive-increase",
                steps,
                RATE_STEPS,
                usual.additive_increase,
            )?,
            decrease: part("decrease", &self.decrease, usual.decrease)?,
            floor: part("floor", &self.floor, usual.floor)?,
            hyper_after: count(source, "hyper-after", &self.hyper_after, usual.hyper_after)?,
            min_rate: read(source, "min-rate", &self.min_rate, LEAST_RATES, usual.min_rate)?,
            back_off: part("back-off", &self.back_off, usual.back_off)?,
        })
    }
}
