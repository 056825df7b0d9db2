//! The runs, one for each point of the figures. A run that serves several figures is made once.

use super::calculated::{EQUATION, TEXT};
use super::claim_runs;
use super::link::LINK_GBPS;
use super::sensitivity;
use super::setup::{
    BACK_TO_BACK, BSG_BUFFER, Case, LSG_BYTES, RACK, Reading, THINK, TWO_SWITCHES, bandwidth,
    bandwidths, base, bsgs, bulk, error, flow, least, most, round_trip, run, senders, simulated,
    sum, true_round_trip,
};
use crate::Options;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_rdma::verbs::Opcode;
use bandwise_scenario::infiniband::{Flow, LatencyTraffic, Method};
use bandwise_units::Time;

/// Message sizes of the figures.
pub(super) const SIZES: [u32; 7] = [64, 128, 256, 512, 1024, 2048, 4096];

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
    cases.extend(claim_runs::cases());
    cases.extend(sensitivity::cases());
    cases
}

struct Plan {
    quick: bool,
}

impl Plan {
    /// Returns the number of samples of a latency flow, given the number of a full run.
    fn samples(&self, full: u64) -> u64 {
        if self.quick { (full / 8).max(2_000) } else { full }
    }

    fn probe(&self, bytes: u32, full: u64) -> LatencyTraffic {
        LatencyTraffic { bytes, warmup: 50, samples: self.samples(full), think: THINK }
    }

    /// Returns the runs of figure 4, and RPerf against the truth.
    fn zero_load(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (setup, text) in [("direct", BACK_TO_BACK), ("switch", RACK)] {
            for bytes in SIZES {
                let name = format!("{setup} {bytes} B");
                let probe = flow("LSG", 1, 0, Method::RPerf(self.probe(bytes, 100_000)));
                let mut case = run(&format!("fig4 {name}"), base(setup, text), vec![probe], 10_000);
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
                let mut case = run(&format!("fig6 {name}"), base("rack", RACK), flows, 10_000);
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
                let mut method = bulk(bytes, 1, BSG_BUFFER);
                if let Method::Bulk(traffic) = &mut method {
                    traffic.batch = 1;
                }
                let flows = vec![flow("BSG", 1, 0, method)];
                let mut case = run(&format!("fig5 {name}"), base(setup, text), flows, 5);
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
            let mut case = run(&format!("fig7 {name}"), base("rack", RACK), flows, 1_000);
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
            let full = if bytes < 512 { 4_000 } else { 8_000 };
            flows.push(flow("LSG", 6, 0, Method::RPerf(self.probe(LSG_BYTES, full))));
            let name = format!("{bytes} B");
            let mut case = run(&format!("fig8 {name}"), base("rack", RACK), flows, 1_000);
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
                let scenario = simulated("rack", RACK, scheduling);
                let mut case = run(&format!("fig10 {name}"), scenario, flows, 1_000);
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
            let scenario = simulated("two-switches", TWO_SWITCHES, scheduling);
            let mut case = run(&format!("fig11 {policy}"), scenario, flows, 1_000);
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
        let mut own = run("fig12 dedicated SL", base("rack", RACK), flows, 500);
        own.readings = round_trip("fig12", dedicated, "us");
        own.readings.push(bandwidth("fig13", dedicated, "total bandwidth", "BSG", sum));

        let pretending = |qps: u16| {
            let mut flows = senders(4, 4096);
            flows.push(flow("pretend LSG", 5, 1, bulk(256, qps, BSG_BUFFER)));
            flows.push(lsg());
            run(&format!("fig12 pretend LSG, {qps} QPs"), base("rack", RACK), flows, 500)
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
                let mut case = run(&format!("truth {name}"), base("rack", RACK), flows, 1_000);
                case.readings = vec![error(name)];
                cases.push(case);
            }
        }
        cases
    }
}
