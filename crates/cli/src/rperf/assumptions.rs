//! The models behind simulated results: hosts, switches, lanes, and the part that limits each flow.

use super::limits;
use super::measure::Outcome;
use super::settings::Settings;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::host::DeviceModel;
use bandwise_netsim::infiniband::switch::{SwitchModel, SwitchPreset};
use bandwise_scenario::infiniband::InfinibandScenario;
use bandwise_topology::NodeId;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The models behind the results.
#[derive(Serialize)]
pub(super) struct AssumptionsRow {
    /// The model of most hosts.
    device: DeviceRow,
    /// The models of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_devices: Vec<Of<DeviceRow>>,
    /// The model of most switches.
    switch: SwitchRow,
    /// The models of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_switches: Vec<Of<SwitchRow>>,
    /// The lane of each service level in use.
    lanes: BTreeMap<u8, Option<u8>>,
    warmup: String,
    duration: String,
}

/// A model, and its nodes.
#[derive(Serialize)]
struct Of<T> {
    nodes: Vec<String>,
    #[serde(flatten)]
    model: T,
}

/// The model of a host.
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

/// The model of a switch.
#[derive(Serialize)]
struct SwitchRow {
    preset: &'static str,
    title: &'static str,
    latency_ns: f64,
    /// The origin of the latency.
    latency_from: &'static str,
    /// The buffer of an input port per lane.
    buffer_bytes: u64,
    scheduling: &'static str,
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
        let levels = scenario.flows().iter().map(|flow| flow.sl);
        let lane = |sl| (sl, scenario.models().qos.sl2vl.vl(sl));
        let (device, other_devices) = rows(devices(scenario), &scenario.models().device);
        let (switch, other_switches) = rows(switches(scenario), &scenario.models().switch);
        AssumptionsRow {
            device,
            other_devices,
            switch,
            other_switches,
            lanes: levels.map(lane).map(|(sl, vl)| (sl.get(), vl.map(|vl| vl.get()))).collect(),
            warmup: scenario.warmup().to_string(),
            duration: scenario.duration().to_string(),
        }
    }
}

impl From<&DeviceModel> for DeviceRow {
    fn from(device: &DeviceModel) -> Self {
        let preset = device.of_preset();
        DeviceRow {
            preset: preset.name,
            title: preset.title,
            changed: device.is_changed(),
            pcie_bps: device.pcie_rate.as_bps(),
            pcie_payload_bps: device.pcie_goodput().as_bps(),
            loopback_bps: device.loopback_rate.as_bps(),
            mtu: device.mtu.get(),
        }
    }
}

impl From<&SwitchModel> for SwitchRow {
    fn from(switch: &SwitchModel) -> Self {
        let preset = switch.of_preset();
        SwitchRow {
            preset: preset.name,
            title: preset.title,
            latency_from: latency_from(switch),
            latency_ns: switch.latency.as_ns_f64(),
            buffer_bytes: switch.buffer.get(),
            scheduling: name(switch.scheduling),
        }
    }
}

/// Returns the origin of a switch's latency.
fn latency_from(switch: &SwitchModel) -> &'static str {
    if switch.has_own_latency() { "from the file" } else { switch.of_preset().source }
}

/// Nodes by their model: that of the most nodes first, then by the first node.
type ByModel<'a, M> = Vec<(&'a M, Vec<String>)>;

fn by_model<'a, M: PartialEq>(
    scenario: &'a InfinibandScenario,
    nodes: &[NodeId],
    model: impl Fn(NodeId) -> &'a M,
) -> ByModel<'a, M> {
    let mut groups = ByModel::new();
    for &node in nodes {
        let (own, name) = (model(node), scenario.fabric().node(node).name.clone());
        match groups.iter_mut().find(|(known, _)| *known == own) {
            Some((_, names)) => names.push(name),
            None => groups.push((own, vec![name])),
        }
    }
    groups.sort_by_key(|(_, names)| Reverse(names.len()));
    groups
}

fn devices(scenario: &InfinibandScenario) -> ByModel<'_, DeviceModel> {
    let model = |node| scenario.models().device_of(node);
    by_model(scenario, scenario.fabric().hosts(), model)
}

fn switches(scenario: &InfinibandScenario) -> ByModel<'_, SwitchModel> {
    let model = |node| scenario.models().switch_of(node);
    by_model(scenario, scenario.fabric().switches(), model)
}

/// Returns the row of the first group, or of `other` without one, and the rows of the other groups.
fn rows<'a, M, R: From<&'a M>>(groups: ByModel<'a, M>, other: &'a M) -> (R, Vec<Of<R>>) {
    let first = groups.first().map_or(other, |(model, _)| *model);
    let rest = groups.into_iter().skip(1);
    let rest = rest.map(|(model, nodes)| Of { nodes, model: R::from(model) });
    (R::from(first), rest.collect())
}

/// Returns the models in sentences, and the limits of the results.
pub(super) fn sentences(settings: &Settings, outcome: &Outcome) -> Vec<String> {
    let scenario = &settings.runs[0];
    let device = |device: &DeviceModel| {
        let preset = device.of_preset();
        let changed = if device.is_changed() { ", with values of the file" } else { "" };
        let loopback = match device.loopback_rate {
            own if own == preset.model().loopback_rate => String::new(),
            own => format!(", loopback {own}"),
        };
        format!("{} ({}{changed}){loopback}", preset.name, preset.title)
    };
    let switch = |switch: &SwitchModel| {
        let SwitchModel { latency, buffer, scheduling, .. } = switch;
        let marking = switch.marking.map_or(String::new(), |marking| {
            format!(", congestion control marks beyond {}", marking.threshold)
        });
        let preset = switch.of_preset();
        format!(
            "{} ({}), {latency} port to port, {buffer} a lane and input, {}{marking}",
            preset.name,
            preset.title,
            name(*scheduling)
        )
    };
    let mut sentences = of_nodes("Hosts", &devices(scenario), device);
    sentences.extend(of_nodes("Switches", &switches(scenario), switch));
    let known = switches(scenario).into_iter().map(|(model, _)| model);
    let presets = known.filter(|model| !model.has_own_latency()).map(SwitchModel::of_preset);
    let source = |preset: SwitchPreset| format!("Latency of {}: {}.", preset.name, preset.source);
    sentences.extend(presets.map(source).collect::<BTreeSet<_>>());
    sentences.push(lanes(scenario));
    sentences.extend(limits::sentences(settings, outcome));
    sentences
}

/// Returns a sentence for each model, with some of its nodes where there are several models.
fn of_nodes<M>(what: &str, groups: &ByModel<'_, M>, text: impl Fn(&M) -> String) -> Vec<String> {
    const NAMED: usize = 4;
    let sentence = |(model, nodes): &(&M, Vec<String>)| {
        if groups.len() == 1 {
            return format!("{what}: {}.", text(model));
        }
        let named = nodes.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = match nodes.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{what} {named}{more}: {}.", text(model))
    };
    groups.iter().map(sentence).collect()
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
