//! `[congestion-control.hpcc]`.

use super::range::{SOME, count, read};
use crate::reader::values::{Given, decimal, number, text};
use bandwise_input::{InputError, Source};
use bandwise_rdma::congestion::HpccSettings;
use bandwise_units::Bytes;
use serde::Deserialize;
use std::ops::RangeInclusive;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct HpccSpec {
    #[serde(deserialize_with = "decimal")]
    target: Given<f64>,
    #[serde(deserialize_with = "number")]
    max_stage: Given<u64>,
    #[serde(deserialize_with = "text")]
    additive_increase: Given<Bytes>,
}

/// Range of a window's steps.
const WINDOW_STEPS: RangeInclusive<Bytes> = Bytes::ZERO..=Bytes::from_kib(1 << 20);

impl HpccSpec {
    pub(super) fn resolve(&self, source: &Source) -> Result<HpccSettings, InputError> {
        let usual = HpccSettings::default();
        let (step, name) = (&self.additive_increase, "additive-increase");
        Ok(HpccSettings {
            target: read(source, "target", &self.target, SOME, usual.target)?,
            max_stage: count(source, "max-stage", &self.max_stage, usual.max_stage)?,
            additive_increase: read(source, name, step, WINDOW_STEPS, usual.additive_increase)?,
        })
    }
}
