//! The part that limits each flow, in sentences and JSON.

use super::measure::Outcome;
use super::settings::Settings;
use bandwise_rdma::verbs::Opcode;
use bandwise_rdma::wire::Mtu;
use bandwise_scenario::infiniband::{
    Bottleneck, Flow, FlowResult, InfinibandScenario, LimitingPart, Method, SharedPart, Shortfall,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// The part that limits a flow alone.
#[derive(Serialize)]
pub(super) struct LimitRow {
    part: &'static str,
    /// The port of the slowest link, or that lacks credits.
    port: Option<String>,
    /// The host with less PCIe, if its PCIe limits and the other one has more.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    payload_bps: u64,
    link_bps: u64,
    /// The most outstanding READs or atomics of a queue pair, of a flow that has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_rd_atomic: Option<u8>,
    /// What holds a bulk flow clearly below that.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by: Option<HeldRow>,
}

/// What holds a bulk flow below the part that limits it.
#[derive(Serialize)]
#[serde(tag = "part", rename_all = "kebab-case")]
enum HeldRow {
    /// Flows that fill a link together, from the port that sends.
    SharedLink { port: String, flows: usize, payload_bps: u64 },
    /// Flows that fill PCIe of a host together.
    SharedPcie { host: String, flows: usize, payload_bps: u64 },
    /// Flows that fill a link or PCIe elsewhere, ahead in a lane of the path.
    Blocked { by: String },
    /// `start` and `stop` are outside of the measurement.
    NotSending {},
    /// Nothing arrived in time.
    Nothing {},
    /// The most outstanding messages, and the most time of one there and back; congestion control or
    /// another part may hold the flow instead.
    Window {
        key: &'static str,
        messages: u64,
        at_most_ns: f64,
        congestion_control: bool,
        other_part: bool,
    },
}

impl HeldRow {
    fn new(scenario: &InfinibandScenario, shortfall: &Shortfall) -> Self {
        let fabric = scenario.fabric();
        match *shortfall {
            Shortfall::Shared { part, flows, payload } => {
                let payload_bps = payload.as_bps();
                match part {
                    SharedPart::Link(port) => {
                        HeldRow::SharedLink { port: fabric.describe(port), flows, payload_bps }
                    }
                    SharedPart::PcieOut(host) | SharedPart::PcieIn(host) => {
                        let host = fabric.node(host).name.clone();
                        HeldRow::SharedPcie { host, flows, payload_bps }
                    }
                }
            }
            Shortfall::Blocked { part } => HeldRow::Blocked { by: shared_part(scenario, part) },
            Shortfall::Silent => HeldRow::NotSending {},
            Shortfall::Nothing => HeldRow::Nothing {},
            Shortfall::Window { messages, key, time, throttled, queued } => HeldRow::Window {
                key,
                messages,
                at_most_ns: time.as_ns_f64(),
                congestion_control: throttled,
                other_part: queued,
            },
        }
    }
}

impl LimitRow {
    pub(super) fn new(
        scenario: &InfinibandScenario,
        flow: &Flow,
        shortfall: Option<&Shortfall>,
    ) -> Self {
        let Bottleneck { part, payload, link } = scenario.bottleneck(flow);
        let fabric = scenario.fabric();
        let (part, port, host) = match part {
            LimitingPart::Link(port) => ("link", Some(fabric.describe(port)), None),
            LimitingPart::Pcie(host) => {
                ("pcie", None, host.map(|host| fabric.node(host).name.clone()))
            }
            LimitingPart::QueuePairs { .. } => ("queue-pairs", None, None),
            LimitingPart::Rnic(_) => ("rnic", None, None),
            LimitingPart::Cpu(_) => ("cpu", None, None),
            LimitingPart::Credits { port, .. } => ("credits", Some(fabric.describe(port)), None),
            LimitingPart::Rate => ("rate", None, None),
        };
        LimitRow {
            part,
            port,
            host,
            payload_bps: payload.as_bps(),
            link_bps: link.as_bps(),
            max_rd_atomic: flow.method.reads().then_some(flow.max_rd_atomic),
            held_by: shortfall.map(|shortfall| HeldRow::new(scenario, shortfall)),
        }
    }
}

/// Returns the parts that limit the flows, and the limits of what the methods measure.
pub(super) fn sentences(settings: &Settings, outcome: &Outcome) -> Vec<String> {
    let scenario = &settings.runs[0];
    let mut sentences = impossible(outcome);
    let is_bulk = |flow: &&Flow| matches!(flow.method, Method::Bulk(_));
    let any = scenario.flows().iter().any(|flow| is_bulk(&flow));
    // What an atomic carries is no bulk traffic.
    let may_be_bulk = |flow: &Flow| flow.method.opcode() != Opcode::Atomic;
    let limited = scenario.flows().iter().filter(|flow| match any {
        true => is_bulk(flow),
        false => may_be_bulk(flow),
    });
    let limits = limited.map(|flow| match any {
        true => limit(scenario, flow),
        // No flow of the run uses what the path can carry.
        false => format!("Bulk traffic on this path: {}", limit(scenario, flow)),
    });
    sentences.extend(limits.collect::<BTreeSet<_>>());
    sentences.extend(scenario.flows().iter().filter_map(reads).collect::<BTreeSet<_>>());
    sentences.extend(outcome.flows.iter().zip(&outcome.shortfalls).filter_map(silent));
    sentences.extend(outcome.flows.iter().filter_map(coarse).collect::<BTreeSet<_>>());
    let of_run = |measured: &Measured| settings.runs[measured.0].start_of(&measured.1, &measured.2);
    sentences.extend(outcome.flows.iter().filter_map(of_run).collect::<BTreeSet<_>>());
    sentences.extend(outcome.flows.iter().filter_map(|measured| beyond(settings, measured)));
    sentences.extend(slowest(settings, outcome));
    sentences.extend(outcome.limits.iter().cloned());
    sentences
}

/// Returns a sentence for each number that is no result.
pub(super) fn impossible(outcome: &Outcome) -> Vec<String> {
    outcome.implausible.iter().map(|found| format!("No result: {found}.")).collect()
}

/// A flow with its run and its result.
type Measured = (usize, Flow, FlowResult);

/// Returns the reason for which a bulk flow sends nothing.
fn silent(((_, flow, _), shortfall): (&Measured, &Option<Shortfall>)) -> Option<String> {
    (*shortfall == Some(Shortfall::Silent)).then(|| {
        format!("{} does not send during the measurement, by its `start` and `stop`.", flow.name)
    })
}

/// Returns a sentence about a flow that gets clearly more than its limit, as in a short measurement.
fn beyond(settings: &Settings, (run, flow, result): &Measured) -> Option<String> {
    const CLEARLY: f64 = 1.02;
    let rate = result.bandwidth?.rate();
    let allowed = settings.runs[*run].bottleneck(flow).payload;
    (rate.as_bps() as f64 > CLEARLY * allowed.as_bps() as f64).then(|| {
        format!(
            "{} gets {:.2} Gbps, more than its limit: the measurement is too short for an average.",
            flow.name,
            rate.as_gbps_f64()
        )
    })
}

/// Returns the resolution of a bandwidth, if a packet is a noticeable part of what arrived.
fn coarse((_, _, result): &Measured) -> Option<String> {
    const NOTICEABLE: f64 = 0.01;
    let bandwidth = result.bandwidth?;
    let (window, bytes) = (bandwidth.to.saturating_sub(bandwidth.from), bandwidth.bytes.get());
    let part = f64::from(Mtu::MAX.get()) / bytes as f64;
    (bytes > 0 && part > NOTICEABLE).then(|| {
        format!(
            "A packet of 4 KiB more or less is {:.0}% of what arrives in {window}.",
            part * 100.0
        )
    })
}

/// Returns the limit of a flow's outstanding READs or atomics, if it posts more.
fn reads(flow: &Flow) -> Option<String> {
    let posted = match &flow.method {
        Method::ClosedLoop { depth, .. } => *depth,
        Method::Bulk(traffic) => {
            let slots = traffic.buffer.get() / u64::from(traffic.bytes.max(1));
            traffic.depth.min(u32::try_from(slots).unwrap_or(u32::MAX))
        }
        _ => return None,
    };
    let most = u32::from(flow.max_rd_atomic);
    (flow.method.reads() && posted > most).then(|| {
        format!(
            "Of {posted} READs or atomics of a queue pair, {most} are outstanding (max-rd-atomic)."
        )
    })
}

/// Returns the reason of the bulk flow that gets the least of what the limiting part allows, if that is
/// clearly less.
fn slowest(settings: &Settings, outcome: &Outcome) -> Option<String> {
    let below = outcome.flows.iter().zip(&outcome.shortfalls);
    let below: Vec<_> = below
        .filter_map(|((run, flow, result), shortfall)| {
            let scenario = &settings.runs[*run];
            let rate = result.bandwidth?.rate();
            let part = rate.as_bps() as f64 / scenario.bottleneck(flow).payload.as_bps() as f64;
            let shortfall = shortfall.as_ref().filter(|found| **found != Shortfall::Silent)?;
            Some((part, scenario, flow, rate, shortfall))
        })
        .collect();
    let (_, scenario, flow, rate, shortfall) = below.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    // Those that fill a part together are counted there.
    let others = match below.len() - 1 {
        _ if matches!(shortfall, Shortfall::Shared { .. }) => String::new(),
        0 => String::new(),
        1 => "; 1 more is below this limit too".to_owned(),
        more => format!("; {more} more are below this limit too"),
    };
    let reason = reason(scenario, shortfall)?;
    Some(format!("{} gets {:.2} Gbps: {reason}{others}.", flow.name, rate.as_gbps_f64()))
}

/// Returns a part that flows share, in words.
fn shared_part(scenario: &InfinibandScenario, part: SharedPart) -> String {
    let fabric = scenario.fabric();
    match part {
        SharedPart::Link(port) => {
            let link = fabric.peer(port).map(|(_, link)| format!(" of {}", link.rate));
            format!("the link{} from {}", link.unwrap_or_default(), fabric.describe(port))
        }
        SharedPart::PcieOut(host) | SharedPart::PcieIn(host) => {
            format!("PCIe of {}", fabric.node(host).name)
        }
    }
}

/// Returns a shortfall in words.
fn reason(scenario: &InfinibandScenario, shortfall: &Shortfall) -> Option<String> {
    Some(match *shortfall {
        Shortfall::Silent => return None,
        Shortfall::Nothing => "nothing arrived while it was measured".to_owned(),
        Shortfall::Shared { part, flows, payload } => {
            let part = shared_part(scenario, part);
            let payload = payload.as_gbps_f64();
            format!("{flows} flows fill {part} with {payload:.2} Gbps of payload")
        }
        Shortfall::Blocked { part } => format!(
            "packets of other flows, which wait for {}, are ahead of its own in a lane that they share",
            shared_part(scenario, part)
        ),
        Shortfall::Window { messages, key, time, throttled, queued } => {
            let control = match (throttled, queued) {
                (true, _) => "congestion control holds it, or ",
                (false, true) => "a part that is not told apart holds it; ",
                (false, false) => "",
            };
            let outstanding = match messages {
                1 => "its 1 outstanding message takes".to_owned(),
                _ => format!("its {messages} outstanding messages take"),
            };
            format!(
                "{control}{outstanding} at most {:.2} us there and back (`{key}`)",
                time.as_ns_f64() / 1e3,
            )
        }
    })
}

fn limit(scenario: &InfinibandScenario, flow: &Flow) -> String {
    let Bottleneck { part, payload, link } = scenario.bottleneck(flow);
    let payload = payload.as_gbps_f64();
    match part {
        LimitingPart::Link(_) => {
            format!("The link of {link} limits a flow to {payload:.2} Gbps of payload.")
        }
        LimitingPart::Pcie(host) => {
            let name = |host| scenario.fabric().node(host).name.clone();
            let host = host.map_or("the hosts".to_owned(), name);
            format!(
                "PCIe of {host} limits a flow over the link of {link} to {payload:.2} Gbps of payload."
            )
        }
        LimitingPart::QueuePairs { qps, bytes, gap } => {
            let pairs = if qps == 1 {
                "One queue pair limits".into()
            } else {
                format!("{qps} queue pairs limit")
            };
            format!(
                "{pairs} a flow to {payload:.2} Gbps of payload, a message of {bytes} in {gap} each (qp-gap)."
            )
        }
        LimitingPart::Rnic(gap) => format!(
            "The RNIC limits a flow to {payload:.2} Gbps of payload, a packet in {gap} (issue-gap)."
        ),
        LimitingPart::Cpu(time) => format!(
            "The sender's core limits a flow to {payload:.2} Gbps of payload, a message in {time}."
        ),
        LimitingPart::Credits { port, buffer, round } => format!(
            "Credits limit a flow to {payload:.2} Gbps of payload: behind {}, {buffer} of buffer for a round trip \
             of {round}.",
            scenario.fabric().describe(port)
        ),
        LimitingPart::Rate => {
            format!("The flow's own rate limits it to {payload:.2} Gbps of payload.")
        }
    }
}
