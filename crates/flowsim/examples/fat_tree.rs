//! Measures the speed at which rates of 200,000 concurrent flows are computed in a three-level fat
//! tree of 1,944 hosts and switches of 36 ports: `cargo run --release -p bandwise-flowsim --example
//! fat_tree`.
//!
//! Flows of 20 applications go between random hosts, over random ones of the equal paths. First all
//! are started and rates are computed once. Then, whenever flows end, as many others start.

use bandwise_flowsim::policy::{AppQueues, MaxMin, Priorities, Srpt, WeightedQueues};
use bandwise_flowsim::{FlowSpec, LinkConfig, Network, Policy, Queue, Simulation};
use bandwise_random::Stream;
use bandwise_units::{BitRate, Bytes};
use std::time::Instant;

const HOSTS: u32 = 1_944;
const EDGES: u32 = 108;
/// Directors with 36 leaf and 18 spine switches; an edge switch has 6 cables to each.
const DIRECTORS: u32 = 3;
const LEAVES: u32 = 36;
const SPINES: u32 = 18;

/// Links in each direction: hosts, edge switches, leaf switches.
const EDGE_UP: u32 = HOSTS;
const LEAF_UP: u32 = EDGE_UP + EDGES * 18;
const DOWN: u32 = LEAF_UP + DIRECTORS * LEAVES * SPINES;

/// A path of up to six links, chosen at random among equal ones.
fn path(src: u32, dst: u32, random: &mut Stream, path: &mut Vec<u32>) {
    path.clear();
    path.push(src);
    let (from, to) = (src / 18, dst / 18);
    if from != to {
        let mut below = |n: u32| random.below(u64::from(n)) as u32;
        let director = below(DIRECTORS);
        let (up, down) = (below(6), below(6));
        // The cables of an edge switch into a director, in order over its leaf switches.
        let leaf = |edge: u32, cable: u32| (edge * 6 + cable) / 18;
        let edge_up = |edge: u32, cable: u32| EDGE_UP + edge * 18 + director * 6 + cable;
        path.push(edge_up(from, up));
        let (a, b) = (leaf(from, up), leaf(to, down));
        if a != b {
            let spine = below(SPINES);
            let leaf_up = |leaf: u32| LEAF_UP + (director * LEAVES + leaf) * SPINES + spine;
            path.extend([leaf_up(a), DOWN + leaf_up(b)]);
        }
        path.push(DOWN + edge_up(to, down));
    }
    path.push(DOWN + dst);
}

/// The algorithm for rates.
#[derive(Debug, Clone, Copy)]
enum Way {
    OnePass,
    /// In millionths.
    Tolerance(u32),
}

fn measure<P: Policy>(
    name: &str,
    policy: P,
    flows: usize,
    events: usize,
    way: Way,
    configure: impl Fn(&mut Simulation<P>),
) {
    let network = Network::new(vec![BitRate::from_gbps(56); 2 * DOWN as usize]).unwrap();
    let simulation = Simulation::new(network, policy);
    let mut simulation = match way {
        Way::OnePass => simulation.in_one_pass(),
        Way::Tolerance(millionths) => simulation.with_tolerance(millionths),
    };
    configure(&mut simulation);
    let mut random = Stream::new(1, "fat tree", 0);
    let mut links = Vec::new();
    let mut start = |simulation: &mut Simulation<P>| {
        let src = random.below(u64::from(HOSTS)) as u32;
        let other = random.below(u64::from(HOSTS) - 1) as u32;
        path(src, if other < src { other } else { other + 1 }, &mut random, &mut links);
        let group = random.below(20) as u32;
        let bytes = Bytes::new(1_000_000 + random.below(100_000_000));
        let spec = FlowSpec { path: &links, bytes, class: (group % 8) as u8, group, cap: None };
        simulation.start(spec);
    };
    let begin = Instant::now();
    (0..flows).for_each(|_| start(&mut simulation));
    simulation.next_event();
    let first = begin.elapsed();
    let (begin, mut ended, mut count) = (Instant::now(), Vec::new(), 0);
    for _ in 0..events {
        let at = simulation.next_event().expect("flows end");
        simulation.advance(at, &mut ended);
        count += ended.len();
        ended.drain(..).for_each(|_| start(&mut simulation));
    }
    let each = begin.elapsed().as_secs_f64() * 1e3 / events as f64;
    println!(
        "{name:34} {flows} flows, first rates in {:.2} s; {count} ends, {each:.2} ms each; rough {}",
        first.as_secs_f64(),
        simulation.rough()
    );
}

fn main() {
    let number = |n: usize, or: usize| std::env::args().nth(n).map_or(or, |a| a.parse().unwrap());
    let (flows, events) = (number(1, 200_000), number(2, 200));
    let none = |_: &mut Simulation<MaxMin>| {};
    for tolerance in [0, 1_000, 10_000] {
        let name = format!("max-min, {tolerance} ppm");
        measure(&name, MaxMin, flows, events, Way::Tolerance(tolerance), none);
    }
    measure("priorities", Priorities, flows, events, Way::Tolerance(0), |_| {});
    measure("SRPT", Srpt, flows, events, Way::Tolerance(0), |_| {});
    for way in [Way::OnePass, Way::Tolerance(10_000)] {
        let name = format!("20 application queues, {way:?}");
        measure(&name, AppQueues::default(), flows, events, way, |_| {});
        let name = format!("8 weighted queues, {way:?}");
        measure(&name, WeightedQueues, flows, events, way, |simulation| {
            // Classes from 1 to 40, with weights that differ by up to a quarter among links.
            let mut random = Stream::new(1, "weights", 0);
            for link in 0..simulation.network().links() {
                let weight = |class: u64| {
                    Queue::weighted(
                        (75 * (1 + class * 6)) as u32 + random.below(50 * (1 + class * 6)) as u32,
                    )
                };
                let config = LinkConfig::new((0..8).map(weight).collect(), (0..8).collect());
                simulation.set_link(link, config.unwrap()).unwrap();
            }
        });
    }
}
