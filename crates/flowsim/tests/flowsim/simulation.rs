//! Bytes, order and time.

use crate::nets::*;
use bandwise_flowsim::policy::{AppQueues, Homa, MaxMin, Sincronia, Srpt, WeightedQueues};
use bandwise_flowsim::{FinishedFlow, FlowSpec, Policy, Simulation};
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Runs flows with ascending start times to the end, and returns the end of each, by index.
fn run<P: Policy>(
    simulation: &mut Simulation<P>,
    flows: &[(u64, Drawn)],
    order: &[usize],
) -> Vec<Time> {
    let mut place = BTreeMap::new();
    let mut ends = vec![Time::MAX; flows.len()];
    let mut ended: Vec<FinishedFlow> = Vec::new();
    for &i in order {
        let start = Time::from_us(flows[i].0);
        // A query between two starts at one instant would compute the rates twice.
        if start > simulation.now() {
            simulation.advance(start, &mut ended);
        }
        place.insert(simulation.start(flows[i].1.spec()), i);
    }
    while let Some(at) = simulation.next_event() {
        simulation.advance(at, &mut ended);
    }
    for e in ended {
        ends[place[&e.flow]] = e.at;
    }
    ends
}

/// Generates flows in a few groups that start together.
fn timed(most: usize) -> impl Strategy<Value = Vec<(u64, Drawn)>> {
    let times = prop::collection::vec(0u64..4, most);
    (times, flows(most)).prop_map(|(times, flows)| {
        let mut timed: Vec<_> = times.into_iter().map(|t| t * 3_000).zip(flows).collect();
        timed.sort_by_key(|(start, _)| *start);
        timed
    })
}

/// Checks that ends are equal with and without the kept states of flows.
fn again<P: Policy + Clone>(
    simulation: &Simulation<P>,
    flows: &[(u64, Drawn)],
) -> Result<(), TestCaseError> {
    let in_order: Vec<usize> = (0..flows.len()).collect();
    let first = run(&mut simulation.clone(), flows, &in_order);
    let kept = run(&mut simulation.clone().with_recurring_flows(), flows, &in_order);
    prop_assert_eq!(first, kept);
    Ok(())
}

/// Checks that sent bytes equal rate times time, that no link exceeds its capacity, and that all
/// flows end.
fn conserved<P: Policy>(
    mut simulation: Simulation<P>,
    capacities: &[u64],
    flows: &[Drawn],
) -> Result<(), TestCaseError> {
    let ids = start_all(&mut simulation, flows);
    let mut ended = Vec::new();
    let lefts = |simulation: &Simulation<P>| -> Vec<_> {
        ids.iter().map(|&id| simulation.left(id)).collect()
    };
    let mut left = lefts(&simulation);
    while let Some(next) = simulation.next_event() {
        // No time has passed.
        prop_assert_eq!(left, lefts(&simulation));
        let before: Vec<_> = ids.iter().map(|&id| simulation.left(id).get() as f64).collect();
        let rates = rates(&mut simulation, &ids);
        let elapsed = (next - simulation.now()).as_s_f64();
        for (link, &capacity) in (0..).zip(capacities) {
            let over = |(_, flow): &(&f64, &Drawn)| flow.path.contains(&link);
            let load: f64 = rates.iter().zip(flows).filter(over).map(|(r, _)| r).sum();
            prop_assert!(load <= capacity as f64);
            prop_assert!((simulation.load(link).as_bps() as f64 - load).abs() <= 16.0);
        }
        simulation.advance(next, &mut ended);
        for ((&id, before), rate) in ids.iter().zip(before).zip(rates) {
            let sent = before - simulation.left(id).get() as f64;
            let expected = (rate * elapsed / 8.0).min(before);
            prop_assert!((sent - expected).abs() <= 2.0 + elapsed, "{sent}, not {expected}");
        }
        left = lefts(&simulation);
    }
    prop_assert_eq!(ended.len(), flows.len());
    prop_assert!(ended.is_sorted_by_key(|e| (e.at, e.flow)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The order of starts at one instant changes no end by a picosecond, also if links disagree.
    #[test]
    fn order_of_simultaneous_starts_does_not_matter(
        capacities in capacities(),
        configs in configs(),
        (flows, order) in timed(20).prop_flat_map(|flows| {
            let order = Just((0..flows.len()).collect::<Vec<_>>()).prop_shuffle();
            (Just(flows), order)
        }),
    ) {
        let mut order = order;
        order.sort_by_key(|&i| flows[i].0);
        let mut simulation = Simulation::new(network(&capacities), WeightedQueues);
        for (link, of_link) in (0..).zip(&configs) {
            simulation.set_link(link, config(of_link)).unwrap();
        }
        let in_order: Vec<usize> = (0..flows.len()).collect();
        let first = run(&mut simulation.clone(), &flows, &in_order);
        prop_assert_eq!(run(&mut simulation, &flows, &order), first);
    }

    /// The kept state of repeated flows changes no end by a picosecond.
    #[test]
    fn recurring_flows_have_equal_ends(
        capacities in capacities(), configs in configs(), flows in timed(12), pause in 1u64..50_000,
    ) {
        let rounds = (0..4).flat_map(|round| {
            flows.iter().map(move |(start, flow)| (start + round * pause, flow.clone()))
        });
        let mut flows: Vec<_> = rounds.collect();
        flows.sort_by_key(|(start, _)| *start);
        let network = network(&capacities);
        let homa = Homa::new(Bytes::new(10_000), vec![Bytes::new(100_000)], 2);
        again(&Simulation::new(network.clone(), MaxMin), &flows)?;
        again(&Simulation::new(network.clone(), AppQueues::default()), &flows)?;
        again(&Simulation::new(network.clone(), Sincronia::default()), &flows)?;
        again(&Simulation::new(network.clone(), Srpt), &flows)?;
        again(&Simulation::new(network.clone(), homa), &flows)?;
        let mut queues = Simulation::new(network, WeightedQueues);
        for (link, of_link) in (0..).zip(&configs) {
            queues.set_link(link, config(of_link)).unwrap();
        }
        again(&queues, &flows)?;
        again(&queues.in_one_pass(), &flows)?;
    }

    /// The same holds if each flow starts again at the instant of its end, with any grain.
    #[test]
    fn immediate_restarts_have_equal_ends(
        capacities in capacities(), flows in flows(12), grain in prop_oneof![Just(0), 1u64..10_000],
    ) {
        fn ends<P: Policy>(mut simulation: Simulation<P>, flows: &[Drawn]) -> Vec<(usize, Time)> {
            let mut flow_of: BTreeMap<_, _> =
                flows.iter().enumerate().map(|(i, flow)| (simulation.start(flow.spec()), i)).collect();
            let (mut all, mut ended) = (Vec::new(), Vec::new());
            while let Some(at) = simulation.next_event() {
                simulation.advance(at, &mut ended);
                for end in ended.drain(..) {
                    let i = flow_of[&end.flow];
                    all.push((i, end.at));
                    if all.iter().filter(|&&(other, _)| other == i).count() < 3 {
                        flow_of.insert(simulation.start(flows[i].spec()), i);
                    }
                }
            }
            all
        }
        fn again<P: Policy + Clone>(
            simulation: Simulation<P>, flows: &[Drawn],
        ) -> Result<(), TestCaseError> {
            let first = ends(simulation.clone(), flows);
            prop_assert_eq!(first.len(), 3 * flows.len());
            prop_assert_eq!(ends(simulation.with_recurring_flows(), flows), first);
            Ok(())
        }
        let (there, grain) = (network(&capacities), Time::from_us(grain));
        again(Simulation::new(there.clone(), MaxMin).with_grain(grain), &flows)?;
        again(Simulation::new(there.clone(), AppQueues::default()).with_grain(grain), &flows)?;
        again(Simulation::new(there, Sincronia::default()).with_grain(grain), &flows)?;
    }

    /// Queries at any times change nothing.
    #[test]
    fn step_length_does_not_change_ends(
        capacities in capacities(), flows in timed(15), step in 1_000_000u64..1_000_000_000,
    ) {
        let in_order: Vec<usize> = (0..flows.len()).collect();
        let ends = run(&mut Simulation::new(network(&capacities), MaxMin), &flows, &in_order);
        let mut simulation = Simulation::new(network(&capacities), MaxMin);
        let (mut ended, mut ids, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
        for (start, flow) in &flows {
            while now < Time::from_us(*start) {
                now = (now + Time::from_ps(step)).min(Time::from_us(*start));
                simulation.advance(now, &mut ended);
            }
            ids.push(simulation.start(flow.spec()));
        }
        while simulation.flows() > 0 {
            now += Time::from_ps(step);
            simulation.advance(now, &mut ended);
        }
        for e in ended {
            let place = ids.iter().position(|id| *id == e.flow).unwrap();
            prop_assert_eq!(e.at, ends[place]);
        }
    }

    /// The bytes that a link has sent are those of its flows. Between events, every flow has sent
    /// its rate times the time, and in the end all its bytes. This holds with any grain.
    #[test]
    fn bytes_are_conserved(
        capacities in capacities(), flows in flows(15),
        grain in prop_oneof![Just(0), 1_000_000u64..10_000_000_000],
    ) {
        let (there, grain) = (network(&capacities), Time::from_ps(grain));
        let homa = Homa::new(Bytes::new(10_000), vec![Bytes::new(100_000)], 2);
        conserved(Simulation::new(there.clone(), MaxMin).with_grain(grain), &capacities, &flows)?;
        conserved(Simulation::new(there.clone(), Srpt).with_grain(grain), &capacities, &flows)?;
        conserved(Simulation::new(there, homa).with_grain(grain), &capacities, &flows)?;
    }

    /// Flows that are held until others end do not also wait for a grain.
    #[test]
    fn held_flows_ignore_the_grain(capacities in capacities(), flows in flows(15)) {
        let homa = || Homa::new(Bytes::new(10_000), vec![Bytes::new(100_000)], 2);
        let flows: Vec<_> = flows.into_iter().map(|flow| (0, flow)).collect();
        let in_order: Vec<usize> = (0..flows.len()).collect();
        let mut exact = Simulation::new(network(&capacities), homa());
        let mut grained = exact.clone().with_grain(Time::from_ms(10));
        prop_assert_eq!(run(&mut exact, &flows, &in_order), run(&mut grained, &flows, &in_order));
    }

    /// With a tolerance, no link exceeds its capacity and no flow ends much later.
    #[test]
    fn tolerance_delays_ends_little(capacities in capacities(), flows in timed(20)) {
        let in_order: Vec<usize> = (0..flows.len()).collect();
        let exact = run(&mut Simulation::new(network(&capacities), MaxMin), &flows, &in_order);
        let mut near = Simulation::new(network(&capacities), MaxMin).with_tolerance(1_000);
        let near = run(&mut near, &flows, &in_order);
        let last = |ends: &[Time]| ends.iter().max().unwrap().as_s_f64();
        prop_assert!((last(&near) / last(&exact) - 1.0).abs() < 0.02);
    }
}

/// Two flows share a link until the first ends. The second keeps its half until the end of the
/// grain or the start of another flow.
#[test]
fn grain_delays_new_rates_of_running_flows() {
    let ends = |grain: u64, third: Option<u64>| {
        let flow = |megabits: u64| FlowSpec {
            path: &[0],
            bytes: Bytes::new(megabits * 125_000),
            class: 0,
            group: 0,
            cap: None,
        };
        let network = network(&[1_000_000_000]);
        let mut simulation = Simulation::new(network, MaxMin).with_grain(Time::from_ms(grain));
        let mut ended = Vec::new();
        simulation.start(flow(1));
        simulation.start(flow(3));
        if let Some(at) = third {
            simulation.advance(Time::from_ms(at), &mut ended);
            simulation.start(flow(1));
        }
        while let Some(at) = simulation.next_event() {
            simulation.advance(at, &mut ended);
        }
        ended.iter().map(|end| end.at.as_ps() / 1_000_000).collect::<Vec<_>>()
    };
    assert_eq!(ends(0, None), [2_000, 4_000]);
    // 0.5 Gbps up to 3 ms, then 1 Gbps.
    assert_eq!(ends(3, None), [2_000, 4_500]);
    assert_eq!(ends(100, None), [2_000, 6_000]);
    // The flow that starts at 3 ms has its half at once and ends at 5 ms.
    assert_eq!(ends(100, Some(3)), [2_000, 5_000, 6_000]);
}

/// Sent bytes stay sent if a link is reconfigured and another flow joins it at the same instant.
#[test]
fn reconfigured_link_keeps_sent_bytes() {
    let flow = FlowSpec { path: &[0], bytes: Bytes::new(500_000), class: 0, group: 0, cap: None };
    let mut simulation = Simulation::new(network(&[1_000_000_000]), WeightedQueues);
    let mut ended = Vec::new();
    let first = simulation.start(flow);
    simulation.advance(Time::from_ms(1), &mut ended);
    simulation.set_link(0, config(&(vec![2, 3], vec![1]))).unwrap();
    simulation.start(flow);
    assert_eq!(simulation.left(first), Bytes::new(375_000));
    simulation.advance(Time::from_ms(10), &mut ended);
    let ends: Vec<_> = ended.iter().map(|end| end.at.as_ps() / 1_000_000).collect();
    assert_eq!(ends, [7_000, 8_000]);
}

/// The same holds between two starts at one instant: the link knows both flows.
#[test]
fn reconfiguration_between_two_starts_keeps_both_flows() {
    let flow = FlowSpec { path: &[0], bytes: Bytes::new(500_000), class: 0, group: 0, cap: None };
    let mut simulation = Simulation::new(network(&[1_000_000_000]), WeightedQueues);
    simulation.start(flow);
    simulation.set_link(0, config(&(vec![2, 3], vec![1]))).unwrap();
    simulation.start(flow);
    assert_eq!(simulation.load(0), BitRate::from_gbps(1));
    let mut ended = Vec::new();
    simulation.advance(Time::from_ms(8), &mut ended);
    assert_eq!(ended.len(), 2);
}

/// A reconfigured link shares by its new configuration from then on, with any grain.
#[test]
fn reconfiguration_within_a_grain_takes_effect() {
    let flow =
        |class| FlowSpec { path: &[0], bytes: Bytes::new(500_000), class, group: 0, cap: None };
    let grain = Time::from_ms(100);
    let equal = config(&(vec![1, 1], vec![0, 1]));
    let mut simulation =
        Simulation::new(network(&[1_000_000_000]), WeightedQueues).with_grain(grain);
    let mut ended = Vec::new();
    simulation.set_link(0, equal).unwrap();
    simulation.start(flow(0));
    simulation.start(flow(1));
    simulation.advance(Time::from_ms(2), &mut ended);
    simulation.set_link(0, config(&(vec![3, 1], vec![0, 1]))).unwrap();
    simulation.advance(Time::from_ms(20), &mut ended);
    // 1 Mbit each, then 3 more at 750 Mbps. The other flow keeps its 250 Mbps for the grain.
    let ends: Vec<_> = ended.iter().map(|end| end.at.as_ps() / 1_000_000).collect();
    assert_eq!(ends, [6_000, 14_000]);
}

#[test]
fn empty_flow_ends_at_once() {
    let mut simulation = Simulation::new(network(&[1_000]), MaxMin);
    let mut ended = Vec::new();
    simulation.advance(Time::from_ms(3), &mut ended);
    let spec = FlowSpec { path: &[0], bytes: Bytes::ZERO, class: 0, group: 7, cap: None };
    let id = simulation.start(spec);
    assert_eq!(simulation.next_event(), Some(Time::from_ms(3)));
    simulation.advance(Time::from_ms(3), &mut ended);
    assert_eq!(ended, [FinishedFlow { flow: id, group: 7, at: Time::from_ms(3) }]);
    assert_eq!((simulation.next_event(), simulation.flows()), (None, 0));
}
