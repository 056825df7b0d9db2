//! Scenarios, flows and readings that the runs share.

use crate::case;
use bandwise_input::Source;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::host::{MAX_RD_ATOMIC, Notify};
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_rperf::Summary;
use bandwise_scenario::infiniband::{
    BulkTraffic, Flow, InfinibandBuilder, InfinibandResults, InfinibandScenario, Method,
};
use bandwise_units::{Bytes, Time};

/// Message size of the latency-sensitive generator (LSG), section V.
pub(super) const LSG_BYTES: u32 = 64;
/// Size of the registered buffer of bulk senders (BSGs), which limits their outstanding data. It
/// follows from two component figures: the bandwidth of a single sender (figure 7b: 52.2 Gbps)
/// times the round trip of a 4096 B WRITE (figure 6, by qperf: 5.0 us here) is 32.6 KB outstanding.
pub(super) const BSG_BUFFER: Bytes = Bytes::from_kib(32);
/// Messages per doorbell. "We also use batching with small payload sizes" (VIII-A); the paper gives
/// no number.
const BATCH: u32 = 8;
const BATCHED_UP_TO: u32 = 512;
/// Largest random pause after each sample: eight turns of five bulk senders, 40 packets of 0.608 us.
/// After a shorter pause, a closed loop runs in step with the bulk packets and samples some phases of
/// them only.
pub(super) const THINK: Time = Time::from_ns(24_312);

/// A run.
pub(super) type Case = case::Case<InfinibandScenario>;
/// A number that is read from a run.
pub(super) type Reading = case::Reading<InfinibandResults>;

pub(super) const BACK_TO_BACK: &str = include_str!("../../../../papers/rperf/back-to-back.toml");
pub(super) const RACK: &str = include_str!("../../../../papers/rperf/rack.toml");
pub(super) const TWO_SWITCHES: &str = include_str!("../../../../papers/rperf/two-switches.toml");

/// The scenario files, shown in the report.
pub(super) const SCENARIOS: &[(&str, &str)] = &[
    ("back-to-back.toml", BACK_TO_BACK),
    ("rack.toml", RACK),
    ("two-switches.toml", TWO_SWITCHES),
];

/// Returns a scenario of the paper, or a variant of it.
pub(super) fn base(name: &str, text: &str) -> InfinibandScenario {
    InfinibandScenario::from_toml(&Source::new(name, text), bandwise_scenario::no_files)
        .expect("the paper's own scenarios are tested")
}

/// Returns the scenario with another order of packets in its switches.
pub(super) fn scheduled(
    scenario: &InfinibandScenario,
    scheduling: Scheduling,
) -> InfinibandScenario {
    let builder = scenario.clone().into_builder().change_models(|models| {
        models.change_switches(|switch| switch.scheduling = scheduling);
    });
    builder.build().expect("any scheduling is possible")
}

/// Returns a scenario with the switch that the paper simulates: no hiccups ("the switch uArch is not
/// modeled in detail"), and either policy.
pub(super) fn simulated(name: &str, text: &str, scheduling: Scheduling) -> InfinibandScenario {
    let builder = scheduled(&base(name, text), scheduling).into_builder();
    let builder = builder.change_models(|models| {
        models.change_switches(|switch| switch.hiccup = None);
    });
    builder.build().expect("a switch without hiccups is possible")
}

fn sl(n: u8) -> Sl {
    Sl::try_from(n).expect("a service level")
}

/// Returns a flow to `dst`, host 0 in every topology.
pub(super) fn flow(name: impl Into<String>, from: usize, level: u8, method: Method) -> Flow {
    let (transport, notify) = (Transport::Rc, Notify::Poll);
    let (name, sl, max_rd_atomic) = (name.into(), sl(level), MAX_RD_ATOMIC);
    Flow { name, from, to: 0, sl, transport, max_rd_atomic, notify, method }
}

/// Returns a sender of WRITEs, batched if they are small.
pub(super) fn bulk(bytes: u32, qps: u16, buffer: Bytes) -> Method {
    Method::Bulk(BulkTraffic {
        bytes,
        opcode: Opcode::Write,
        buffer,
        depth: 512,
        batch: if bytes <= BATCHED_UP_TO { BATCH } else { 1 },
        qps,
        rate: None,
        start: Time::ZERO,
        stop: None,
    })
}

/// Returns `n` bulk senders on hosts 1 to n, on SL0.
pub(super) fn senders(n: usize, bytes: u32) -> Vec<Flow> {
    (1..=n).map(|i| flow(format!("BSG {i}"), i, 0, bulk(bytes, 1, BSG_BUFFER))).collect()
}

/// Returns the name of a number of bulk senders.
pub(super) fn bsgs(n: usize) -> String {
    format!("{n} BSG{}", if n == 1 { "" } else { "s" })
}

/// Returns readings of the median and the tail of a run's only latency flow, as the method measured
/// them.
pub(super) fn round_trip(
    item: &'static str,
    case: impl Into<String>,
    unit: &'static str,
) -> Vec<Reading> {
    latency(item, case.into(), unit, |r| r.flows.iter().find_map(|f| Some(f.latency?.measured)))
}

/// Returns readings of the median and the tail of the true round trip: the time between the ports,
/// both ways.
pub(super) fn true_round_trip(item: &'static str, case: impl Into<String>) -> Vec<Reading> {
    latency(item, case.into(), "us", |r| r.flows.iter().find_map(|f| f.latency?.truth))
}

fn latency(
    item: &'static str,
    case: String,
    unit: &'static str,
    of: fn(&InfinibandResults) -> Option<Summary>,
) -> Vec<Reading> {
    let scale = if unit == "us" { 1e-3 } else { 1.0 };
    let reading = |metric, read: fn(&Summary) -> f64| Reading {
        item,
        case: case.clone(),
        metric,
        unit,
        read: Box::new(move |r| of(r).map(|s| read(&s) * scale)),
    };
    vec![reading("RTT p50", |s| s.p50_ns), reading("RTT p99.9", |s| s.p99_9_ns)]
}

/// Returns the payload bandwidths in Gbps of the flows whose name starts with `name`.
pub(super) fn bandwidths(results: &InfinibandResults, name: &str) -> Vec<f64> {
    let flows = results.flows.iter().filter(|f| f.name.starts_with(name));
    flows.filter_map(|f| Some(f.bandwidth?.rate().as_gbps_f64())).collect()
}

/// Returns a reading of the bandwidths of the flows whose name starts with `name`.
pub(super) fn bandwidth(
    item: &'static str,
    case: impl Into<String>,
    metric: &'static str,
    name: &'static str,
    fold: fn(&[f64]) -> f64,
) -> Reading {
    let read = move |r: &InfinibandResults| {
        let values = bandwidths(r, name);
        (!values.is_empty()).then(|| fold(&values))
    };
    Reading { item, case: case.into(), metric, unit: "Gbps", read: Box::new(read) }
}

/// Returns the sum.
pub(super) fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

pub(super) fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

pub(super) fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the reading of a method's median error against the truth.
pub(super) fn error(case: String) -> Reading {
    let read = |r: &InfinibandResults| r.flows.iter().find_map(|f| Some(f.latency?.error?.p50_ns));
    Reading { item: "truth", case, metric: "error p50", unit: "ns", read: Box::new(read) }
}

/// Returns a run without readings, of at most `ms` milliseconds.
pub(super) fn run(name: &str, scenario: InfinibandScenario, flows: Vec<Flow>, ms: u64) -> Case {
    let builder = scenario.into_builder().without_flows().duration(Time::from_ms(ms));
    let builder = flows.into_iter().fold(builder, InfinibandBuilder::flow);
    let scenario = builder.build().expect("the flows of the paper are possible");
    Case { name: name.to_owned(), scenario, readings: Vec::new() }
}
