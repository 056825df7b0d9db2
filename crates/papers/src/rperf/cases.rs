//! The runs, one for each point of the figures. A run that serves several figures is made once.

use super::calculated::{EQUATION, TEXT};
use super::link::LINK_GBPS;
use crate::Options;
use crate::case;
use bandwise_input::Source;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::host::{MAX_RD_ATOMIC, Notify};
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_rperf::Summary;
use bandwise_scenario::infiniband::{
    BulkTraffic, Flow, InfinibandBuilder, InfinibandResults, InfinibandScenario, LatencyTraffic,
    Method,
};
use bandwise_units::{Bytes, Time};

/// Message size of the latency-sensitive generator (LSG), section V.
const LSG_BYTES: u32 = 64;
/// Size of the registered buffer of bulk senders (BSGs), which limits their outstanding data. It
/// follows from two component figures: the bandwidth of a single sender (figure 7b: 52.2 Gbps)
/// times the round trip of a 4096 B WRITE (figure 6, by qperf: 5.0 us here) is 32.6 KB outstanding.
const BSG_BUFFER: Bytes = Bytes::from_kib(32);
/// Message sizes of the figures.
pub(super) const SIZES: [u32; 7] = [64, 128, 256, 512, 1024, 2048, 4096];
/// Messages per doorbell. "We also use batching with small payload sizes" (VIII-A); the paper gives
/// no number.
const BATCH: u32 = 8;
const BATCHED_UP_TO: u32 = 512;
/// Largest random pause after each sample: eight turns of five bulk senders, 40 packets of 0.608 us.
/// After a shorter pause, a closed loop runs in step with the bulk packets and samples some phases of
/// them only.
const THINK: Time = Time::from_ns(24_312);

type Case = case::Case<InfinibandScenario>;
type Reading = case::Reading<InfinibandResults>;

const BACK_TO_BACK: &str = include_str!("../../../../papers/rperf/back-to-back.toml");
const RACK: &str = include_str!("../../../../papers/rperf/rack.toml");
const TWO_SWITCHES: &str = include_str!("../../../../papers/rperf/two-switches.toml");

/// The scenario files, shown in the report.
pub(super) const SCENARIOS: &[(&str, &str)] = &[
    ("back-to-back.toml", BACK_TO_BACK),
    ("rack.toml", RACK),
    ("two-switches.toml", TWO_SWITCHES),
];

/// Returns all runs, in the order of the figures.
pub(super) fn cases(options: &Options) -> Vec<Case> {
    let plan = Plan { quick: options.quick };
    let mut cases = plan.zero_load();
    cases.extend(plan.existing_tools());
    cases.extend(plan.one_to_one_bandwidth());
    cases.extend(plan.converged());
    cases.extend(plan.message_sizes());
    cases.extend(plan.scheduling());
    cases.extend(plan.two_hops());
    cases.extend(plan.service_levels());
    cases.extend(plan.methods_under_load());
    cases
}

struct Plan {
    quick: bool,
}

fn base(name: &str, text: &str) -> InfinibandScenario {
    InfinibandScenario::from_toml(&Source::new(name, text), bandwise_scenario::no_files)
        .expect("the paper's own scenarios are tested")
}

fn sl(n: u8) -> Sl {
    Sl::try_from(n).expect("a service level")
}

/// Returns a flow to `dst`, host 0 in every topology.
fn flow(name: impl Into<String>, from: usize, level: u8, method: Method) -> Flow {
    let (transport, notify) = (Transport::Rc, Notify::Poll);
    let (name, sl, max_rd_atomic) = (name.into(), sl(level), MAX_RD_ATOMIC);
    Flow { name, from, to: 0, sl, transport, max_rd_atomic, notify, method }
}

fn bulk(bytes: u32, qps: u16) -> Method {
    Method::Bulk(BulkTraffic {
        bytes,
        opcode: Opcode::Write,
        buffer: BSG_BUFFER,
        depth: 512,
        batch: if bytes <= BATCHED_UP_TO { BATCH } else { 1 },
        qps,
        rate: None,
        start: Time::ZERO,
        stop: None,
    })
}

/// Returns `n` bulk senders on hosts 1 to n, on SL0.
fn senders(n: usize, bytes: u32) -> Vec<Flow> {
    (1..=n).map(|i| flow(format!("BSG {i}"), i, 0, bulk(bytes, 1))).collect()
}

/// Returns the name of a number of bulk senders.
pub(super) fn bsgs(n: usize) -> String {
    format!("{n} BSG{}", if n == 1 { "" } else { "s" })
}

/// Returns readings of the median and the tail of a run's only latency flow, as the method measured
/// them.
fn round_trip(item: &'static str, case: impl Into<String>, unit: &'static str) -> Vec<Reading> {
    latency(item, case.into(), unit, |r| r.flows.iter().find_map(|f| Some(f.latency?.measured)))
}

/// Returns readings of the median and the tail of the true round trip: the time between the ports,
/// both ways.
fn true_round_trip(item: &'static str, case: impl Into<String>) -> Vec<Reading> {
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
fn bandwidths(results: &InfinibandResults, name: &str) -> Vec<f64> {
    let flows = results.flows.iter().filter(|f| f.name.starts_with(name));
    flows.filter_map(|f| Some(f.bandwidth?.rate().as_gbps_f64())).collect()
}

fn bandwidth(
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

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}
fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the reading of a method's median error against the truth.
fn error(case: String) -> Reading {
    let read = |r: &InfinibandResults| r.flows.iter().find_map(|f| Some(f.latency?.error?.p50_ns));
    Reading { item: "truth", case, metric: "error p50", unit: "ns", read: Box::new(read) }
}

impl Plan {
    /// Returns the number of samples of a latency flow, given the number of a full run.
    fn samples(&self, full: u64) -> u64 {
        if self.quick { (full / 8).max(2_000) } else { full }
    }

    fn probe(&self, bytes: u32, full: u64) -> LatencyTraffic {
        LatencyTraffic { bytes, warmup: 50, samples: self.samples(full), think: THINK }
    }

    fn case(&self, name: &str, scenario: InfinibandScenario, flows: Vec<Flow>, ms: u64) -> Case {
        let builder = scenario.into_builder().without_flows().duration(Time::from_ms(ms));
        let builder = flows.into_iter().fold(builder, InfinibandBuilder::flow);
        let scenario = builder.build().expect("the flows of the paper are possible");
        Case { name: name.to_owned(), scenario, readings: Vec::new() }
    }

    /// Returns the runs of figure 4, and RPerf against the truth.
    fn zero_load(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (setup, text) in [("direct", BACK_TO_BACK), ("switch", RACK)] {
            for bytes in SIZES {
                let name = format!("{setup} {bytes} B");
                let probe = flow("LSG", 1, 0, Method::RPerf(self.probe(bytes, 100_000)));
                let mut case =
                    self.case(&format!("fig4 {name}"), base(setup, text), vec![probe], 10_000);
                case.readings = round_trip("fig4", name.clone(), "ns");
                case.readings.push(error(format!("rperf {name}, no load")));
                cases.push(case);
            }
        }
        cases
    }

    /// Returns the runs of figure 6, and both tools against the truth. The tail of both comes from
    /// the operating system's ticks, 250 per second, so that many samples are needed to meet enough
    /// ticks.
    fn existing_tools(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for bytes in SIZES {
            for tool in ["perftest", "qperf"] {
                let full = if tool == "perftest" { 500_000 } else { 50_000 };
                let probe = LatencyTraffic { think: Time::ZERO, ..self.probe(bytes, full) };
                let method = match tool {
                    "perftest" => Method::PingPong(probe),
                    _ => Method::PostPoll(probe),
                };
                let name = format!("{tool} {bytes} B");
                let flows = vec![flow("LSG", 1, 0, method)];
                let mut case =
                    self.case(&format!("fig6 {name}"), base("rack", RACK), flows, 10_000);
                case.readings = round_trip("fig6", name, "us");
                if tool == "qperf" {
                    // "Qperf does not report tail RTT."
                    case.readings.truncate(1);
                }
                case.readings.push(error(format!("{tool} switch {bytes} B, no load")));
                cases.push(case);
            }
        }
        cases
    }

    /// Returns the runs of figure 5.
    fn one_to_one_bandwidth(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (setup, text) in [("direct", BACK_TO_BACK), ("switch", RACK)] {
            for bytes in [64, 256, 1024, 4096] {
                let name = format!("{setup} {bytes} B");
                // One doorbell per message: section VIII-A introduces batching.
                let mut method = bulk(bytes, 1);
                if let Method::Bulk(traffic) = &mut method {
                    traffic.batch = 1;
                }
                let flows = vec![flow("BSG", 1, 0, method)];
                let mut case = self.case(&format!("fig5 {name}"), base(setup, text), flows, 5);
                case.readings = vec![bandwidth("fig5", name, "bandwidth", "BSG", sum)];
                if (setup, bytes) == ("direct", 64) {
                    case.readings.push(Reading {
                        item: TEXT,
                        case: "one sender".to_owned(),
                        metric: "64 B messages",
                        unit: "M/s",
                        read: Box::new(|r| Some(sum(&bandwidths(r, "BSG")) * 1e3 / (64.0 * 8.0))),
                    });
                }
                cases.push(case);
            }
        }
        cases
    }

    /// Returns the runs of figures 7a and 7b; with five senders also the shared setup of figures 12
    /// and 13.
    fn converged(&self) -> Vec<Case> {
        let one = |n: usize| {
            let mut flows = senders(n, 4096);
            flows.push(flow("LSG", 6, 0, Method::RPerf(self.probe(LSG_BYTES, 20_000))));
            let name = bsgs(n);
            let mut case = self.case(&format!("fig7 {name}"), base("rack", RACK), flows, 1_000);
            case.readings = round_trip("fig7a", name.clone(), "us");
            if n > 0 {
                let total = bandwidth("fig7b", name.clone(), "total bandwidth", "BSG", sum);
                case.readings.push(total);
            }
            if n > 1 {
                let spread = |which: &str, fold| {
                    bandwidth("fig7b", format!("{name}: {which}"), "bandwidth", "BSG", fold)
                };
                case.readings.extend([spread("least", least), spread("most", most)]);
            }
            if n == 0 {
                case.readings.extend(round_trip("fig12", "no BSG", "us"));
            }
            if n == 5 {
                case.readings.extend(round_trip("fig12", "shared SL", "us"));
                case.readings.push(bandwidth("fig13", "shared SL", "total bandwidth", "BSG", sum));
            }
            case
        };
        (0..=5).map(one).collect()
    }

    /// Returns the runs of figures 8 and 9.
    fn message_sizes(&self) -> Vec<Case> {
        let one = |bytes: u32| {
            let mut flows = senders(5, bytes);
            // With smaller messages, a sample takes more simulated messages.
            let full = if bytes < 512 { 8_000 } else { 16_000 };
            flows.push(flow("LSG", 6, 0, Method::RPerf(self.probe(LSG_BYTES, full))));
            let name = format!("{bytes} B");
            let mut case = self.case(&format!("fig8 {name}"), base("rack", RACK), flows, 1_000);
            case.readings = round_trip("fig8", name.clone(), "us");
            case.readings.push(Reading {
                item: "fig9",
                case: name,
                metric: "share of the link",
                unit: "%",
                read: Box::new(|r| Some(100.0 * sum(&bandwidths(r, "BSG")) / LINK_GBPS)),
            });
            case
        };
        SIZES.map(one).into()
    }

    /// Returns a scenario with the switch that the paper simulates: no hiccups ("the switch uArch
    /// is not modeled in detail"), and either policy.
    fn simulated(&self, name: &str, text: &str, scheduling: Scheduling) -> InfinibandScenario {
        let changed = base(name, text).into_builder().change_models(|models| {
            models.change_switches(|switch| {
                switch.scheduling = scheduling;
                switch.hiccup = None;
            });
        });
        changed.build().expect("any scheduling is possible")
    }

    /// Returns the LSG of the paper's simulator: a closed loop whose round trip is taken in the
    /// network.
    fn simulated_probe(&self) -> Flow {
        let probe = self.probe(LSG_BYTES, 10_000);
        flow("LSG", 6, 0, Method::ClosedLoop { opcode: Opcode::Send, depth: 1, traffic: probe })
    }

    /// Returns the runs of figure 10.
    fn scheduling(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (policy, scheduling) in [("FCFS", Scheduling::Fcfs), ("RR", Scheduling::RoundRobin)] {
            for n in 0..=5 {
                let mut flows = senders(n, 4096);
                flows.push(self.simulated_probe());
                let name = format!("{policy} {}", bsgs(n));
                let scenario = self.simulated("rack", RACK, scheduling);
                let mut case = self.case(&format!("fig10 {name}"), scenario, flows, 1_000);
                case.readings = true_round_trip("fig10", name.clone());
                if matches!(scheduling, Scheduling::Fcfs) && (n == 1 || n == 5) {
                    case.readings.push(true_round_trip(EQUATION, name).swap_remove(0));
                }
                cases.push(case);
            }
        }
        cases
    }

    /// Returns the runs of figure 11. The 18.4 us of first come, first served need the age of a packet
    /// since its source: by its arrival at each switch, they would be 31.7 us.
    fn two_hops(&self) -> Vec<Case> {
        let one = |(policy, scheduling): (&str, Scheduling)| {
            let mut flows = senders(5, 4096);
            flows.push(self.simulated_probe());
            let scenario = self.simulated("two-switches", TWO_SWITCHES, scheduling);
            let mut case = self.case(&format!("fig11 {policy}"), scenario, flows, 1_000);
            case.readings = true_round_trip("fig11", policy);
            case
        };
        [("FCFS", Scheduling::Age), ("RR", Scheduling::RoundRobin)].map(one).into()
    }

    /// Returns the runs of figures 12 and 13: a dedicated service level for the LSG, and a bulk
    /// sender that pretends to be an LSG. Four real BSGs remain beside the pretend LSG.
    fn service_levels(&self) -> Vec<Case> {
        let lsg = || flow("LSG", 6, 1, Method::RPerf(self.probe(LSG_BYTES, 20_000)));
        let dedicated = "dedicated SL";
        let mut flows = senders(5, 4096);
        flows.push(lsg());
        let mut own = self.case("fig12 dedicated SL", base("rack", RACK), flows, 500);
        own.readings = round_trip("fig12", dedicated, "us");
        own.readings.push(bandwidth("fig13", dedicated, "total bandwidth", "BSG", sum));

        let pretending = |qps: u16| {
            let mut flows = senders(4, 4096);
            flows.push(flow("pretend LSG", 5, 1, bulk(256, qps)));
            flows.push(lsg());
            self.case(&format!("fig12 pretend LSG, {qps} QPs"), base("rack", RACK), flows, 500)
        };
        // Figure 9's 7.7 million messages per second of a queue pair can't reach the 10.5 million
        // of the pretend LSG's 21.5 Gbps. The pretend LSG therefore has two queue pairs here; the
        // result with one is reported beside it.
        let mut two = pretending(2);
        two.readings = round_trip("fig12", "dedicated SL with a pretend LSG", "us");
        let beside = |which: &str, fold| {
            bandwidth(
                "fig13",
                format!("BSG beside a pretend LSG: {which}"),
                "bandwidth",
                "BSG",
                fold,
            )
        };
        two.readings.extend([
            bandwidth("fig13", "pretend LSG", "bandwidth", "pretend", sum),
            beside("least", least),
            beside("most", most),
        ]);
        let mut one = pretending(1);
        one.readings = round_trip("fig12", "pretend LSG with one QP", "us");
        one.readings.push(bandwidth(
            "fig13",
            "pretend LSG with one QP",
            "bandwidth",
            "pretend",
            sum,
        ));
        vec![own, two, one]
    }

    /// Returns runs of every method against the truth beside five bulk senders.
    fn methods_under_load(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for bytes in [64, 1024, 4096] {
            let probe = self.probe(bytes, 8_000);
            for (tool, method) in [
                ("rperf", Method::RPerf(probe)),
                ("perftest", Method::PingPong(probe)),
                ("qperf", Method::PostPoll(probe)),
            ] {
                let mut flows = senders(5, 4096);
                flows.push(flow("LSG", 6, 0, method));
                let name = format!("{tool} switch {bytes} B, 5 BSGs");
                let mut case =
                    self.case(&format!("truth {name}"), base("rack", RACK), flows, 1_000);
                case.readings = vec![error(name)];
                cases.push(case);
            }
        }
        cases
    }
}
