//! The conditions that define an allocation: no link exceeds its capacity, and each flow has a
//! bottleneck.

use crate::nets::*;
use bandwise_flowsim::policy::{
    AppQueues, Homa, MaxMin, Moves, Newcomer, Placement, Priorities, Scene, Sincronia,
    SmallestGroup, WeightedQueues,
};
use bandwise_flowsim::{FlowId, Network, Policy, Simulation};
use bandwise_units::{Bytes, Time};
use proptest::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

/// The position of a flow at a link: rank, queue and the queue's weight.
type Standing = (u64, u32, u32);

/// Checks the conditions of an equilibrium. `standing` returns the position of flow `f` at a link.
///
/// Rates are exact to a bit per second, so sums are exact to a bit per second and flow. With
/// several queues a link has converged within a millionth of its levels, each of which influences
/// others.
fn check(
    capacities: &[u64],
    flows: &[Drawn],
    rates: &[f64],
    standing: impl Fn(usize, u32) -> Standing,
    has_queues: bool,
) -> Result<(), TestCaseError> {
    let slack = flows.len() as f64 + 1.0 + if has_queues { 1e-4 * 4e9 } else { 0.0 };
    let standing = &standing;
    let at = |link: u32| (0..flows.len()).filter(move |&f| flows[f].path.contains(&link));
    within(capacities, flows, rates)?;
    for f in 0..flows.len() {
        if flows[f].cap.is_some_and(|cap| rates[f] + 1.0 >= cap as f64) {
            continue;
        }
        let is_bottleneck = |&link: &u32| {
            let (rank, queue, weight) = standing(f, link);
            let up_to = |rank| at(link).filter(move |&g| standing(g, link).0 <= rank);
            let load = up_to(rank).map(|g| rates[g]).sum::<f64>();
            let of_queue = |queue| {
                let same = move |&g: &usize| {
                    let (r, q, _) = standing(g, link);
                    (r, q) == (rank, queue)
                };
                at(link).filter(same)
            };
            let share = |queue| of_queue(queue).map(|g| rates[g]).sum::<f64>();
            let per_weight = share(queue) / f64::from(weight);
            let others = at(link).map(|g| standing(g, link)).filter(|s| s.0 == rank);
            load + slack >= capacities[link as usize] as f64
                && of_queue(queue).all(|g| rates[g] <= rates[f] + slack)
                && others.into_iter().all(|(_, q, w)| share(q) / f64::from(w) <= per_weight + slack)
        };
        prop_assert!(flows[f].path.iter().any(is_bottleneck), "flow {f} of {rates:?} has none");
    }
    Ok(())
}

/// Checks the conditions now and after each event until all flows have ended. Returns the number of
/// computations, and the number of those after which links had not converged.
fn check_all<P: Policy>(
    mut simulation: Simulation<P>,
    capacities: &[u64],
    flows: &[Drawn],
    standing: impl Fn(&Drawn, u32) -> Standing,
    has_queues: bool,
) -> Result<(u64, u64), TestCaseError> {
    let mut live: Vec<_> = start_all(&mut simulation, flows).into_iter().zip(flows).collect();
    let (mut ended, mut count) = (Vec::new(), 0);
    loop {
        let (ids, flows): (Vec<_>, Vec<Drawn>) =
            live.iter().map(|&(id, f)| (id, f.clone())).unzip();
        let rates = rates(&mut simulation, &ids);
        count += 1;
        // A computation starts from the last rates, also if these had not converged.
        if simulation.rough() == 0 {
            check(capacities, &flows, &rates, |f, link| standing(&flows[f], link), has_queues)?;
        } else {
            within(capacities, &flows, &rates)?;
        }
        let Some(next) = simulation.next_event() else { break };
        simulation.advance(next, &mut ended);
        live.retain(|(id, _)| ended.iter().all(|e| e.flow != *id));
    }
    prop_assert_eq!(ended.len(), flows.len());
    Ok((count, simulation.rough()))
}

/// Checks that no link exceeds its capacity.
fn within(capacities: &[u64], flows: &[Drawn], rates: &[f64]) -> Result<(), TestCaseError> {
    for (link, &capacity) in (0..).zip(capacities) {
        let over = |(_, flow): &(&f64, &Drawn)| flow.path.contains(&link);
        let load = rates.iter().zip(flows).filter(over).map(|(rate, _)| rate).sum::<f64>();
        prop_assert!(load <= capacity as f64, "{load} at link {link} of {capacity}");
    }
    Ok(())
}

/// Returns a network with weighted queues.
fn weighted(capacities: &[u64], configs: &[(Vec<u32>, Vec<u8>)]) -> Simulation<WeightedQueues> {
    let mut simulation = Simulation::new(network(capacities), WeightedQueues);
    for (link, of_link) in (0..).zip(configs) {
        simulation.set_link(link, config(of_link)).unwrap();
    }
    simulation
}

/// Returns the position of a flow in such a network.
fn by_class(configs: &[(Vec<u32>, Vec<u8>)], flow: &Drawn, link: u32) -> Standing {
    let (weights, classes) = &configs[link as usize];
    let queue = classes[usize::from(flow.class)];
    (0, u32::from(queue), weights[usize::from(queue)])
}

/// A policy whose groups have other ranks at each computation.
struct Turns {
    /// Ranks by time, cyclically, and by group modulo 4.
    ranks: Vec<[u64; 4]>,
    times: Rc<Cell<usize>>,
}

impl Turns {
    fn rank(ranks: &[[u64; 4]], times: usize, group: u32) -> u64 {
        ranks[times % ranks.len()][group as usize % 4]
    }
}

impl Policy for Turns {
    fn place(&mut self, flow: &Newcomer<'_>) -> Placement {
        let rank = Turns::rank(&self.ranks, self.times.get(), flow.group);
        Placement { rank, kin: Some(flow.group.into()), ..Placement::COMMON }
    }

    fn arrange(&mut self, scene: &Scene<'_>, moves: &mut Moves) {
        self.times.set(self.times.get() + 1);
        for group in scene.groups() {
            moves.kin(group.into(), Turns::rank(&self.ranks, self.times.get(), group));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// The conditions hold independent of earlier ranks.
    #[test]
    fn changing_ranks_give_an_equilibrium(
        capacities in capacities(),
        flows in flows(20),
        ranks in prop::collection::vec(prop::array::uniform4(0u64..4), 1..6),
    ) {
        let times = Rc::new(Cell::new(0));
        let policy = Turns { ranks: ranks.clone(), times: times.clone() };
        let simulation = Simulation::new(network(&capacities), policy);
        let standing = |flow: &Drawn, _| (Turns::rank(&ranks, times.get(), flow.group), 0, 1);
        let (_, rough) = check_all(simulation, &capacities, &flows, standing, false)?;
        prop_assert_eq!(rough, 0);
    }

    #[test]
    fn max_min_gives_an_equilibrium(capacities in capacities(), flows in flows(20)) {
        let simulation = Simulation::new(network(&capacities), MaxMin);
        let (_, rough) = check_all(simulation, &capacities, &flows, |_, _| (0, 0, 1), false)?;
        prop_assert_eq!(rough, 0);
    }

    #[test]
    fn priorities_give_an_equilibrium(capacities in capacities(), flows in flows(20)) {
        let simulation = Simulation::new(network(&capacities), Priorities);
        let standing = |flow: &Drawn, _| (u64::from(flow.class), 0, 1);
        let (_, rough) = check_all(simulation, &capacities, &flows, standing, false)?;
        prop_assert_eq!(rough, 0);
    }

    #[test]
    fn application_queues_give_an_equilibrium(capacities in capacities(), flows in flows(20)) {
        let simulation = Simulation::new(network(&capacities), AppQueues::default());
        check_all(simulation, &capacities, &flows, |flow, _| (0, flow.group, 1), true)?;
    }

    #[test]
    fn weighted_queues_give_an_equilibrium(
        capacities in capacities(), flows in flows(20), configs in configs(),
    ) {
        let simulation = weighted(&capacities, &configs);
        check_all(simulation, &capacities, &flows, |flow, link| by_class(&configs, flow, link), true)?;
    }

    /// In one pass no link exceeds its capacity, and each flow has a full link or its cap. Each
    /// flow has at least its part by weight of each link, as if all other demands were unlimited.
    #[test]
    fn one_pass_gives_at_least_each_weighted_part(capacities in capacities(), flows in flows(20), configs in configs()) {
        let mut simulation = weighted(&capacities, &configs).in_one_pass();
        let ids = start_all(&mut simulation, &flows);
        let rates = rates(&mut simulation, &ids);
        within(&capacities, &flows, &rates)?;
        let slack = flows.len() as f64 + 1.0;
        for (flow, &rate) in flows.iter().zip(&rates) {
            let at = |link: u32| flows.iter().zip(&rates).filter(move |(f, _)| f.path.contains(&link));
            let is_full = |&link: &u32| {
                at(link).map(|(_, rate)| rate).sum::<f64>() + slack >= capacities[link as usize] as f64
            };
            let part = |&link: &u32| {
                let (_, queue, weight) = by_class(&configs, flow, link);
                let of_queue = |f: &Drawn| by_class(&configs, f, link).1 == queue;
                let queues: std::collections::BTreeMap<u32, u32> =
                    at(link).map(|(f, _)| by_class(&configs, f, link)).map(|s| (s.1, s.2)).collect();
                let flows = at(link).filter(|(f, _)| of_queue(f)).count() as f64;
                let weights = queues.values().sum::<u32>();
                capacities[link as usize] as f64 * f64::from(weight) / f64::from(weights) / flows
            };
            let cap = flow.cap.map_or(f64::MAX, |cap| cap as f64);
            let least = flow.path.iter().map(part).fold(cap, f64::min);
            prop_assert!(rate + slack >= least, "{rate} is less than {least}");
            prop_assert!(rate + 1.0 >= cap || flow.path.iter().any(is_full));
        }
    }
}

/// Links with different weights of queues mostly converge, even if each link has its own weights
/// and flows cross most of the network.
#[test]
fn weighted_links_mostly_converge() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut all, mut not) = (0, 0);
    for _ in 0..300 {
        let drawn = (capacities(), flows(20), configs()).new_tree(&mut runner).unwrap().current();
        let (capacities, flows, configs) = drawn;
        let simulation = weighted(&capacities, &configs);
        let standing = |flow: &Drawn, link| by_class(&configs, flow, link);
        let (count, rough) = check_all(simulation, &capacities, &flows, standing, true).unwrap();
        (all, not) = (all + count, not + rough);
    }
    println!("{not} of {all} not at rest");
    assert!(not * 100 <= all, "{not} of {all}");
}

/// Checks that a property of flows is equal at all events with and without computation rank by rank,
/// up to a unit per flow. Flows start one after the other.
fn both_ways<P: Policy + Clone>(
    there: &Network,
    policy: P,
    flows: &[Drawn],
    what: impl Fn(&mut Simulation<P>, FlowId) -> u64,
) -> Result<(), TestCaseError> {
    let mut one = Simulation::new(there.clone(), policy).with_recurring_flows();
    let mut other = one.clone().rank_by_rank();
    let (mut ended, mut pairs) = (Vec::new(), Vec::new());
    let mut more = flows.iter().enumerate();
    loop {
        if let Some((at, flow)) = more.next() {
            let start = Time::from_us(100 * (at as u64 / 3));
            one.advance(start, &mut ended);
            other.advance(start, &mut ended);
            pairs.push((one.start(flow.spec()), other.start(flow.spec())));
        } else if let Some(event) = one.next_event() {
            // Different rounding shifts an end slightly.
            one.advance(event + Time::from_ns(1), &mut ended);
            other.advance(event + Time::from_ns(1), &mut ended);
        } else {
            prop_assert_eq!(other.next_event(), None);
            return Ok(());
        }
        for &(a, b) in &pairs {
            let (a, b) = (what(&mut one, a), what(&mut other, b));
            prop_assert!(a.abs_diff(b) <= flows.len() as u64, "{a} and {b}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Rates rank by rank from scratch equal those from changes: with one queue a link the
    /// allocation is unique.
    #[test]
    fn incremental_rates_equal_rank_by_rank(capacities in capacities(), flows in flows(20)) {
        let there = network(&capacities);
        both_ways(&there, MaxMin, &flows, |of, flow| of.rate(flow).as_bps())?;
        both_ways(&there, Priorities, &flows, |of, flow| of.rate(flow).as_bps())?;
        both_ways(&there, Sincronia::default(), &flows, |of, flow| of.rate(flow).as_bps())?;
        both_ways(&there, SmallestGroup::default(), &flows, |of, flow| of.rate(flow).as_bps())?;
        // A receiver serves the shortest flow first. Flows of equal length take turns by byte, and
        // rounding decides which is next. Sent bytes are therefore compared, and no two flows have
        // equal lengths at the start.
        let apart = |(at, flow): (usize, &Drawn)| {
            Drawn { bytes: flow.bytes + 97 * at as u64, ..flow.clone() }
        };
        let flows: Vec<Drawn> = flows.iter().enumerate().map(apart).collect();
        let homa = Homa::new(Bytes::new(10_000), vec![Bytes::new(100_000)], 2);
        both_ways(&there, homa, &flows, |of, flow| of.left(flow).get())?;
    }
}
