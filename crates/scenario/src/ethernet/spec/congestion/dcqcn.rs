//! `[congestion-control.dcqcn]`.

use super::range::{LEAST_RATES, PART, RATE_STEPS, SOME, TIMERS, count, read, zero_or};
use crate::reader::values::{Given, SECOND, decimal, number, text};
use bandwise_input::{InputError, Source};
use bandwise_rdma::congestion::{DcqcnSettings, NotificationSettings};
use bandwise_units::{BitRate, Bytes, Time};
use serde::Deserialize;
use std::ops::RangeInclusive;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct DcqcnSpec {
    #[serde(deserialize_with = "decimal")]
    gain: Given<f64>,
    #[serde(deserialize_with = "text")]
    alpha_timer: Given<Time>,
    #[serde(deserialize_with = "text")]
    increase_timer: Given<Time>,
    #[serde(deserialize_with = "text")]
    byte_counter: Given<Bytes>,
    #[serde(deserialize_with = "number")]
    fast_recovery: Given<u64>,
    #[serde(deserialize_with = "text")]
    additive_increase: Given<BitRate>,
    #[serde(deserialize_with = "text")]
    hyper_increase: Given<BitRate>,
    #[serde(deserialize_with = "text")]
    min_rate: Given<BitRate>,
    clamp_target: Option<bool>,
    #[serde(deserialize_with = "decimal")]
    back_off: Given<f64>,
    #[serde(deserialize_with = "text")]
    cnp_interval: Given<Time>,
}

/// Range of byte counters. Below it, a packet could expire a counter thousands of times.
const BYTE_COUNTERS: RangeInclusive<Bytes> = Bytes::from_kib(1)..=Bytes::from_kib(1 << 20);

impl DcqcnSpec {
    /// Returns the settings of senders.
    pub(super) fn resolve(&self, source: &Source) -> Result<DcqcnSettings, InputError> {
        let usual = DcqcnSettings::default();
        let timer = |name, given, usual| zero_or(source, name, given, TIMERS, usual);
        let step = |name, given, usual| read(source, name, given, RATE_STEPS, usual);
        let bytes = &self.byte_counter;
        Ok(DcqcnSettings {
            gain: read(source, "gain", &self.gain, SOME, usual.gain)?,
            alpha_timer: timer("alpha-timer", &self.alpha_timer, usual.alpha_timer)?,
            increase_timer: timer("increase-timer", &self.increase_timer, usual.increase_timer)?,
            byte_counter: zero_or(
                source,
                "byte-counter",
                bytes,
                BYTE_COUNTERS,
                usual.byte_counter,
            )?,
            fast_recovery: count(
                source,
                "fast-recovery",
                &self.fast_recovery,
                usual.fast_recovery,
            )?,
            additive_increase: step(
                "additive-increase",
                &self.additive_increase,
                usual.additive_increase,
            )?,
            hyper_increase: step("hyper-increase", &self.hyper_increase, usual.hyper_increase)?,
            min_rate: read(source, "min-rate", &self.min_rate, LEAST_RATES, usual.min_rate)?,
            clamp_target: self.clamp_target.unwrap_or(usual.clamp_target),
            back_off: read(source, "back-off", &self.back_off, PART, usual.back_off)?,
        })
    }

    /// Returns the settings of receivers.
    pub(super) fn notification(&self, source: &Source) -> Result<NotificationSettings, InputError> {
        let usual = NotificationSettings::default().interval;
        let times = Time::ZERO..=SECOND;
        let interval = read(source, "cnp-interval", &self.cnp_interval, times, usual)?;
        Ok(NotificationSettings { interval })
    }
}
