//! `pfc`: off, on, or on with given thresholds.

use super::key::Key;
use crate::reader::values::{Given, text, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::RESPONSES;
use bandwise_units::{Bytes, Time};
use serde::Deserialize;

#[derive(Debug)]
pub(super) enum PfcKey {
    Truth(bool),
    Thresholds(PfcSpec),
}

/// Thresholds of buffers for each input, or headroom and slack of a shared one.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct PfcSpec {
    #[serde(deserialize_with = "text")]
    response: Given<Time>,
    #[serde(deserialize_with = "text")]
    pub(super) xoff: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    pub(super) xon: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    pub(super) headroom: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    pub(super) slack: Given<Bytes>,
}

impl PfcKey {
    /// Returns the time until a PFC frame is obeyed, 0 if none is given.
    pub(super) fn response(&self, source: &Source) -> Result<Time, InputError> {
        match self {
            PfcKey::Thresholds(PfcSpec { response: Some(given), .. }) => {
                within(source, "response", given, RESPONSES)
            }
            _ => Ok(Time::ZERO),
        }
    }
}

impl Key for PfcKey {
    const EXAMPLE: &'static str = "true, false or { xoff = \"217 KB\", xon = \"217 KB\" }";
    type Table = PfcSpec;
    fn truth(on: bool) -> Option<Self> {
        Some(PfcKey::Truth(on))
    }
    fn table(table: PfcSpec) -> Option<Self> {
        Some(PfcKey::Thresholds(table))
    }
}
