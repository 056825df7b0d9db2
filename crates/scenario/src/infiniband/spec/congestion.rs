//! `[congestion-control]`: marks of switches, and the reaction of sources (IBTA A10).

use super::cct::CctSpec;
use crate::reader::values::{Given, bytes, names, number, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_rdma::ib_congestion::{MarkerSettings, SourceSettings, Victims, quadratic_table};
use bandwise_units::Bytes;
use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct CongestionSpec {
    #[serde(deserialize_with = "text")]
    threshold: Given<Bytes>,
    #[serde(deserialize_with = "number")]
    marking_rate: Given<u64>,
    #[serde(deserialize_with = "bytes")]
    packet_size: Given<u64>,
    #[serde(deserialize_with = "text")]
    mark_victims: Given<Victims>,
    #[serde(deserialize_with = "number")]
    ccti_increase: Given<u64>,
    #[serde(deserialize_with = "number")]
    ccti_timer: Given<u64>,
    #[serde(deserialize_with = "number")]
    ccti_min: Given<u64>,
    table: Option<Spanned<CctSpec>>,
}

names! { Victims, "ports", "\"none\", \"hosts\" or \"all\"",
"none" => Victims::None, "hosts" => Victims::AtHosts, "all" => Victims::All }

/// Default wait of the last of the 128 entries, in packet times: entry n waits 7 n^2 / 95^2 /
/// 0.218, rounded down.
const LONGEST_WAIT: f64 = 7.0 * 127.0 * 127.0 / (95.0 * 95.0) / 0.218;

/// Returns the defaults of congestion control, for switches with this buffer for each input and
/// lane.
///
/// Marking rate, packet size, increase and minimum are the defaults of the congestion control
/// manager of Mellanox OFED (user manual, "Congestion Control Manager"). The table is the one that
/// the scripts of LLNL's study (ib-cc-tools-llnl) call Mellanox's default. The manager's timer and
/// the bytes of its threshold 0xf are not published; the study in
/// docs/src/guide/congestion-control.md chooses them.
pub(crate) fn defaults(buffer: Bytes) -> (MarkerSettings, SourceSettings) {
    let nothing = Source::new("", "");
    CongestionSpec::default().resolve(&nothing, buffer, buffer).expect("defaults are right")
}

impl CongestionSpec {
    /// Returns the settings for switches with this buffer for each input and lane, in a fabric where
    /// `most` can wait for one output.
    pub(super) fn resolve(
        &self,
        source: &Source,
        buffer: Bytes,
        most: Bytes,
    ) -> Result<(MarkerSettings, SourceSettings), InputError> {
        let number = |name, given: &Given<u64>, default, most| match given {
            Some(given) => within(source, name, given, 0..=most),
            None => Ok(default),
        };
        let threshold = match &self.threshold {
            Some(given) if *given.get_ref() > most => {
                let message = format!(
                    "marks begin at {}, and the buffers of all inputs hold {most} for an output: nothing is marked",
                    given.get_ref()
                );
                let allowed = format!("up to {most}, or a larger `buffer` of [switch]");
                return Err(source.error(given.span(), message).allowed(allowed));
            }
            Some(given) => *given.get_ref(),
            // A queue that a single input feeds must be able to reach the threshold.
            None => Bytes::new(buffer.get() / 2),
        };
        let (byte, word) = (u64::from(u8::MAX), u64::from(u16::MAX));
        let marking = MarkerSettings {
            threshold,
            marking_rate: number("marking-rate", &self.marking_rate, 10, word)? as u16,
            packet_size: number("packet-size", &self.packet_size, 512, word)? as u32,
            victims: self.mark_victims.as_ref().map_or(Victims::AtHosts, |v| *v.get_ref()),
        };
        let (table, at) = match &self.table {
            Some(given) => (given.get_ref().resolve(source, given.span())?, given.span()),
            None => (quadratic_table(128, LONGEST_WAIT, 0).expect("it has a code"), 0..0),
        };
        let last = table.len() - 1;
        let reaction = SourceSettings::new(
            table,
            number("ccti-timer", &self.ccti_timer, 150, word)? as u16,
            number("ccti-increase", &self.ccti_increase, 1, byte)? as u8,
            number("ccti-min", &self.ccti_min, 0, byte)? as u8,
        );
        let reaction = reaction.map_err(|e| {
            let at = place(&self.ccti_min, at);
            let allowed = format!("a floor of 0 to {last}, the last entry of the table");
            source.error(at, e.to_string()).allowed(allowed)
        })?;
        Ok((marking, reaction))
    }
}
