//! [`SettingsRow`]: the settings of a simulated network, after all defaults.

use super::flow_sizes::{self, MeanRow};
use super::headroom;
use bandwise_netsim::ethernet::{Buffering, HostModel, InputBuffers, Routing, SharedBuffer};
use bandwise_rdma::congestion::{
    AimdSettings, Algorithm, DcqcnSettings, DctcpSettings, HpccSettings, RedMarker, SwiftSettings,
    TimelySettings,
};
use bandwise_rdma::transport::{Acks, Recovery, Timeout, TransportSettings};
use bandwise_scenario::ethernet::{EthernetResults, EthernetScenario};
use bandwise_units::Time;
use serde::Serialize;
use std::num::NonZeroU32;

/// The settings of a simulated network, after all defaults.
#[derive(Serialize)]
pub(super) struct SettingsRow {
    hosts: usize,
    switches: usize,
    queues: &'static str,
    buffer_bytes: u64,
    alpha: Option<f64>,
    pfc: Option<PfcRow>,
    classes: u8,
    routing: &'static str,
    mtu: u32,
    poll: Option<String>,
    transport: &'static str,
    recovery: &'static str,
    bdp_cap: Option<NonZeroU32>,
    timeout: Option<TimeoutRow>,
    acks: &'static str,
    fetch_delay: String,
    warmup: String,
    extra_header: u32,
    congestion_control: CongestionRow,
    ecn: Option<EcnRow>,
    flow_sizes: Vec<MeanRow>,
}

/// The thresholds of marks, and the rate of the ports for which they are.
#[derive(Serialize)]
struct EcnRow {
    #[serde(flatten)]
    marker: RedMarker,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

/// The thresholds of PFC.
#[derive(Serialize)]
#[serde(untagged)]
enum PfcRow {
    PerInput {
        xoff_bytes: u64,
        xon_bytes: u64,
        response: String,
    },
    /// The most headroom of a port, and the least of one with a cable.
    Shared {
        headroom_bytes: u64,
        least_headroom_bytes: u64,
        headroom_limit: Option<&'static str>,
        slack_bytes: u64,
        response: String,
    },
}

/// The timeout of a transport.
#[derive(Serialize)]
#[serde(untagged)]
enum TimeoutRow {
    Fixed { fixed: String },
    LowHigh { low: String, high: String, few: u32 },
    Dynamic { initial: String, min: String, max: String },
}

/// The congestion control in use. Parameters are named as in scenarios, with underscores.
#[derive(Serialize)]
struct CongestionRow {
    kind: Algorithm,
    #[serde(flatten)]
    parameters: Parameters,
    #[serde(skip_serializing_if = "Option::is_none")]
    cnp_interval: Option<Time>,
}

/// The parameters of a congestion control.
#[derive(Serialize)]
#[serde(untagged)]
enum Parameters {
    None {},
    Dcqcn(DcqcnSettings),
    Timely(TimelySettings),
    Aimd(AimdSettings),
    Dctcp(DctcpSettings),
    Hpcc(HpccSettings),
    Swift(SwiftSettings),
}

impl SettingsRow {
    /// Returns the settings of a scenario, with the mean size of the flows of its run.
    pub(super) fn of(scenario: &EthernetScenario, results: &EthernetResults) -> Self {
        let model = scenario.model();
        let (switch, host) = (&model.switch, &model.host);
        let TransportSettings { recovery, acks, window, timeout, fetch } = host.transport;
        let (queues, alpha) = match &switch.buffering {
            Buffering::PerInput(_) => ("input", None),
            Buffering::Shared(shared) => ("output", Some(shared.alpha)),
        };
        SettingsRow {
            hosts: scenario.fabric().hosts().len(),
            switches: scenario.fabric().switches().len(),
            queues,
            buffer_bytes: switch.buffering.buffer().get(),
            alpha,
            pfc: PfcRow::of(scenario),
            classes: model.classes.count,
            routing: match model.routing {
                Routing::Ecmp => "ecmp",
                Routing::Spray => "spray",
            },
            mtu: host.mtu,
            poll: host.poll.map(|every| every.to_string()),
            transport: scenario.transport().as_str(),
            recovery: match recovery {
                Recovery::GoBackN => "go-back-n",
                Recovery::Selective { partial_acks: true } => "sack",
                Recovery::Selective { partial_acks: false } => "sack-only",
                Recovery::SelectiveWithoutSack => "no-sack",
                Recovery::Tcp { .. } => "tcp",
            },
            bdp_cap: window,
            timeout: TimeoutRow::of(timeout),
            acks: match acks {
                Acks::EveryPacket => "every-packet",
                Acks::Delayed { .. } => "delayed",
                Acks::OnCompletion => "on-completion",
            },
            fetch_delay: fetch.to_string(),
            warmup: scenario.warmup().to_string(),
            extra_header: host.extra_header,
            congestion_control: CongestionRow::of(host),
            ecn: switch.ecn.map(|marking| EcnRow {
                marker: marking.marker,
                at: marking.at.map(|rate| rate.to_string()),
            }),
            flow_sizes: flow_sizes::means(scenario, results),
        }
    }
}

impl PfcRow {
    fn of(scenario: &EthernetScenario) -> Option<Self> {
        let response = scenario.model().pause_response.to_string();
        match &scenario.model().switch.buffering {
            Buffering::PerInput(InputBuffers { pfc: Some(pfc), .. }) => Some(PfcRow::PerInput {
                xoff_bytes: pfc.xoff.get(),
                xon_bytes: pfc.xon.get(),
                response,
            }),
            Buffering::Shared(SharedBuffer { pfc: Some(pfc), .. }) => {
                let (least, most) = headroom::range(scenario)?;
                Some(PfcRow::Shared {
                    headroom_bytes: most.get(),
                    least_headroom_bytes: least.get(),
                    headroom_limit: headroom::limit(scenario),
                    slack_bytes: pfc.slack.get(),
                    response,
                })
            }
            _ => None,
        }
    }
}

impl TimeoutRow {
    fn of(timeout: Timeout) -> Option<Self> {
        let text = |time: Time| time.to_string();
        match timeout {
            Timeout::None => None,
            Timeout::Fixed(time) => Some(TimeoutRow::Fixed { fixed: text(time) }),
            Timeout::LowHigh { low, high, few } => {
                Some(TimeoutRow::LowHigh { low: text(low), high: text(high), few })
            }
            Timeout::Dynamic { initial, min, max } => {
                Some(TimeoutRow::Dynamic { initial: text(initial), min: text(min), max: text(max) })
            }
        }
    }
}

impl CongestionRow {
    fn of(host: &HostModel) -> Self {
        let settings = &host.congestion;
        let kind = settings.algorithm;
        let parameters = match kind {
            Algorithm::None => Parameters::None {},
            Algorithm::Dcqcn => Parameters::Dcqcn(settings.dcqcn),
            Algorithm::Timely => Parameters::Timely(settings.timely),
            Algorithm::Aimd => Parameters::Aimd(settings.aimd),
            Algorithm::Dctcp => Parameters::Dctcp(settings.dctcp),
            Algorithm::Hpcc => Parameters::Hpcc(settings.hpcc),
            Algorithm::Swift => Parameters::Swift(settings.swift),
        };
        let cnp_interval = kind.needs_notifications().then_some(host.notification.interval);
        CongestionRow { kind, parameters, cnp_interval }
    }
}
