//! [`RperfAnswer`]: the results of simulated measurements.

use super::assumptions::AssumptionsRow;
use super::limits::LimitRow;
use super::measure::{Outcome, describe};
use super::rendering::BandwidthRow;
use super::settings::Settings;
use super::{report, tables};
use crate::answer::Answer;
use bandwise_report::Report;
use bandwise_rperf::Summary;
use bandwise_scenario::Stop;
use bandwise_scenario::infiniband::{Flow, FlowResult, LatencyResult, Shortfall};
use serde::Serialize;
use std::collections::BTreeSet;

/// The results of simulated measurements, which do not depend on the machine.
#[derive(Serialize)]
pub(super) struct RperfAnswer<'a> {
    schema: u32,
    title: &'a str,
    settings: AssumptionsRow,
    flows: Vec<FlowRow<'a>>,
    stop: &'static str,
    deadlock: Option<Vec<String>>,
    /// Warnings about the file.
    warnings: &'a [String],
    /// Results that no fabric has, in sentences.
    implausible: Vec<String>,
    /// Limits of the latencies, in sentences.
    limits: &'a BTreeSet<String>,
    stats: RperfStats,
    #[serde(skip)]
    pub(super) given: &'a Settings,
    #[serde(skip)]
    pub(super) outcome: &'a Outcome,
}

/// A flow and its results.
#[derive(Serialize)]
struct FlowRow<'a> {
    run: usize,
    name: &'a str,
    method: &'static str,
    from: &'a str,
    to: &'a str,
    sl: u8,
    bytes: u32,
    samples_wanted: Option<u64>,
    limit: LimitRow,
    latency: Option<LatencyRow>,
    bandwidth: Option<BandwidthRow>,
}

/// A latency beside the truth of the simulation.
#[derive(Serialize)]
struct LatencyRow {
    direction: &'static str,
    measured: Summary,
    truth: Option<Summary>,
    error: Option<Summary>,
}

/// The counters of the network, over all runs.
#[derive(Serialize)]
struct RperfStats {
    version: &'static str,
    seed: u64,
    packets_delivered: u64,
    packets_dropped: u64,
    packet_hops: u64,
    events: u64,
    simulated_s: f64,
}

impl<'a> RperfAnswer<'a> {
    /// Returns the answer of all runs.
    pub(super) fn new(settings: &'a Settings, outcome: &'a Outcome) -> Self {
        let ports = match &outcome.stop {
            Stop::Deadlock(ports) => Some(ports),
            _ => None,
        };
        let names = |ports: &Vec<_>| -> Vec<String> {
            ports.iter().map(|&port| settings.fabric().describe(port)).collect()
        };
        type Measured = (usize, Flow, FlowResult);
        let row = |((run, flow, result), held): (&'a Measured, &Option<Shortfall>)| {
            let limit = LimitRow::new(&settings.runs[*run], flow, held.as_ref());
            FlowRow::new(settings, *run, flow, result, limit)
        };
        let counters = &outcome.counters;
        RperfAnswer {
            schema: 1,
            title: settings.title(),
            settings: AssumptionsRow::new(settings),
            flows: outcome.flows.iter().zip(&outcome.shortfalls).map(row).collect(),
            stop: outcome.stop.as_str(),
            deadlock: ports.map(names),
            warnings: &settings.warnings,
            implausible: outcome.implausible.iter().map(ToString::to_string).collect(),
            limits: &outcome.limits,
            stats: RperfStats {
                version: env!("CARGO_PKG_VERSION"),
                seed: settings.seed(),
                packets_delivered: counters.packets_delivered,
                packets_dropped: counters.packets_dropped,
                packet_hops: counters.packet_hops,
                events: counters.events,
                simulated_s: outcome.simulated.as_s_f64(),
            },
            given: settings,
            outcome,
        }
    }
}

impl Answer for RperfAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        tables::text(self.given, self.outcome)
    }

    fn report(&self) -> Option<Report> {
        Some(report::report(self))
    }
}

impl<'a> FlowRow<'a> {
    fn new(
        settings: &'a Settings,
        run: usize,
        flow: &'a Flow,
        result: &FlowResult,
        limit: LimitRow,
    ) -> Self {
        let fabric = settings.fabric();
        let name = |host: usize| &*fabric.node(fabric.hosts()[host]).name;
        let (method, bytes, samples_wanted) = describe(&flow.method);
        FlowRow {
            run,
            name: &flow.name,
            method,
            from: name(flow.from),
            to: name(flow.to),
            sl: flow.sl.get(),
            bytes,
            samples_wanted,
            limit,
            latency: result.latency.as_ref().map(LatencyRow::from),
            bandwidth: result.bandwidth.map(BandwidthRow::from),
        }
    }
}

impl From<&LatencyResult> for LatencyRow {
    fn from(latency: &LatencyResult) -> Self {
        LatencyRow {
            direction: "round trip",
            measured: latency.measured,
            truth: latency.truth,
            error: latency.error,
        }
    }
}
