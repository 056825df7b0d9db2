//! `[switch]`.

use crate::reader::tables::{OrFalse, Table};
use crate::reader::values::{Given, names, text, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::check::{STAGES, lane_buffers};
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::switch::{Hiccup, Queueing, SwitchModel, SwitchPreset};
use bandwise_rdma::wire::Mtu;
use bandwise_units::{BitRate, Bytes, Time};
use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SwitchSpec {
    preset: Given<String>,
    #[serde(default, deserialize_with = "text")]
    latency: Given<Time>,
    #[serde(default, deserialize_with = "text")]
    buffer: Given<Bytes>,
    #[serde(default, deserialize_with = "text")]
    scheduling: Given<Scheduling>,
    #[serde(default, deserialize_with = "text")]
    queueing: Given<Queueing>,
    #[serde(default, deserialize_with = "text")]
    credit_delay: Given<Time>,
    hiccup: Option<OrFalse<HiccupSpec>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct HiccupSpec {
    #[serde(deserialize_with = "crate::reader::values::number")]
    one_in: Given<u64>,
    #[serde(deserialize_with = "text")]
    up_to: Given<Time>,
}

names! { Scheduling, "scheduling", "\"fcfs\", \"age\" or \"round-robin\"",
"fcfs" => Scheduling::Fcfs, "age" => Scheduling::Age, "round-robin" => Scheduling::RoundRobin }
names! { Queueing, "queueing", "\"fifo\" or \"voq\"",
"fifo" => Queueing::Fifo, "voq" => Queueing::Voq }

impl Table for HiccupSpec {
    const EXAMPLE: &'static str = "{ one-in = 256, up-to = \"200 ns\" } or false";
}

impl SwitchSpec {
    /// Returns the model with the given values, and the others of the given preset with these
    /// links, or else of `base`.
    pub(super) fn resolve(
        &self,
        source: &Source,
        base: &SwitchModel,
        links: &[(BitRate, Time)],
        mtu: Mtu,
    ) -> Result<SwitchModel, InputError> {
        let mut model = self.preset(source, base, links)?;
        if let Some(latency) = &self.latency {
            model.latency = within(source, "latency", latency, STAGES)?;
        }
        if let Some(buffer) = &self.buffer {
            model.buffer = lane_buffer(source, buffer, mtu)?;
        }
        if let Some(delay) = &self.credit_delay {
            model.credit_delay = within(source, "credit-delay", delay, STAGES)?;
        }
        if let Some(OrFalse::Table(HiccupSpec { one_in: Some(one_in), up_to: Some(up_to) })) =
            &self.hiccup
        {
            let one_in = within(source, "one-in", one_in, 1..=u64::from(u32::MAX))? as u32;
            let up_to = within(source, "up-to", up_to, STAGES)?;
            model.hiccup = Some(Hiccup { one_in, up_to });
        }
        if let Some(scheduling) = &self.scheduling {
            model.scheduling = *scheduling.get_ref();
        }
        if let Some(queueing) = &self.queueing {
            model.queueing = *queueing.get_ref();
        }
        Ok(model)
    }

    fn preset(
        &self,
        source: &Source,
        base: &SwitchModel,
        links: &[(BitRate, Time)],
    ) -> Result<SwitchModel, InputError> {
        let Some(name) = &self.preset else { return Ok(base.clone()) };
        let Some(preset) = SwitchPreset::named(name.get_ref()) else {
            let message = format!("unknown preset {:?}", name.get_ref());
            let names = SwitchPreset::ALL.map(|preset| preset.name).join(", ");
            return Err(source.error(name.span(), message).allowed(names));
        };
        let link = links.iter().map(|(rate, _)| *rate).max().unwrap_or(preset.link);
        if link > preset.link && preset.name != SwitchPreset::GENERIC.name {
            let message = format!("{} has no link of {link}", preset.name);
            let allowed = format!("a preset with such a link; this one has up to {}", preset.link);
            return Err(source.error(name.span(), message).allowed(allowed));
        }
        Ok(preset.model_on(links.iter().copied()))
    }
}

/// Reads the size of a buffer behind a link, for one lane. It must hold a packet, or the receiver
/// would never send a credit, and have at most 2^16 - 1 credits, which a port can count.
pub(super) fn lane_buffer(
    source: &Source,
    given: &Spanned<Bytes>,
    mtu: Mtu,
) -> Result<Bytes, InputError> {
    let sizes = lane_buffers(mtu);
    let buffer = *given.get_ref();
    let message = if buffer < *sizes.start() {
        format!("a buffer of {buffer} can't hold a packet of the MTU of {mtu} with its headers")
    } else if buffer > *sizes.end() {
        format!("a buffer of {buffer} has more blocks than credits can count")
    } else {
        return Ok(buffer);
    };
    Err(source.error(given.span(), message).allowed(format!(
        "{} B to {} B",
        sizes.start().get(),
        sizes.end().get()
    )))
}
