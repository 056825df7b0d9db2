//! `[congestion-control.aimd]` and `[congestion-control.dctcp]`, whose windows grow as TCP's does.

use super::range::{PART, SOME, STEPS, read};
use crate::reader::values::{Given, decimal};
use bandwise_input::{InputError, Source};
use bandwise_rdma::congestion::{AimdSettings, DctcpSettings};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct AimdSpec {
    #[serde(deserialize_with = "decimal")]
    increase: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    decrease: Given<f64>,
}

impl AimdSpec {
    pub(super) fn resolve(&self, source: &Source) -> Result<AimdSettings, InputError> {
        let usual = AimdSettings::default();
        Ok(AimdSettings {
            increase: read(source, "increase", &self.increase, STEPS, usual.increase)?,
            decrease: read(source, "decrease", &self.decrease, PART, usual.decrease)?,
        })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct DctcpSpec {
    #[serde(deserialize_with = "decimal")]
    gain: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    increase: Given<f64>,
    #[serde(deserialize_with = "decimal")]
    decrease: Given<f64>,
}

impl DctcpSpec {
    pub(super) fn resolve(&self, source: &Source) -> Result<DctcpSettings, InputError> {
        let usual = DctcpSettings::default();
        Ok(DctcpSettings {
            gain: read(source, "gain", &self.gain, SOME, usual.gain)?,
            increase: read(source, "increase", &self.increase, STEPS, usual.increase)?,
            decrease: read(source, "decrease", &self.decrease, PART, usual.decrease)?,
        })
    }
}
