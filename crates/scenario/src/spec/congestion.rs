//! `[congestion-control]`: marks by switches, and what sources make of them (IBTA A10).

use super::values::{Given, bytes, number, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_rdma::cc::{MarkerSettings, SourceSettings};
use bandwise_units::Bytes;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct CongestionSpec {
    #[serde(deserialize_with = "text")]
    threshold: Given<Bytes>,
    #[serde(deserialize_with = "number")]
    marking_rate: Given<u64>,
    #[serde(deserialize_with = "bytes")]
    packet_size: Given<u64>,
    mark_victims: bool,
    #[serde(deserialize_with = "number")]
    ccti_increase: Given<u64>,
    #[serde(deserialize_with = "number")]
    ccti_timer: Given<u64>,
    #[serde(deserialize_with = "number")]
    ccti_min: Given<u64>,
    #[serde(deserialize_with = "number")]
    table: Given<u64>,
}

/// What there is if a document says no more than that there is congestion control.
pub(crate) fn defaults() -> (MarkerSettings, SourceSettings) {
    let nothing = Source::new("", "");
    CongestionSpec::default().resolve(&nothing).expect("defaults are right")
}

impl CongestionSpec {
    pub(super) fn resolve(
        &self,
        source: &Source,
    ) -> Result<(MarkerSettings, SourceSettings), InputError> {
        let number = |name, given: &Given<u64>, default, most| match given {
            Some(given) => within(source, name, given, 0..=most),
            None => Ok(default),
        };
        let threshold = match &self.threshold {
            Some(given) => {
                within(source, "threshold", given, Bytes::ZERO..=Bytes::from_kib(1 << 20))?
            }
            None => Bytes::from_kib(64),
        };
        let (byte, word) = (u64::from(u8::MAX), u64::from(u16::MAX));
        let marking = MarkerSettings {
            threshold,
            marking_rate: number("marking-rate", &self.marking_rate, 0, word)? as u16,
            packet_size: number("packet-size", &self.packet_size, 0, word)? as u32,
            mark_victims: self.mark_victims,
        };
        let entries = match &self.table {
            Some(given) => within(source, "table", given, 1..=word)?,
            None => 128,
        };
        let reaction = SourceSettings::new(
            SourceSettings::linear_table(entries as u16),
            number("ccti-timer", &self.ccti_timer, 150, word)? as u16,
            number("ccti-increase", &self.ccti_increase, 1, byte)? as u8,
            number("ccti-min", &self.ccti_min, 0, byte)? as u8,
        );
        let reaction = reaction.map_err(|e| {
            let at = place(&self.ccti_min, place(&self.table, 0..0));
            let allowed = format!("a floor of 0 to {}, the last entry of the table", entries - 1);
            source.error(at, e.to_string()).allowed(allowed)
        })?;
        Ok((marking, reaction))
    }
}
