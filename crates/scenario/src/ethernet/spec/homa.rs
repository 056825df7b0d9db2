//! `kind = "homa"`: `[transport.homa]`, and keys that Homa refuses.
//!
//! "Homa" is B. Montazeri et al., *Homa: A Receiver-Driven Low-Latency Transport Protocol Using
//! Network Priorities* (SIGCOMM 2018); the number after it is the section.

use crate::ethernet::workload::Workload;
use crate::reader::values::{Given, Read, SECOND, number, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::{NetworkModel, bdp_packets};
use bandwise_rdma::homa::{HomaSettings, LEVELS, Priorities, PrioritiesError, RESEND_AFTER};
use bandwise_topology::Fabric;
use bandwise_units::{Bytes, Time};
use serde::Deserialize;
use std::num::NonZeroU32;
use std::ops::Range;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct HomaSpec {
    #[serde(deserialize_with = "text")]
    rtt_bytes: Given<Bytes>,
    #[serde(deserialize_with = "number")]
    unscheduled: Given<u64>,
    cutoffs: Given<Vec<Spanned<Read<Bytes>>>>,
    #[serde(deserialize_with = "text")]
    resend_after: Given<Time>,
}

/// Largest size.
const LARGEST: Bytes = Bytes::new(1_000_000_000);

impl HomaSpec {
    /// Returns whether the packets without a grant are given.
    pub(super) fn has_rtt_bytes(&self) -> bool {
        self.rtt_bytes.is_some()
    }

    /// Returns the settings of all hosts. `at` is the place of `kind`.
    pub(super) fn resolve(
        &self,
        source: &Source,
        at: Range<usize>,
        fabric: &Fabric,
        model: &NetworkModel,
        workload: &Workload,
    ) -> Result<HomaSettings, InputError> {
        let mtu = model.host.mtu;
        let packets = match &self.rtt_bytes {
            None => bdp_packets(fabric, &model.host),
            Some(given) => {
                let bytes = within(source, "rtt-bytes", given, Bytes::new(1)..=LARGEST)?;
                bytes.get().div_ceil(mtu.into()) as u32
            }
        };
        let rtt = NonZeroU32::new(packets).unwrap_or(NonZeroU32::MIN);
        let resend_after = match &self.resend_after {
            None => RESEND_AFTER,
            Some(given) => within(source, "resend-after", given, Time::from_us(1)..=SECOND)?,
        };
        let unscheduled = Bytes::new(u64::from(rtt.get()) * u64::from(mtu));
        let levels = model.classes.count;
        let priorities = match &self.cutoffs {
            Some(given) => self.given(source, given, levels)?,
            None => self.by_sizes(source, at, workload, unscheduled, levels)?,
        };
        Ok(HomaSettings { priorities, rtt, resend_after })
    }

    /// Returns the priorities for given cutoffs; the other classes are for scheduled packets.
    fn given(
        &self,
        source: &Source,
        given: &Spanned<Vec<Spanned<Read<Bytes>>>>,
        levels: u8,
    ) -> Result<Priorities, InputError> {
        if let Some(unscheduled) = &self.unscheduled {
            let message = "`unscheduled` is not used: cutoffs say how many there are";
            return Err(source.error(unscheduled.span(), message).allowed("`cutoffs` alone"));
        }
        let mut cutoffs = Vec::new();
        for cutoff in given.get_ref() {
            let Read(bytes) = *cutoff.get_ref();
            let bytes = Spanned::new(cutoff.span(), bytes);
            cutoffs.push(within(source, "a cutoff", &bytes, Bytes::new(1)..=LARGEST)?);
        }
        let unscheduled = cutoffs.len() + 1;
        let scheduled = usize::from(levels).saturating_sub(unscheduled) as u8;
        Priorities::new(scheduled, cutoffs).map_err(|error| match error {
            PrioritiesError::Order(..) => {
                source.error(given.span(), error.to_string()).allowed("smaller ones first")
            }
            PrioritiesError::NoneScheduled | PrioritiesError::TooMany(_) => {
                let message = format!(
                    "{unscheduled} priorities of unscheduled packets: of {levels} classes none is \
                     left for scheduled ones"
                );
                let allowed = format!("up to {} cutoffs, or more classes", levels - 2);
                source.error(given.span(), message).allowed(allowed)
            }
        })
    }

    /// Returns the priorities by the sizes of expected messages (Homa 3.4).
    fn by_sizes(
        &self,
        source: &Source,
        at: Range<usize>,
        workload: &Workload,
        unscheduled: Bytes,
        levels: u8,
    ) -> Result<Priorities, InputError> {
        let sizes = workload.sizes();
        let count = match &self.unscheduled {
            None => Priorities::unscheduled_levels(&sizes, unscheduled, levels),
            Some(given) => {
                let most = u64::from(levels) - 1;
                within(source, "unscheduled", given, 1..=most)? as u8
            }
        };
        if sizes.is_empty() && (count > 1 || self.unscheduled.is_none()) {
            let at = place(&self.unscheduled, at);
            let error =
                source.error(at, "the sizes of a list's messages are unknown before the run");
            let allowed = "cutoffs = [\"2 KB\", \"20 KB\"] or so, or unscheduled = 1, in \
                           [transport.homa]";
            return Err(error.allowed(allowed));
        }
        let cutoffs = Priorities::balanced_cutoffs(&sizes, unscheduled, count);
        Ok(Priorities::new(levels - count, cutoffs).expect("as many as there are classes"))
    }
}

/// Default of `classes` with Homa: the number that switches have.
pub(super) const CLASSES: u8 = LEVELS;

/// Returns the error for a key that Homa does not use, with the reason.
pub(super) fn refuse(source: &Source, key: &str, at: Range<usize>, why: &str) -> InputError {
    let error = source.error(at, format!("homa does not use `{key}`: {why}"));
    error.allowed(format!("`{key}` with another kind of transport"))
}
