//! Runs that only the claims need: what the paper supposes without a measurement, and its main setups
//! on fabrics of today.

use super::fabrics::{Fabric, TODAY};
use super::setup::{
    Case, LSG_BYTES, RACK, Reading, THINK, TWO_SWITCHES, bandwidth, base, bsgs, bulk, flow,
    round_trip, run, scheduled, senders, sum,
};
use super::variant::variant;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_rdma::verbs::Opcode;
use bandwise_scenario::infiniband::{Flow, InfinibandScenario, LatencyTraffic, Method};
use bandwise_units::Time;

/// Item of these runs.
pub(super) const ITEM: &str = "claims";
/// Samples of a run: medians and bandwidths decide the claims.
pub(super) const SAMPLES: u64 = 1_000;
/// Requests of a burst.
const BURST: u32 = 16;
/// Arbitration that limits the LSGs' lane to one packet for each 4 KiB of bulk traffic.
const LIMIT: [(&str, &str); 2] =
    [("high = [\"1:64\"]", "high = []"), ("low = [\"0:64\"]", "low = [\"0:64\", \"1:1\"]")];

/// Returns the run that `name` has in this item.
fn named(name: &str, scenario: InfinibandScenario, flows: Vec<Flow>) -> Case {
    let mut case = run(&format!("claims {name}"), scenario, flows, 1_000);
    case.readings = median(name);
    case
}

fn median(name: &str) -> Vec<Reading> {
    let mut readings = round_trip(ITEM, name, "us");
    readings.truncate(1);
    readings
}

fn total(name: &str) -> Reading {
    bandwidth(ITEM, name, "total bandwidth", "BSG", sum)
}

fn traffic(think: Time) -> LatencyTraffic {
    LatencyTraffic { bytes: LSG_BYTES, warmup: 50, samples: SAMPLES, think }
}

fn lsg(level: u8, think: Time) -> Flow {
    flow("LSG", 6, level, Method::RPerf(traffic(think)))
}

/// Returns all runs.
pub(super) fn cases() -> Vec<Case> {
    let mut cases = own_lane_over_two_hops(&Fabric::PAPER);
    cases.extend(limits());
    for fabric in &TODAY {
        cases.extend(converged(fabric));
        cases.extend(sizes(fabric));
        cases.extend(orders(fabric));
        cases.extend(levels(fabric));
        cases.extend(own_lane_over_two_hops(fabric));
    }
    cases
}

/// Returns a dedicated service level over two switches, which the paper leaves out, beside the same
/// flow alone.
fn own_lane_over_two_hops(fabric: &Fabric) -> Vec<Case> {
    // Switches know only the arrival of a packet at themselves.
    let scenario = || scheduled(&fabric.scenario("two-switches", TWO_SWITCHES), Scheduling::Fcfs);
    let one = |name: &str, n: usize| {
        let mut flows = fabric.senders(n, 4096);
        flows.push(lsg(1, fabric.think()));
        named(&fabric.called(name), scenario(), flows)
    };
    vec![one("no BSG over two hops", 0), one("dedicated SL over two hops", 5)]
}

/// Returns single messages and bursts on a service level of their own, with and without a limit of
/// its share (VIII-C).
fn limits() -> Vec<Case> {
    let mut cases = Vec::new();
    for (which, changes) in [("", &[][..]), (", limited", &LIMIT[..])] {
        for (what, depth) in [("single LSG", 1), ("burst of LSGs", BURST)] {
            let traffic = traffic(if depth == 1 { THINK } else { Time::ZERO });
            let method = Method::ClosedLoop { opcode: Opcode::Send, depth, traffic };
            let mut flows = senders(5, 4096);
            flows.push(flow("LSG", 6, 1, method));
            let scenario = base("rack", &variant(RACK, changes));
            cases.push(named(&format!("{what}{which}"), scenario, flows));
        }
    }
    cases
}

fn converged(fabric: &Fabric) -> Vec<Case> {
    let one = |n: usize| {
        let mut flows = fabric.senders(n, 4096);
        flows.push(lsg(0, fabric.think()));
        let name = fabric.called(&bsgs(n));
        let mut case = named(&name, fabric.scenario("rack", RACK), flows);
        if n > 0 {
            case.readings.push(total(&name));
        }
        case
    };
    (0..=5).map(one).collect()
}

/// Returns five senders of smaller messages; `converged` has those of 4096 B.
fn sizes(fabric: &Fabric) -> Vec<Case> {
    let one = |bytes: u32| {
        let mut flows = fabric.senders(5, bytes);
        flows.push(lsg(0, fabric.think()));
        let name = fabric.called(&format!("5 BSGs of {bytes} B"));
        let mut case = named(&name, fabric.scenario("rack", RACK), flows);
        case.readings.push(total(&name));
        case
    };
    [64, 512].map(one).into()
}

fn orders(fabric: &Fabric) -> Vec<Case> {
    let one = |name: &str, base: InfinibandScenario, scheduling| {
        let mut flows = fabric.senders(5, 4096);
        flows.push(lsg(0, fabric.think()));
        named(&fabric.called(name), scheduled(&base, scheduling), flows)
    };
    let two = || fabric.scenario("two-switches", TWO_SWITCHES);
    vec![
        one("RR 5 BSGs", fabric.scenario("rack", RACK), Scheduling::RoundRobin),
        one("FCFS over two hops", two(), Scheduling::Age),
        one("RR over two hops", two(), Scheduling::RoundRobin),
    ]
}

fn levels(fabric: &Fabric) -> Vec<Case> {
    let one = |name: &str, honest: usize| {
        let mut flows = fabric.senders(honest, 4096);
        if honest < 5 {
            flows.push(flow("pretend LSG", 5, 1, bulk(256, 2 * fabric.qps, fabric.buffer())));
        }
        flows.push(lsg(1, fabric.think()));
        let name = fabric.called(name);
        let mut case = named(&name, fabric.scenario("rack", RACK), flows);
        case.readings.push(total(&name));
        if honest < 5 {
            case.readings.push(bandwidth(ITEM, name, "pretend LSG", "pretend", sum));
        }
        case
    };
    vec![one("dedicated SL", 5), one("dedicated SL with a pretend LSG", 4)]
}
