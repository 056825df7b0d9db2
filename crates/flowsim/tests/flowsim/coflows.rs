//! Coflow traces on a big switch.

use bandwise_flowsim::coflow::{
    CoflowTimes, Order, PORT_RATE, Scheduler, run, run_in_order, run_over,
};
use bandwise_flowsim::policy::{MaxMin, Sebf, Sincronia, SmallestGroup};
use bandwise_flowsim::{Network, Policy, Simulation};
use bandwise_input::Source;
use bandwise_stats::Percentile;
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_workload::{Coflow, CoflowMix, CoflowTrace, read};
use proptest::prelude::*;
use std::ops::ControlFlow;

/// A megabyte of the trace takes 8.388608 ms at 1 Gbps.
const MB_MS: f64 = 8.388_608;

fn ms(times: &[Time]) -> Vec<f64> {
    times.iter().map(|time| (time.as_s_f64() * 1e9).round() / 1e6).collect()
}

/// Three coflows. The first and second share port 2; the third arrives after their end.
const TRACE: &str = "4 3\n1 0 2 0 1 1 2:10.0\n2 0 1 3 2 2:4.0 3:4.0\n3 500 1 0 1 0:1\n";

fn by<P: Policy>(trace: &CoflowTrace, policy: P) -> CoflowTimes {
    let mut go_on = |_| ControlFlow::Continue(());
    run(trace, PORT_RATE, policy, &mut go_on).unwrap().expect("the run is not stopped")
}

/// Runs over links with this configuration.
fn over<P: Policy>(
    trace: &CoflowTrace,
    policy: P,
    set_up: impl Fn(Simulation<P>) -> Simulation<P>,
) -> CoflowTimes {
    let network = Network::new(vec![PORT_RATE; 2 * trace.ports as usize]).unwrap();
    let mut go_on = |_| ControlFlow::Continue(());
    let simulation = set_up(Simulation::new(network, policy));
    run_over(trace, simulation, &mut go_on).expect("the run is not stopped")
}

fn in_order(trace: &CoflowTrace, order: Order) -> CoflowTimes {
    let mut go_on = |_| ControlFlow::Continue(());
    run_in_order(trace, PORT_RATE, order, &mut go_on).unwrap().expect("the run is not stopped")
}

#[test]
fn coflow_times_match_hand_computed_values() {
    let trace = read::coflows(&Source::new("tiny", TRACE)).unwrap();
    // Fair: three flows of 5, 5 and 4 MB into port 2 get a third each, until 12 MB have arrived.
    // The 4 MB are done, and 1 MB of each of the others is left. The other 4 MB from port 3 have
    // 2/3 of it: 6 > 4.
    let fair = in_order(&trace, Order::Fair);
    assert_eq!(ms(&fair.times), [14.0 * MB_MS, 12.0 * MB_MS, MB_MS]);
    assert_eq!((fair.flows, fair.events), (5, 4));
    // By bottleneck: the second coflow needs 8 MB of port 3, the first 10 MB of port 2. The second
    // has half of port 2 for 8 MB. The first has the other half, then all: 4 + 6 more.
    let sebf = by(&trace, Sebf::default());
    assert_eq!(ms(&sebf.times), [14.0 * MB_MS, 8.0 * MB_MS, MB_MS]);
    // Strict priority for the second, max-min within: half of port 3 each.
    let sincronia = in_order(&trace, Order::Sincronia);
    assert_eq!(ms(&sincronia.times), [14.0 * MB_MS, 8.0 * MB_MS, MB_MS]);
    let average = (14.0 + 8.0 + 1.0) * MB_MS / 3.0;
    assert!((sincronia.average().as_s_f64() * 1e3 - average).abs() < 1e-3);
    assert_eq!(sincronia.percentile(Percentile::MEDIAN), sincronia.times[1]);
    assert_eq!(sincronia.percentile(Percentile::P95), sincronia.times[0]);
}

/// The slower simulation of single flows is the oracle of each scheduler.
#[test]
fn schedulers_agree_with_the_policies_of_their_names() {
    let trace = CoflowMix::new(10, 12, Time::from_ms(500)).unwrap().trace(7);
    for scheduler in Scheduler::ALL {
        let expected = match scheduler {
            Scheduler::Fair => over(&trace, MaxMin, Simulation::rank_by_rank),
            Scheduler::SmallestFirst => {
                over(&trace, SmallestGroup::default(), Simulation::rank_by_rank)
            }
            Scheduler::Sebf => by(&trace, Sebf::default()),
            Scheduler::Sincronia => over(&trace, Sincronia::default(), Simulation::rank_by_rank),
        };
        let mut go_on = |_| ControlFlow::Continue(());
        let times = scheduler.run(&trace, PORT_RATE, &mut go_on).unwrap().unwrap();
        assert_eq!(times, expected, "{}", scheduler.title());
        assert_eq!(scheduler.run(&trace, PORT_RATE, &mut |_| ControlFlow::Break(())), Ok(None));
    }
}

#[test]
fn schedulers_refuse_a_rate_out_of_range() {
    let trace = read::coflows(&Source::new("tiny", TRACE)).unwrap();
    for scheduler in Scheduler::ALL {
        let mut go_on = |_| ControlFlow::Continue(());
        assert!(scheduler.run(&trace, BitRate::from_bps(0), &mut go_on).is_err());
    }
}

/// A single shuffle takes as long as its busiest port, under each policy.
#[test]
fn single_shuffle_takes_its_busiest_port() {
    let reducers = (0..5).map(|port| (port, Bytes::new(40_000_000))).collect();
    let coflow = Coflow { id: 1, arrival: Time::from_ms(3), mappers: vec![5, 6, 7, 8], reducers };
    let trace = CoflowTrace { ports: 9, coflows: vec![coflow] };
    // Each mapper sends 5 times 10 MB: 400 ms.
    for times in [
        in_order(&trace, Order::Fair).times,
        by(&trace, Sebf::default()).times,
        in_order(&trace, Order::Sincronia).times,
    ] {
        assert_eq!(ms(&times), [400.0]);
    }
}

/// The field's consensus: ordered coflows beat fair sharing. A tolerance costs about its own
/// amount.
#[test]
fn ordered_coflows_beat_fair_sharing() {
    let trace = CoflowMix::new(20, 40, Time::from_ms(2_000)).unwrap().trace(7);
    let fair = in_order(&trace, Order::Fair);
    let near = over(&trace, MaxMin, |links| links.with_tolerance(5_000));
    let more = near.average().as_s_f64() / fair.average().as_s_f64() - 1.0;
    assert!((-0.001..0.01).contains(&more), "{more}");
    for better in [
        by(&trace, Sebf::default()),
        in_order(&trace, Order::Sincronia),
        in_order(&trace, Order::SmallestFirst),
    ] {
        assert!(better.average() < fair.average());
        assert_eq!(better.flows, trace.flows());
    }
}

/// With ranks of coflows a tolerance has no cost: the rest of one coflow is all that the next may
/// have.
#[test]
fn tolerance_does_not_delay_ranked_coflows() {
    let trace = CoflowMix::new(20, 40, Time::from_ms(2_000)).unwrap().trace(7);
    let alike = |a: CoflowTimes, b: CoflowTimes| {
        let ratio = a.average().as_s_f64() / b.average().as_s_f64();
        assert!((0.99..1.01).contains(&ratio), "{ratio}");
    };
    let smallest = over(&trace, SmallestGroup::default(), |links| links.with_tolerance(5_000));
    alike(smallest, in_order(&trace, Order::SmallestFirst));
    let sincronia = over(&trace, Sincronia::default(), |links| links.with_tolerance(5_000));
    alike(sincronia, in_order(&trace, Order::Sincronia));
}

/// Generates a trace of few ports, so that coflows share ports. Some mappers occur twice, some
/// flows have a byte or none, and some coflows start at one instant.
fn trace() -> impl Strategy<Value = CoflowTrace> {
    const PORTS: u32 = 5;
    let bytes = prop_oneof![Just(0), 1u64..4, 1_000u64..1_000_000, 1_000_000u64..20_000_000];
    let reducers = prop::collection::vec((0..PORTS, bytes.prop_map(Bytes::new)), 1..5);
    let mappers = prop::collection::vec(0..PORTS, 1..5);
    let coflow = (prop_oneof![0u64..3, 0u64..400], mappers, reducers);
    prop::collection::vec(coflow, 1..12).prop_map(|mut coflows| {
        coflows.sort_by_key(|&(arrival, ..)| arrival);
        let coflow = |(id, (arrival, mappers, reducers))| {
            let arrival = Time::from_ms(arrival);
            Coflow { id, arrival, mappers, reducers }
        };
        CoflowTrace { ports: PORTS, coflows: (1..).zip(coflows).map(coflow).collect() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Ends and number of computations equal those over links that ignore coflows and ports, to the
    /// picosecond.
    #[test]
    fn coflow_allocation_equals_rank_by_rank(trace in trace()) {
        let fair = over(&trace, MaxMin, Simulation::rank_by_rank);
        prop_assert_eq!(in_order(&trace, Order::Fair), fair);
        let smallest = over(&trace, SmallestGroup::default(), Simulation::rank_by_rank);
        prop_assert_eq!(in_order(&trace, Order::SmallestFirst), smallest);
        let sincronia = over(&trace, Sincronia::default(), Simulation::rank_by_rank);
        prop_assert_eq!(in_order(&trace, Order::Sincronia), sincronia);
    }
}

/// A second run gives the same bytes.
#[test]
fn runs_repeat() {
    let trace = CoflowMix::new(10, 20, Time::from_ms(500)).unwrap().trace(3);
    let first = by(&trace, Sebf::default());
    assert_eq!(by(&trace, Sebf::default()), first);
}

/// A watcher can stop a trace, and then no times exist.
#[test]
fn stopped_trace_has_no_times() {
    let trace = CoflowMix::new(20, 40, Time::from_ms(2_000)).unwrap().trace(7);
    let mut seen = Vec::new();
    let mut watch = |ended| {
        seen.push(ended);
        if seen.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    assert_eq!(run(&trace, PORT_RATE, MaxMin, &mut watch), Ok(None));
    assert!(seen.len() == 3 && seen.is_sorted(), "{seen:?}");
}
