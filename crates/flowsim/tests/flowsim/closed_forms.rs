//! Flows with ends in closed form.

use bandwise_flowsim::policy::{AppQueues, MaxMin, Priorities, WeightedQueues};
use bandwise_flowsim::{FinishedFlow, FlowSpec, LinkConfig, Network, Policy, Queue, Simulation};
use bandwise_units::{BitRate, Bytes, Time};

const GBPS: BitRate = BitRate::from_gbps(1);

/// Runs flows over links of 1 Gbps, all from time 0, and returns the end of each.
fn run<P: Policy>(simulation: Simulation<P>, flows: &[FlowSpec<'_>]) -> Vec<Time> {
    let mut simulation = simulation;
    let ids: Vec<_> = flows.iter().map(|&flow| simulation.start(flow)).collect();
    let mut ended: Vec<FinishedFlow> = Vec::new();
    while let Some(at) = simulation.next_event() {
        simulation.advance(at, &mut ended);
    }
    let end = |id| ended.iter().find(|e| e.flow == id).expect("it ends").at;
    ids.into_iter().map(end).collect()
}

fn links(n: usize) -> Network {
    Network::new(vec![GBPS; n]).unwrap()
}

fn flow(path: &[u32], megabits: u64) -> FlowSpec<'_> {
    FlowSpec { path, bytes: Bytes::new(megabits * 125_000), class: 0, group: 0, cap: None }
}

fn ms(times: &[Time]) -> Vec<f64> {
    // A third of the rate is not whole, so its flow ends a picosecond later.
    times.iter().map(|t| (t.as_s_f64() * 1e9).round() / 1e6).collect()
}

#[test]
fn single_flow_gets_its_narrowest_link() {
    let network = Network::new([4, 1, 2].map(BitRate::from_gbps)).unwrap();
    let found = run(Simulation::new(network.clone(), MaxMin), &[flow(&[0, 1, 2], 100)]);
    assert_eq!(found, [Time::from_ms(100)]);
    let capped = FlowSpec { cap: Some(BitRate::from_bps(250_000_000)), ..flow(&[0, 2], 100) };
    assert_eq!(run(Simulation::new(network, MaxMin), &[capped]), [Time::from_ms(400)]);
}

/// Each has half until the short one ends: 100 at half takes 200 ms, and 200 of the other 300 are
/// left.
#[test]
fn longer_of_two_flows_gets_the_whole_link_at_the_end() {
    let found = run(Simulation::new(links(1), MaxMin), &[flow(&[0], 100), flow(&[0], 300)]);
    assert_eq!(ms(&found), [200.0, 400.0]);
}

/// The parking lot: one flow over three links, and one over each. All have half.
#[test]
fn parking_lot_flows_get_half_each() {
    let (a, b, c, d) = ([0, 1, 2], [0], [1], [2]);
    let flows = [flow(&a, 100), flow(&b, 50), flow(&c, 100), flow(&d, 200)];
    // At 100 ms the first short flow ends. Links 1 and 2 still give half.
    assert_eq!(ms(&run(Simulation::new(links(3), MaxMin), &flows)), [200.0, 100.0, 200.0, 300.0]);
}

#[test]
fn lower_classes_wait_for_higher_ones() {
    let of_class = |class, megabits| FlowSpec { class, ..flow(&[0], megabits) };
    let flows = [of_class(2, 100), of_class(0, 100), of_class(1, 50), of_class(1, 100)];
    let found = run(Simulation::new(links(1), Priorities), &flows);
    assert_eq!(ms(&found), [350.0, 100.0, 200.0, 250.0]);
}

/// Three flows of one application together have the share of one flow of another.
#[test]
fn applications_share_equally_whatever_their_flows() {
    let of_group = |group| FlowSpec { group, ..flow(&[0], 100) };
    let flows = [of_group(0), of_group(0), of_group(0), of_group(1)];
    let found = run(Simulation::new(links(1), AppQueues::default()), &flows);
    // Half for the one: 200 ms. Then a third each: 300 − 100 = 200 more, 66.7 each.
    assert_eq!(ms(&found), [400.0, 400.0, 400.0, 200.0]);
}

/// Class 2 is in a queue of three times the weight. Class 0 has no queue of its own, so it shares
/// the first with class 1.
#[test]
fn unlisted_classes_share_the_first_queue() {
    let mut simulation = Simulation::new(links(1), WeightedQueues);
    let config = LinkConfig::weighted(&[1, 3], [(1, 0), (2, 1)]).unwrap();
    assert_eq!([0, 1, 2, 3].map(|class| config.queue_of(class)), [0, 0, 1, 0]);
    simulation.set_link(0, config).unwrap();
    let of_class = |class, megabits| FlowSpec { class, ..flow(&[0], megabits) };
    let found = run(simulation, &[of_class(0, 100), of_class(1, 100), of_class(2, 600)]);
    assert_eq!(ms(&found), [800.0, 800.0, 800.0]);
    assert!(LinkConfig::weighted(&[1, 3], [(1, 2)]).is_err());
    assert!(LinkConfig::weighted(&[0], []).is_err());
}

/// Weights are 3:1 until 100 ms, then 1:3.
#[test]
fn changed_weights_apply_to_flows_in_progress() {
    let weights = |a, b| {
        let queues = vec![Queue::weighted(a), Queue::weighted(b)];
        LinkConfig::new(queues, vec![0, 1]).unwrap()
    };
    let mut simulation = Simulation::new(links(1), WeightedQueues);
    simulation.set_link(0, weights(3, 1)).unwrap();
    let of_class = |class| FlowSpec { class, ..flow(&[0], 150) };
    let (a, b) = (simulation.start(of_class(0)), simulation.start(of_class(1)));
    let mut ended = Vec::new();
    simulation.advance(Time::from_ms(100), &mut ended);
    assert_eq!((simulation.left(a).get(), simulation.left(b).get()), (75 * 125_000, 125 * 125_000));
    simulation.set_link(0, weights(1, 3)).unwrap();
    assert_eq!(simulation.rate(a).as_bps(), 250_000_000);
    simulation.advance(Time::from_ms(1_000), &mut ended);
    // 125 at 3/4 take 166.7 ms, in which the first sends 41.7 of its 75. The other 33.3 follow at
    // full rate.
    let ends: Vec<u64> = ended.iter().map(|e| e.at.as_ps() / 1_000_000).collect();
    assert_eq!(ends, [266_666, 300_000]);
    assert_eq!(ended[0].flow, b);
    assert!(simulation.set_link(1, weights(1, 1)).is_err());
}
