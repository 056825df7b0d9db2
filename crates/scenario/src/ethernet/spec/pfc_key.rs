//! `pfc`: off, on, or on with given thresholds.

use super::key::Key;
use crate::reader::values::{Given, text};
use bandwise_units::Bytes;
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
    pub(super) xoff: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    pub(super) xon: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    pub(super) headroom: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    pub(super) slack: Given<Bytes>,
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
