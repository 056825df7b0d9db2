//! The part that limits each flow, in sentences and JSON.

use super::measure::Outcome;
use super::settings::Settings;
use bandwise_scenario::infiniband::{Bottleneck, Flow, InfinibandScenario, LimitingPart, Method};
use bandwise_units::Bytes;
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
}

impl LimitRow {
    pub(super) fn new(scenario: &InfinibandScenario, flow: &Flow) -> Self {
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
        }
    }
}

/// Returns the parts that limit the flows, and the limits of what the methods measure.
pub(super) fn sentences(settings: &Settings, outcome: &Outcome) -> Vec<String> {
    let scenario = &settings.runs[0];
    let mut sentences = Vec::new();
    let is_bulk = |flow: &&Flow| matches!(flow.method, Method::Bulk(_));
    let any = scenario.flows().iter().any(|flow| is_bulk(&flow));
    let limited = scenario.flows().iter().filter(|flow| !any || is_bulk(flow));
    let limits = limited.map(|flow| match any {
        true => limit(scenario, flow),
        // No flow of the run uses what the path can carry.
        false => format!("Bulk traffic on this path: {}", limit(scenario, flow)),
    });
    sentences.extend(limits.collect::<BTreeSet<_>>());
    sentences.extend(scenario.flows().iter().filter_map(reads).collect::<BTreeSet<_>>());
    sentences.extend(slowest(settings, outcome));
    sentences.extend(outcome.limits.iter().cloned());
    sentences
}

/// Returns the limit of a flow's outstanding READs or atomics, if it posts more.
fn reads(flow: &Flow) -> Option<String> {
    let posted = match &flow.method {
        Method::ClosedLoop { depth, .. } => *depth,
        Method::Bulk(traffic) => traffic.depth,
        _ => return None,
    };
    let most = u32::from(flow.max_rd_atomic);
    (flow.method.reads() && posted > most).then(|| {
        format!(
            "Of {posted} READs or atomics of a queue pair, {most} are outstanding (max-rd-atomic)."
        )
    })
}

/// Returns what is known of the bulk flow that gets the least of what the limiting part allows, if that
/// is clearly less: by Little's law, its outstanding messages give the time of one.
fn slowest(settings: &Settings, outcome: &Outcome) -> Option<String> {
    const CLEARLY: f64 = 0.97;
    let parts = outcome.flows.iter().filter_map(|(run, flow, result)| {
        let rate = result.bandwidth?.rate();
        let allowed = settings.runs[*run].bottleneck(flow).payload;
        let part = rate.as_bps() as f64 / allowed.as_bps() as f64;
        (part < CLEARLY && rate.as_bps() > 0).then_some((part, flow, rate))
    });
    let below: Vec<_> = parts.collect();
    let (_, flow, rate) = below.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let Method::Bulk(traffic) = &flow.method else { return None };
    let (qps, bytes) = (u64::from(traffic.qps), u64::from(traffic.bytes));
    let windows = [
        (traffic.buffer.get() / bytes, "buffer"),
        (u64::from(traffic.depth) * qps, "depth"),
        (u64::from(flow.max_rd_atomic) * qps, "max-rd-atomic"),
    ];
    let known = windows.iter().filter(|(_, key)| *key != "max-rd-atomic" || flow.method.reads());
    let &(messages, key) = known.min_by_key(|(messages, _)| *messages)?;
    let time = rate.time_for(Bytes::new(messages * bytes));
    let others = match (below.len() - 1, outcome.flows.len()) {
        (_, 1) => String::new(),
        (0, _) => ", beside other flows".to_owned(),
        (more, _) => format!(", beside other flows; {more} more are below this limit too"),
    };
    let outstanding = match messages {
        1 => "its 1 outstanding message takes at most".to_owned(),
        _ => format!("its {messages} outstanding messages take at most"),
    };
    Some(format!(
        "{} gets {:.2} Gbps: {outstanding} {:.2} us there and back (`{key}`){others}.",
        flow.name,
        rate.as_gbps_f64(),
        time.as_ns_f64() / 1e3,
    ))
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
