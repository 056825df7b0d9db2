//! What defines an allocation: nobody beyond what there is, and everybody with a bottleneck.

use crate::nets::*;
use bandwise_flowsim::policy::{AppQueues, MaxMin, Priorities, WeightedQueues};
use bandwise_flowsim::{Policy, Simulation};
use proptest::prelude::*;

/// How a flow stands at a link: rank, queue and the queue's weight.
type Standing = (u64, u32, u32);

/// Checks the conditions of an equilibrium. `standing` says where flow `f` stands at a link.
///
/// Rates are known to a bit per second, so sums are to one a flow.
fn check(
    capacities: &[u64],
    flows: &[Drawn],
    rates: &[f64],
    standing: impl Fn(usize, u32) -> Standing,
) -> Result<(), TestCaseError> {
    let slack = flows.len() as f64 + 1.0;
    let standing = &standing;
    let at = |link: u32| (0..flows.len()).filter(move |&f| flows[f].path.contains(&link));
    for (link, &capacity) in (0..).zip(capacities) {
        let load = at(link).map(|f| rates[f]).sum::<f64>();
        prop_assert!(load <= capacity as f64, "{load} at link {link} of {capacity}");
    }
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

/// The conditions now, and after each event until all flows have ended.
fn check_all<P: Policy>(
    mut simulation: Simulation<P>,
    capacities: &[u64],
    flows: &[Drawn],
    standing: impl Fn(&Drawn, u32) -> Standing,
) -> Result<(), TestCaseError> {
    let mut live: Vec<_> = start_all(&mut simulation, flows).into_iter().zip(flows).collect();
    let mut ended = Vec::new();
    loop {
        let (ids, flows): (Vec<_>, Vec<Drawn>) =
            live.iter().map(|&(id, f)| (id, f.clone())).unzip();
        let rates = rates(&mut simulation, &ids);
        prop_assert_eq!(simulation.rough(), 0);
        check(capacities, &flows, &rates, |f, link| standing(&flows[f], link))?;
        let Some(next) = simulation.next_event() else { break };
        simulation.advance(next, &mut ended);
        live.retain(|(id, _)| ended.iter().all(|e| e.flow != *id));
    }
    prop_assert_eq!(ended.len(), flows.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn of_max_min(capacities in capacities(), flows in flows(20)) {
        let simulation = Simulation::new(network(&capacities), MaxMin);
        check_all(simulation, &capacities, &flows, |_, _| (0, 0, 1))?;
    }

    #[test]
    fn of_priorities(capacities in capacities(), flows in flows(20)) {
        let simulation = Simulation::new(network(&capacities), Priorities);
        check_all(simulation, &capacities, &flows, |flow, _| (u64::from(flow.class), 0, 1))?;
    }

    #[test]
    fn of_a_queue_an_application(capacities in capacities(), flows in flows(5)) {
        let simulation = Simulation::new(network(&capacities), AppQueues::default());
        check_all(simulation, &capacities, &flows, |flow, _| (0, flow.group, 1))?;
    }

    #[test]
    fn of_queues_that_every_link_weighs_its_way(
        capacities in capacities(), flows in flows(5), configs in configs(),
    ) {
        let mut simulation = Simulation::new(network(&capacities), WeightedQueues);
        for (link, of_link) in (0..).zip(&configs) {
            simulation.set_link(link, config(of_link)).unwrap();
        }
        check_all(simulation, &capacities, &flows, |flow, link| {
            let (weights, classes) = &configs[link as usize];
            let queue = classes[usize::from(flow.class)];
            (0, u32::from(queue), weights[usize::from(queue)])
        })?;
    }
}
