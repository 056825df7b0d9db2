//! Properties of policies, compared with independent computations.

use crate::nets::*;
use bandwise_flowsim::policy::{
    Guarantees, Homa, MaxMin, Priorities, Reservations, Sebf, Sincronia, SmallestGroup, Srpt,
};
use bandwise_flowsim::{FlowSpec, Network, Policy, Simulation};
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;
use std::collections::BTreeMap;

const GBPS: u64 = 1_000_000_000;

fn megabits(n: u64) -> Bytes {
    Bytes::new(n * 125_000)
}

fn flow(path: &[u32], group: u32, size: u64) -> FlowSpec<'_> {
    FlowSpec { path, bytes: megabits(size), class: 0, group, cap: None }
}

/// Starts flows at ascending times in ms. Returns the end of each group, in ms rounded to 1 us.
fn groups<P: Policy>(policy: P, links: usize, flows: &[(u64, FlowSpec)]) -> BTreeMap<u32, f64> {
    let mut simulation = Simulation::new(network(&vec![GBPS; links]), policy);
    let mut ended = Vec::new();
    for &(start, spec) in flows {
        if Time::from_ms(start) > simulation.now() {
            simulation.advance(Time::from_ms(start), &mut ended);
        }
        simulation.start(spec);
    }
    while let Some(at) = simulation.next_event() {
        simulation.advance(at, &mut ended);
    }
    assert_eq!(ended.len(), flows.len());
    ended.iter().map(|e| (e.group, (e.at.as_s_f64() * 1e6).round() / 1e3)).collect()
}

/// Computes ends on one link with a list: the flow with the fewest bytes left runs until the next
/// start.
fn shortest_first(jobs: &[(u64, u64)]) -> u64 {
    let (mut left, mut now, mut sum): (Vec<(u64, u64)>, _, _) = (jobs.to_vec(), 0, 0);
    while !left.is_empty() {
        let next = left.iter().map(|job| job.0).filter(|&start| start > now).min();
        let there = (0..left.len()).filter(|&i| left[i].0 <= now);
        let Some(i) = there.min_by_key(|&i| left[i].1) else {
            now = next.expect("a flow arrives");
            continue;
        };
        let run = left[i].1.min(next.map_or(u64::MAX, |next| next - now));
        (now, left[i].1) = (now + run, left[i].1 - run);
        if left[i].1 == 0 {
            sum += now;
            left.remove(i);
        }
    }
    sum
}

/// Returns a lower bound on the sum of the coflows' ends, all from time 0, in ms. When the k-th
/// coflow ends, the first k have sent all their bytes over each link.
fn least_sum(loads: &[Vec<u64>], first: &mut Vec<usize>, sums: &mut Vec<u64>) -> u64 {
    if first.len() == loads.len() {
        return 0;
    }
    let rest: Vec<usize> = (0..loads.len()).filter(|i| !first.contains(i)).collect();
    let with = |i: usize, first: &mut Vec<usize>, sums: &mut Vec<u64>| {
        sums.iter_mut().zip(&loads[i]).for_each(|(sum, load)| *sum += load);
        first.push(i);
        let end = sums.iter().copied().max().unwrap_or(0);
        let all = end + least_sum(loads, first, sums);
        first.pop();
        sums.iter_mut().zip(&loads[i]).for_each(|(sum, load)| *sum -= load);
        all
    };
    rest.into_iter().map(|i| with(i, first, sums)).min().expect("a coflow is left")
}

/// Generates a few coflows on a switch with three ports: path and megabits of each flow.
fn coflows() -> impl Strategy<Value = Vec<Vec<([u32; 2], u64)>>> {
    let flow = (0u32..3, 3u32..6, 1u64..100).prop_map(|(from, to, size)| ([from, to], size));
    prop::collection::vec(prop::collection::vec(flow, 1..5), 1..6)
}

fn sum_of_ends<P: Policy>(policy: P, coflows: &[Vec<([u32; 2], u64)>]) -> f64 {
    let flows = coflows.iter().zip(0..).flat_map(|(flows, group)| {
        flows.iter().map(move |(path, size)| (0, flow(path, group, *size)))
    });
    groups(policy, 6, &flows.collect::<Vec<_>>()).values().sum()
}

fn loads(coflows: &[Vec<([u32; 2], u64)>]) -> Vec<Vec<u64>> {
    let load = |flows: &Vec<([u32; 2], u64)>, link: u32| {
        flows.iter().filter(|(path, _)| path.contains(&link)).map(|(_, size)| size).sum()
    };
    coflows.iter().map(|flows| (0..6).map(|link| load(flows, link)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// On one link, shortest remaining first is optimal, and equals the smallest group with one
    /// flow per group. No two sizes are equal: flows of equal size that have not begun would share.
    #[test]
    fn srpt_is_optimal_on_one_link(mut jobs in prop::collection::vec((0u64..100, 1u64..100), 1..8)) {
        jobs.sort();
        (0..).zip(&mut jobs).for_each(|(i, job)| job.1 = 8 * job.1 + i);
        let flows: Vec<_> =
            jobs.iter().zip(0..).map(|(job, group)| (job.0, flow(&[0], group, job.1))).collect();
        let best = shortest_first(&jobs) as f64;
        let srpt: f64 = groups(Srpt, 1, &flows).values().sum();
        prop_assert!((srpt - best).abs() < 0.01, "{srpt}, not {best}");
        let smallest: f64 = groups(SmallestGroup::default(), 1, &flows).values().sum();
        prop_assert!((smallest - best).abs() < 0.01, "{smallest}, not {best}");
    }

    /// Sincronia's bound: at most four times the best average, which a lower bound replaces.
    #[test]
    fn sincronia_is_within_four_times_the_optimum(coflows in coflows()) {
        let least = least_sum(&loads(&coflows), &mut Vec::new(), &mut vec![0; 6]) as f64;
        let found = sum_of_ends(Sincronia::default(), &coflows);
        prop_assert!(found + 0.01 >= least && found <= 4.0 * least, "{found} of {least}");
    }

    /// On one link, Sincronia, SEBF and smallest first have the same order, and it is optimal.
    #[test]
    fn coflow_orders_on_one_link_are_optimal(sizes in prop::collection::vec(1u64..100, 1..6)) {
        let coflows: Vec<_> = sizes.iter().map(|&size| vec![([0, 3], size)]).collect();
        let least = least_sum(&loads(&coflows), &mut Vec::new(), &mut vec![0; 6]) as f64;
        for found in [
            sum_of_ends(Sincronia::default(), &coflows),
            sum_of_ends(Sebf::default(), &coflows),
            sum_of_ends(SmallestGroup::default(), &coflows),
        ] {
            prop_assert!((found - least).abs() < 0.01, "{found}, not {least}");
        }
    }

    /// A single coflow takes as long as its busiest link, under every policy for coflows.
    #[test]
    fn a_coflow_alone_takes_its_bottleneck(coflows in coflows()) {
        let one = &coflows[..1];
        let least = loads(one)[0].iter().copied().max().unwrap() as f64;
        let found = sum_of_ends(Sebf::default(), one);
        prop_assert!((found - least).abs() < 0.01, "{found}, not {least}");
    }

    /// All flows send all bytes within all capacities, under any policy and order of equal starts.
    #[test]
    fn every_policy_sends_all_bytes_within_capacities(
        capacities in capacities(),
        (flows, order) in flows(12).prop_flat_map(|flows| {
            let order = Just((0..flows.len()).collect::<Vec<_>>()).prop_shuffle();
            (Just(flows), order)
        }),
    ) {
        let homa = Homa::new(Bytes::new(10_000), vec![Bytes::new(1_000), Bytes::new(100_000)], 2);
        sound(Srpt, &capacities, &flows, &order)?;
        sound(Sebf::default(), &capacities, &flows, &order)?;
        sound(Sincronia::default(), &capacities, &flows, &order)?;
        sound(SmallestGroup::default(), &capacities, &flows, &order)?;
        sound(homa, &capacities, &flows, &order)?;
        sound(Priorities, &capacities, &flows, &order)?;
        sound(Reservations::new(vec![1, 2], 5).unwrap(), &capacities, &flows, &order)?;
        sound(Guarantees::new(vec![1, 2, 1], 5).unwrap(), &capacities, &flows, &order)?;
    }

    /// A class has its guarantee at a link with flows of it that no other link limits, and that
    /// link is full.
    #[test]
    fn classes_get_their_guarantees(classes in prop::collection::vec(0u8..4, 1..10)) {
        let guarantees = Guarantees::new(vec![5, 3, 1], 10).unwrap();
        let mut simulation = Simulation::new(network(&[GBPS]), guarantees);
        let start = |&class: &u8| FlowSpec { class, ..flow(&[0], 0, 100) };
        let ids: Vec<_> = classes.iter().map(|class| simulation.start(start(class))).collect();
        let rates = rates(&mut simulation, &ids);
        for (class, part) in [(0, 0.5), (1, 0.3), (2, 0.1)] {
            let of_class = classes.iter().zip(&rates).filter(|(c, _)| **c == class);
            let sum = of_class.map(|(_, rate)| rate).sum::<f64>();
            prop_assert!(!classes.contains(&class) || sum + 20.0 >= part * 1e9);
        }
        prop_assert!(rates.iter().sum::<f64>() + 20.0 >= 1e9);
    }
}

/// Runs flows in two orders, and checks that ends are equal and no link exceeds its capacity in
/// between.
fn sound<P: Policy + Clone>(
    policy: P,
    capacities: &[u64],
    flows: &[Drawn],
    order: &[usize],
) -> Result<(), TestCaseError> {
    let ends = |order: &[usize]| {
        let mut simulation = Simulation::new(network(capacities), policy.clone());
        let ids: Vec<_> = order.iter().map(|&i| (simulation.start(flows[i].spec()), i)).collect();
        let (mut ended, mut ends) = (Vec::new(), vec![Time::MAX; flows.len()]);
        while let Some(at) = simulation.next_event() {
            for (link, &capacity) in (0..).zip(capacities) {
                assert!(simulation.load(link).as_bps() <= capacity, "link {link}");
            }
            simulation.advance(at, &mut ended);
        }
        ended.iter().for_each(|e| ends[ids.iter().find(|(id, _)| *id == e.flow).unwrap().1] = e.at);
        ends
    };
    let first = ends(&(0..flows.len()).collect::<Vec<_>>());
    prop_assert!(!first.contains(&Time::MAX), "all flows end");
    for (flow, end) in flows.iter().zip(&first) {
        let narrowest = flow.path.iter().map(|&link| capacities[link as usize]).min().unwrap();
        let alone = BitRate::from_bps(narrowest).time_for(Bytes::new(flow.bytes));
        prop_assert!(*end >= alone, "{end} is sooner than {alone}");
    }
    prop_assert_eq!(first, ends(order));
    Ok(())
}

/// Two coflows want port 0, and the shorter one goes first. The other one uses port 1 meanwhile,
/// since its flow there would otherwise be the last to end.
#[test]
fn sebf_serves_the_smallest_bottleneck_first() {
    let (a, b, c) = ([0, 2], [0, 2], [1, 3]);
    let flows = [(0, flow(&a, 0, 100)), (0, flow(&b, 1, 100)), (0, flow(&c, 1, 200))];
    let found = groups(Sebf::default(), 4, &flows);
    assert_eq!(found, BTreeMap::from([(0, 100.0), (1, 200.0)]));
    // Fair sharing takes 200 ms for both.
    let found = groups(MaxMin, 4, &flows);
    assert_eq!(found, BTreeMap::from([(0, 200.0), (1, 200.0)]));
}

/// Rates let all flows of a coflow end together. The first coflow leaves half of a port: 50 of 100
/// ms at half.
#[test]
fn a_coflow_ends_as_a_whole() {
    let mut simulation = Simulation::new(network(&[GBPS; 4]), Sebf::default());
    let (a, b) = ([0, 2], [1, 2]);
    let ids = [flow(&a, 0, 100), flow(&b, 0, 300)].map(|spec| simulation.start(spec));
    // Both cross link 2, for 400 ms: a quarter and three quarters of it.
    assert_eq!(rates(&mut simulation, &ids).map_round(), [250_000_000.0, 750_000_000.0]);
}

trait Round {
    fn map_round(&self) -> Vec<f64>;
}

impl Round for Vec<f64> {
    /// Reserved parts are exact to 16 bits per second.
    fn map_round(&self) -> Vec<f64> {
        self.iter().map(|rate| (rate / 16.0).round() * 16.0).collect()
    }
}

/// A class has its reservation, alone or not. The unreserved rest is for the other classes.
#[test]
fn reservations_are_not_shared() {
    let reservations = Reservations::new(vec![5, 2], 10).unwrap();
    let mut simulation = Simulation::new(network(&[GBPS]), reservations);
    let of_class = |class| FlowSpec { class, ..flow(&[0], 0, 100) };
    let a = simulation.start(of_class(0));
    assert_eq!(simulation.rate(a).as_bps(), 500_000_000);
    let more = [1, 1, 7].map(|class| simulation.start(of_class(class)));
    assert_eq!(simulation.rate(a).as_bps(), 500_000_000);
    assert_eq!(more.map(|id| simulation.rate(id).as_bps() / 1_000), [100_000, 100_000, 300_000]);
    assert!(
        Reservations::new(vec![5, 6], 10).is_err() && Guarantees::new(vec![1; 300], 300).is_err()
    );
}

/// One receiver grants one message at a time: unscheduled bytes first, then the shortest message.
#[test]
fn a_receiver_grants_the_shortest() {
    let homa = || Homa::new(megabits(1), vec![megabits(50)], 1);
    let (a, b) = ([0, 2], [1, 2]);
    // 1 of 100 and 1 of 40 are unscheduled, and the shorter message's goes first. Then 39, then 99.
    let found = groups(homa(), 3, &[(0, flow(&a, 0, 100)), (0, flow(&b, 1, 40))]);
    assert_eq!(found, BTreeMap::from([(0, 140.0), (1, 41.0)]));
    // A sender sends the shorter message first. A message that is not granted may not send, even if
    // its sender and its receiver's link are idle, because the granted message's sender is busy
    // with another receiver's grant.
    let mut simulation = Simulation::new(network(&[GBPS; 4]), Homa::new(Bytes::ZERO, vec![], 1));
    let (x, y, z) = ([0, 2], [0, 3], [1, 3]);
    let ids =
        [flow(&x, 0, 10), flow(&y, 1, 20), flow(&z, 2, 30)].map(|spec| simulation.start(spec));
    assert_eq!(ids.map(|id| simulation.rate(id).as_bps() / 1_000_000), [1000, 0, 0]);
}

/// All hosts send to all, with messages of one size. If all receivers granted the same senders
/// first, the others would wait, which takes 3.1 s, twice the minimum. With an order per receiver
/// it takes 1.9 s.
#[test]
fn receivers_grant_equal_messages_in_different_orders() {
    const HOSTS: u32 = 16;
    let pairs = (0..HOSTS).flat_map(|from| (0..HOSTS).map(move |to| (from, to)));
    let paths: Vec<[u32; 2]> =
        pairs.filter(|(from, to)| from != to).map(|(from, to)| [from, HOSTS + to]).collect();
    let flows: Vec<_> = paths.iter().map(|path| (0, flow(path, 0, 100))).collect();
    let took = groups(Homa::new(Bytes::ZERO, vec![], 7), 2 * HOSTS as usize, &flows)[&0];
    // 100 Mbit to each of 15 others at 1 Gbps.
    let least = 1_500.0;
    assert!((least..1.5 * least).contains(&took), "{took} ms");
}

/// A short flow preempts a long one, which continues with its remaining bytes.
#[test]
fn shorter_flow_preempts_a_longer_one() {
    let flows = [(0, flow(&[0], 0, 100)), (50, flow(&[0], 1, 60)), (60, flow(&[0], 2, 20))];
    // The first has 50 left at the start of the flow of 60, and 40 at the start of the flow of 20.
    let found = groups(Srpt, 1, &flows);
    assert_eq!(found, BTreeMap::from([(0, 120.0), (1, 180.0), (2, 80.0)]));
}

/// Two thousand flows over one link, a network of one, lose no bytes.
#[test]
fn two_thousand_flows_on_one_link_lose_no_bytes() {
    let network = Network::new([BitRate::from_gbps(1)]).unwrap();
    let mut simulation = Simulation::new(network, MaxMin);
    for size in 1..=2_000 {
        simulation.start(FlowSpec { bytes: Bytes::new(size), ..flow(&[0], 0, 1) });
    }
    let mut ended = Vec::new();
    simulation.advance(Time::from_ms(100), &mut ended);
    assert_eq!(ended.len(), 2_000);
    // The last one ends when the link has carried all: 2,001,000 bytes at 8 ns each.
    let last = ended.last().unwrap().at.as_ps();
    assert!((16_008_000_000..16_008_010_000).contains(&last), "{last}");
}
