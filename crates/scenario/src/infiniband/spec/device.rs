//! `[device]`: a preset, and the values that differ from it.

use super::switch::lane_buffer;
use crate::reader::tables::{OrFalse, Table, list};
use crate::reader::values::{Given, bytes, text, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::check::{
    INLINE, PCIE_OVERHEADS, PCIE_PAYLOADS, RATES, STAGES, TICKS, TX_BUFFERS,
};
use bandwise_netsim::infiniband::host::{DeviceModel, DevicePreset, IdleState, OsTick};
use bandwise_rdma::wire::Mtu;
use bandwise_units::{BitRate, Bytes, Time};
use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct DeviceSpec {
    preset: Given<String>,
    #[serde(deserialize_with = "bytes")]
    mtu: Given<u64>,
    os_tick: Option<OrFalse<OsTickSpec>>,
    #[serde(deserialize_with = "list")]
    idle_states: Vec<Spanned<IdleStateSpec>>,
    #[serde(deserialize_with = "text")]
    cpu_wqe: Given<Time>,
    #[serde(deserialize_with = "text")]
    cpu_inline: Given<Time>,
    #[serde(deserialize_with = "text")]
    cpu_completion: Given<Time>,
    #[serde(deserialize_with = "text")]
    cpu_poll: Given<Time>,
    #[serde(deserialize_with = "text")]
    interrupt: Given<Time>,
    #[serde(deserialize_with = "text")]
    mmio: Given<Time>,
    #[serde(deserialize_with = "text")]
    doorbell_gap: Given<Time>,
    #[serde(deserialize_with = "text")]
    dma_read: Given<Time>,
    #[serde(deserialize_with = "text")]
    dma_write: Given<Time>,
    #[serde(deserialize_with = "text")]
    dma_flush: Given<Time>,
    #[serde(deserialize_with = "text")]
    tx: Given<Time>,
    #[serde(deserialize_with = "text")]
    rx: Given<Time>,
    #[serde(deserialize_with = "text")]
    issue_gap: Given<Time>,
    #[serde(deserialize_with = "text")]
    qp_gap: Given<Time>,
    #[serde(deserialize_with = "text")]
    pcie_rate: Given<BitRate>,
    #[serde(deserialize_with = "text")]
    loopback_rate: Given<BitRate>,
    #[serde(deserialize_with = "text")]
    pcie_payload: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    pcie_overhead: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    tx_buffer: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    rx_buffer: Given<Bytes>,
    #[serde(deserialize_with = "text")]
    inline_max: Given<Bytes>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct OsTickSpec {
    #[serde(deserialize_with = "text")]
    period: Given<Time>,
    #[serde(deserialize_with = "text")]
    steal: Given<Time>,
}

impl Table for OsTickSpec {
    const EXAMPLE: &'static str = "{ period = \"4 ms\", steal = \"4 us\" } or false";
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct IdleStateSpec {
    #[serde(deserialize_with = "text")]
    after: Given<Time>,
    #[serde(deserialize_with = "text")]
    exit: Given<Time>,
}

impl DeviceSpec {
    /// Returns the model with the given values, and the others of the given preset on a link of this
    /// rate and delay, or else of `base`.
    pub(super) fn resolve(
        &self,
        source: &Source,
        base: &DeviceModel,
        link: (BitRate, Time),
    ) -> Result<DeviceModel, InputError> {
        let mut d = self.preset(source, base, link)?;
        if let Some(mtu) = &self.mtu {
            let bytes = u32::try_from(*mtu.get_ref()).unwrap_or(u32::MAX);
            d.mtu = Mtu::try_from(bytes).map_err(|_| {
                let message = format!("an MTU of {} bytes does not exist", mtu.get_ref());
                source.error(mtu.span(), message).allowed("256, 512, 1024, 2048 or 4096")
            })?;
        }
        if let Some(tick) = &self.os_tick {
            d.os_tick = tick.resolve(source)?;
        }
        if !self.idle_states.is_empty() {
            d.idle_states = idle_states(&self.idle_states, source)?;
        }
        for (name, given, stage) in [
            ("cpu-wqe", &self.cpu_wqe, &mut d.cpu_wqe),
            ("cpu-inline", &self.cpu_inline, &mut d.cpu_inline),
            ("cpu-completion", &self.cpu_completion, &mut d.cpu_completion),
            ("cpu-poll", &self.cpu_poll, &mut d.cpu_poll),
            ("interrupt", &self.interrupt, &mut d.interrupt),
            ("mmio", &self.mmio, &mut d.mmio),
            ("doorbell-gap", &self.doorbell_gap, &mut d.doorbell_gap),
            ("dma-read", &self.dma_read, &mut d.dma_read),
            ("dma-write", &self.dma_write, &mut d.dma_write),
            ("dma-flush", &self.dma_flush, &mut d.dma_flush),
            ("tx", &self.tx, &mut d.tx),
            ("rx", &self.rx, &mut d.rx),
            ("issue-gap", &self.issue_gap, &mut d.issue_gap),
            ("qp-gap", &self.qp_gap, &mut d.qp_gap),
        ] {
            if let Some(given) = given {
                *stage = within(source, name, given, STAGES)?;
            }
        }
        for (name, given, rate) in [
            ("pcie-rate", &self.pcie_rate, &mut d.pcie_rate),
            ("loopback-rate", &self.loopback_rate, &mut d.loopback_rate),
        ] {
            if let Some(given) = given {
                *rate = within(source, name, given, RATES)?;
            }
        }
        for (name, given, size, range) in [
            ("pcie-payload", &self.pcie_payload, &mut d.pcie_payload, PCIE_PAYLOADS),
            ("pcie-overhead", &self.pcie_overhead, &mut d.pcie_overhead, PCIE_OVERHEADS),
            ("inline-max", &self.inline_max, &mut d.inline_max, INLINE),
            ("tx-buffer", &self.tx_buffer, &mut d.tx_buffer, TX_BUFFERS),
        ] {
            if let Some(given) = given {
                *size = within(source, name, given, range)?;
            }
        }
        if let Some(buffer) = &self.rx_buffer {
            d.rx_buffer = lane_buffer(source, buffer, d.mtu)?;
        }
        Ok(d)
    }

    fn preset(
        &self,
        source: &Source,
        base: &DeviceModel,
        link: (BitRate, Time),
    ) -> Result<DeviceModel, InputError> {
        let Some(name) = &self.preset else { return Ok(base.clone()) };
        let preset = DevicePreset::named(name.get_ref());
        preset.map(|preset| preset.model_on(link.0, link.1)).ok_or_else(|| {
            let message = format!("unknown preset {:?}", name.get_ref());
            let names = DevicePreset::ALL.map(|preset| preset.name).join(", ");
            source.error(name.span(), message).allowed(names)
        })
    }
}

/// Reads idle states, each deeper than the previous one.
fn idle_states(
    given: &[Spanned<IdleStateSpec>],
    source: &Source,
) -> Result<Vec<IdleState>, InputError> {
    let mut states: Vec<IdleState> = Vec::new();
    for spec in given {
        let IdleStateSpec { after: Some(after), exit: Some(exit) } = spec.get_ref() else {
            unreachable!("both keys are asked for when the table is read")
        };
        let state = IdleState {
            after: within(source, "after", after, STAGES)?,
            exit: within(source, "exit", exit, STAGES)?,
        };
        if let Some(last) = states.last()
            && !state.is_deeper_than(last)
        {
            let message = "an idle state must be entered later than the one before it, and take \
                           longer to leave";
            let allowed = format!("after more than {}, exit over {}", last.after, last.exit);
            return Err(source.error(spec.span(), message).allowed(allowed));
        }
        states.push(state);
    }
    Ok(states)
}

impl OrFalse<OsTickSpec> {
    fn resolve(&self, source: &Source) -> Result<Option<OsTick>, InputError> {
        let OrFalse::Table(OsTickSpec { period: Some(period), steal: Some(steal) }) = self else {
            return Ok(None);
        };
        let tick = OsTick {
            period: within(source, "period", period, TICKS)?,
            steal: within(source, "steal", steal, STAGES)?,
        };
        if !tick.leaves_time() {
            let message = "a tick that steals its whole period leaves the program nothing";
            let allowed = format!("less than the period of {}", tick.period);
            return Err(source.error(steal.span(), message).allowed(allowed));
        }
        Ok(Some(tick))
    }
}
