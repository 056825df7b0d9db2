//! The models behind simulated results: hosts, switches, lanes, and the part that limits each flow.

use super::settings::Settings;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_scenario::infiniband::{Bottleneck, Flow, InfinibandScenario, LimitingPart, Method};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The models behind the results.
#[derive(Serialize)]
pub(super) struct AssumptionsRow {
    device: DeviceRow,
    switch: SwitchRow,
    /// The lane of each service level in use.
    lanes: BTreeMap<u8, Option<u8>>,
    warmup: String,
    duration: String,
}

/// The model of all hosts.
#[derive(Serialize)]
struct DeviceRow {
    preset: &'static str,
    title: &'static str,
    /// True if the file changes a value of the preset.
    changed: bool,
    pcie_bps: u64,
    /// The payload rate of PCIe.
    pcie_payload_bps: u64,
    loopback_bps: u64,
    mtu: u32,
}

/// The model of all switches.
#[derive(Serialize)]
struct SwitchRow {
    latency_ns: f64,
    /// The buffer of an input port per lane.
    buffer_bytes: u64,
    scheduling: &'static str,
}

/// The part that limits a flow alone.
#[derive(Serialize)]
pub(super) struct LimitRow {
    part: &'static str,
    /// The port of the slowest link.
    port: Option<String>,
    payload_bps: u64,
    link_bps: u64,
    /// The most READs or atomics of a queue pair under way, of a flow that has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_rd_atomic: Option<u8>,
}

const fn name(scheduling: Scheduling) -> &'static str {
    match scheduling {
        Scheduling::Fcfs => "fcfs",
        Scheduling::Age => "age",
        Scheduling::RoundRobin => "round-robin",
    }
}

impl AssumptionsRow {
    pub(super) fn new(settings: &Settings) -> Self {
        let scenario = &settings.runs[0];
        let models = scenario.models();
        let (device, preset) = (&models.device, models.device.of_preset());
        let levels = scenario.flows().iter().map(|flow| flow.sl);
        let lane = |sl| (sl, models.qos.sl2vl.vl(sl));
        AssumptionsRow {
            device: DeviceRow {
                preset: preset.name,
                title: preset.title,
                changed: *device != preset.model(),
                pcie_bps: device.pcie_rate.as_bps(),
                pcie_payload_bps: device.pcie_goodput().as_bps(),
                loopback_bps: device.loopback_rate.as_bps(),
                mtu: device.mtu.get(),
            },
            switch: SwitchRow {
                latency_ns: models.switch.latency.as_ns_f64(),
                buffer_bytes: models.switch.buffer.get(),
                scheduling: name(models.switch.scheduling),
            },
            lanes: levels.map(lane).map(|(sl, vl)| (sl.get(), vl.map(|vl| vl.get()))).collect(),
            warmup: scenario.warmup().to_string(),
            duration: scenario.duration().to_string(),
        }
    }
}

impl LimitRow {
    pub(super) fn new(scenario: &InfinibandScenario, flow: &Flow) -> Self {
        let Bottleneck { part, payload, link } = scenario.bottleneck(flow);
        let (part, port) = match part {
            LimitingPart::Link(port) => ("link", Some(scenario.fabric().describe(port))),
            LimitingPart::Pcie => ("pcie", None),
        };
        LimitRow {
            part,
            port,
            payload_bps: payload.as_bps(),
            link_bps: link.as_bps(),
            max_rd_atomic: flow.method.reads().then_some(flow.max_rd_atomic),
        }
    }
}

/// Returns the models in sentences.
pub(super) fn sentences(settings: &Settings) -> Vec<String> {
    let scenario = &settings.runs[0];
    let models = scenario.models();
    let (device, switch) = (&models.device, &models.switch);
    let preset = device.of_preset();
    let changed = if *device == preset.model() { "" } else { ", changed by the file" };
    let mut sentences = vec![format!("Hosts: {} ({}{changed}).", preset.name, preset.title)];
    if !scenario.fabric().switches().is_empty() {
        sentences.push(format!(
            "Switches: {} port to port, {} a lane and input, {}.",
            switch.latency,
            switch.buffer,
            name(switch.scheduling)
        ));
    }
    sentences.push(lanes(scenario));
    let limits = scenario.flows().iter().map(|flow| limit(scenario.bottleneck(flow)));
    sentences.extend(limits.collect::<BTreeSet<_>>());
    sentences.extend(scenario.flows().iter().filter_map(reads).collect::<BTreeSet<_>>());
    let biases = scenario.flows().iter().filter_map(|flow| scenario.loopback_bias(flow));
    sentences.extend(biases.map(|bias| format!("{bias}.")).collect::<BTreeSet<_>>());
    sentences
}

/// Returns the lanes of the service levels in use, such as `SL0 and SL1 share VL0.`
fn lanes(scenario: &InfinibandScenario) -> String {
    let levels: BTreeSet<_> = scenario.flows().iter().map(|flow| flow.sl).collect();
    let mut lanes = BTreeMap::<_, Vec<String>>::new();
    for sl in levels {
        let vl = scenario.models().qos.sl2vl.vl(sl);
        lanes.entry(vl).or_default().push(sl.to_string());
    }
    let sentence = |(vl, levels): (&Option<_>, &Vec<String>)| {
        let lane = vl.as_ref().map_or("no lane".to_owned(), ToString::to_string);
        match &levels[..] {
            [one] => format!("{one} uses {lane}."),
            [first @ .., last] => format!("{} and {last} share {lane}.", first.join(", ")),
            [] => String::new(),
        }
    };
    lanes.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// Returns the limit of a flow's READs or atomics under way, if it posts more.
fn reads(flow: &Flow) -> Option<String> {
    let posted = match &flow.method {
        Method::ClosedLoop { depth, .. } => *depth,
        Method::Bulk(traffic) => traffic.depth,
        _ => return None,
    };
    let most = u32::from(flow.max_rd_atomic);
    (flow.method.reads() && posted > most).then(|| {
        format!(
            "Of {posted} READs or atomics of a queue pair, {most} are under way (max-rd-atomic)."
        )
    })
}

fn limit(bottleneck: Bottleneck) -> String {
    let Bottleneck { part, payload, link } = bottleneck;
    let payload = payload.as_gbps_f64();
    match part {
        LimitingPart::Link(_) => {
            format!("The link of {link} limits a flow to {payload:.2} Gbps of payload.")
        }
        LimitingPart::Pcie => format!(
            "PCIe of the hosts limits a flow over the link of {link} to {payload:.2} Gbps of payload."
        ),
    }
}
