//! [`SimAnswer`]: the results of an Ethernet scenario.

use super::effort::Effort;
use super::names::{group, percent};
use super::ports::{self, PortRow, StormRow};
use super::settings::Settings;
use super::settings_row::SettingsRow;
use super::{report, tables, warnings};
use crate::answer::Answer;
use bandwise_netsim::ethernet::Counters;
use bandwise_report::Report;
use bandwise_scenario::ethernet::{
    Distribution, EthernetResults, EthernetScenario, Group, RequestResult,
};
use bandwise_units::Time;
use serde::Serialize;

/// The results of an Ethernet scenario. All fields but the effort in `stats` depend only on the
/// scenario, the flows and the seed.
#[derive(Serialize)]
pub(super) struct SimAnswer<'a> {
    schema: u32,
    title: &'a str,
    settings: SettingsRow,
    pub(super) warnings: Vec<String>,
    stop: &'static str,
    deadlock: Option<Vec<String>>,
    pause_storms: Vec<StormRow>,
    rows: Vec<MetricRow>,
    ports: Vec<PortRow>,
    stats: SimStats,
    /// The name of the scenario's file.
    #[serde(skip)]
    pub(super) name: &'a str,
    /// The text of the scenario's file.
    #[serde(skip)]
    pub(super) text: &'a str,
    #[serde(skip)]
    pub(super) scenario: &'a EthernetScenario,
    #[serde(skip)]
    pub(super) results: &'a EthernetResults,
}

/// A metric of a group of flows.
#[derive(Serialize)]
struct MetricRow {
    case: String,
    metric: String,
    unit: &'static str,
    measured: f64,
    samples: u64,
}

/// The counters of the network, and the effort of the run.
#[derive(Serialize)]
struct SimStats {
    version: &'static str,
    seed: u64,
    flows_started: u64,
    flows_finished: u64,
    packets_delivered: u64,
    packet_hops: u64,
    packets_dropped: u64,
    packets_marked: u64,
    packets_retransmitted: u64,
    timeouts: u64,
    pauses: u64,
    paused_s: f64,
    peak_buffer_bytes: u64,
    events: u64,
    simulated_s: f64,
    wall_s: f64,
    cpu_s: Option<f64>,
    packet_hops_per_s: f64,
    packet_hops_per_cpu_s: Option<f64>,
    peak_rss_bytes: Option<u64>,
}

impl<'a> SimAnswer<'a> {
    /// Returns the answer of a run.
    pub(super) fn new(
        settings: &'a Settings,
        results: &'a EthernetResults,
        effort: Effort,
    ) -> Self {
        let scenario = &settings.scenario;
        let fabric = scenario.fabric();
        let of_file = settings.warnings.iter().cloned();
        SimAnswer {
            schema: 1,
            title: scenario.title(),
            settings: SettingsRow::of(scenario, results),
            warnings: of_file.chain(warnings::warnings(scenario, results)).collect(),
            stop: results.stop.as_str(),
            deadlock: ports::deadlock(fabric, results),
            pause_storms: ports::storms(fabric, results),
            rows: metrics(results),
            ports: ports::rows(fabric, results),
            stats: stats(scenario, results, effort),
            name: &settings.name,
            text: &settings.text,
            scenario,
            results,
        }
    }
}

impl Answer for SimAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        tables::text(self.scenario, self.results)
    }

    fn report(&self) -> Option<Report> {
        Some(report::report(self))
    }
}

fn stats(scenario: &EthernetScenario, results: &EthernetResults, effort: Effort) -> SimStats {
    let Counters { packet_hops, .. } = results.counters;
    let counters = &results.counters;
    let hops = packet_hops as f64;
    SimStats {
        version: env!("CARGO_PKG_VERSION"),
        seed: scenario.seed(),
        flows_started: results.started,
        flows_finished: results.finished,
        packets_delivered: counters.packets_delivered,
        packet_hops,
        packets_dropped: counters.packets_dropped,
        packets_marked: counters.packets_marked,
        packets_retransmitted: counters.packets_retransmitted,
        timeouts: counters.timeouts,
        pauses: counters.pauses,
        paused_s: counters.paused.as_s_f64(),
        peak_buffer_bytes: counters.peak_buffer.get(),
        events: counters.events,
        simulated_s: results.simulated.as_s_f64(),
        wall_s: effort.wall_s,
        cpu_s: effort.cpu_s,
        packet_hops_per_s: hops / effort.wall_s,
        packet_hops_per_cpu_s: effort.cpu_s.map(|cpu_s| hops / cpu_s),
        peak_rss_bytes: effort.peak_rss_bytes,
    }
}

fn us(time: Time) -> f64 {
    time.as_ns_f64() / 1e3
}

/// Returns the metrics of all groups, of the tail of single packets, and of requests.
fn metrics(results: &EthernetResults) -> Vec<MetricRow> {
    let groups = results.groups.iter().flat_map(|(name, found)| of_group(*name, found));
    let mut rows: Vec<MetricRow> = groups.collect();
    let single = results.groups.iter().find(|(group, _)| matches!(group, Group::SinglePacket));
    let samples = single.map_or(0, |(_, found)| found.flows);
    rows.extend(results.single_packet_tail.iter().map(|&(share, time)| MetricRow {
        case: "single packet".to_owned(),
        metric: format!("tail FCT p{}", percent(share)),
        unit: "us",
        measured: us(time),
        samples,
    }));
    rows.extend(results.requests.iter().flat_map(of_requests));
    rows
}

fn of_group(name: Group, found: &Distribution) -> Vec<MetricRow> {
    let mut rows = Vec::new();
    let mut add = |metric: String, unit: &'static str, measured: f64| {
        rows.push(MetricRow { case: group(name), metric, unit, measured, samples: found.flows });
    };
    add("average slowdown".to_owned(), "", found.average_slowdown);
    add("average FCT".to_owned(), "us", us(found.average));
    for (share, time) in Distribution::PERCENTILES.into_iter().zip(found.percentiles) {
        add(format!("FCT p{}", percent(share)), "us", us(time));
    }
    let slowdowns = Distribution::PERCENTILES.into_iter().zip(found.slowdown_percentiles);
    for (share, slowdown) in slowdowns {
        add(format!("slowdown p{}", percent(share)), "", slowdown);
    }
    rows
}

fn of_requests(requests: &RequestResult) -> [MetricRow; 4] {
    let [half, most] = requests.percentiles;
    [
        ("average RCT", requests.average),
        ("RCT p50", half),
        ("RCT p99", most),
        ("longest RCT", requests.longest),
    ]
    .map(|(metric, time)| MetricRow {
        case: "incast requests".to_owned(),
        metric: metric.to_owned(),
        unit: "us",
        measured: us(time),
        samples: requests.requests,
    })
}
