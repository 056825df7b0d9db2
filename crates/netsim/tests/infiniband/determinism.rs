//! The same seed gives the same results, to the picosecond, for any partitions, time slices and
//! event queue.

use crate::common::Script;
use crate::common::random::{Case, cases};
use bandwise_netsim::engine::{Event, EventQueue, Sequential};
use bandwise_netsim::infiniband::{Counters, Simulation};
use bandwise_rdma::verbs::Completion;
use bandwise_topology::{Fabric, FabricBuilder, NodeId, Port, builders};
use bandwise_units::Time;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Completions of every program with their times, by end of a connection; payload by host;
/// counters.
#[derive(Debug, PartialEq)]
struct Seen {
    logs: Vec<Vec<(Time, Completion)>>,
    payload: Vec<u64>,
    counted: Counters,
}

impl Seen {
    /// Stale wake events count as events. Their number depends on the order in which shards
    /// exchange messages; nothing else does.
    fn without_events(mut self) -> Self {
        self.counted.events = 0;
        self
    }
}

/// Runs in slices and then to the end, with links of at least `min_latency` between partitions.
fn run(case: &Case, min_latency: Time, slice: Time, slices: u64) -> Seen {
    let mut sim = case.build_partitioned(min_latency);
    for i in 1..=slices {
        sim.run(slice * i);
    }
    sim.run(Time::from_ms(1_000));
    seen(case, &sim)
}

/// Runs in steps in `shards` shards.
fn run_in_steps(case: &Case, shards: usize, min_latency: Time, step: Time, steps: u64) -> Seen {
    let mut sim = case.build_sharded(shards.try_into().unwrap(), min_latency);
    let mut steps = (1..=steps).map(|i| step * i).chain([Time::from_ms(1_000)]);
    sim.run_in_steps(&Sequential, |_| steps.next());
    seen(case, &sim)
}

fn seen(case: &Case, sim: &Simulation<Script>) -> Seen {
    let ends = (0..case.connections.len()).flat_map(|c| [(c, 0), (c, 1)]);
    let logs = ends.map(|(c, end)| {
        let (host, number) = case.place(c, end);
        sim.program(host, number).seen.clone()
    });
    Seen {
        logs: logs.collect(),
        payload: (0..case.fabric.hosts().len()).map(|h| sim.payload_delivered(h)).collect(),
        counted: sim.counters(),
    }
}

/// Returns the fabric with switches that have no port without a cable.
fn compact(fabric: &Fabric) -> Fabric {
    let number = |end: Port| fabric.ports(end.node).zip(1..).find(|(port, _)| *port == end);
    let mut b = FabricBuilder::new();
    for (id, node) in (0..).map(NodeId).zip(fabric.nodes()) {
        b.add(node.name.clone(), node.kind, fabric.ports(id).count() as u16).unwrap();
    }
    for link in fabric.links() {
        let [from, to] = link.ends.map(|end| Port { number: number(end).unwrap().1, ..end });
        b.connect(from, to, link.rate, link.delay).unwrap();
    }
    b.build().unwrap()
}

proptest! {
    #![proptest_config(crate::common::random::config(150))]

    /// The fewest ports are in one word of a set, others in up to four.
    #[test]
    fn ports_without_a_cable_do_not_change_a_run(case in cases()) {
        let small = Case { fabric: compact(&case.fabric), ..case.clone() };
        let small = run(&small, Time::MAX, Time::ZERO, 0);
        prop_assert!(run(&case, Time::MAX, Time::ZERO, 0) == small);
    }

    #[test]
    fn the_same_seed_gives_the_same_run(case in cases()) {
        let first = run(&case, Time::MAX, Time::ZERO, 0);
        prop_assert!(first == run(&case, Time::MAX, Time::ZERO, 0));
    }

    /// One event queue for all nodes, one per node, or one for those joined by short links.
    #[test]
    fn partitions_and_time_slices_do_not_change_a_run(
        case in cases(), min_latency in 2u64..400_000, slice in 1u64..30_000_000,
    ) {
        let whole = run(&case, Time::MAX, Time::ZERO, 0).without_events();
        let sliced = run(&case, Time::MAX, Time::from_ps(slice), 3).without_events();
        prop_assert!(sliced == whole);
        for min_latency in [1, min_latency] {
            let other = run(&case, Time::from_ps(min_latency), Time::from_ps(slice), 2).without_events();
            prop_assert!(other == whole, "partitions from {min_latency} ps on");
            for shards in [2, 3] {
                let step = Time::from_ps(slice);
                let other = run_in_steps(&case, shards, Time::from_ps(min_latency), step, 3);
                prop_assert!(other.without_events() == whole, "{shards} shards");
            }
        }
    }

    /// The heap against a sorted map, with pushes and pops in any order, but never before the last
    /// event taken. Few distinct times make ranks and arguments decide.
    #[test]
    fn the_event_queue_equals_a_sorted_map(
        steps in prop::collection::vec((0u64..8, 0u16..6, 0u32..3, 0usize..4, 0u64..8), 0..300),
    ) {
        let mut queue = EventQueue::default();
        let mut sorted: BTreeMap<Event, usize> = BTreeMap::new();
        let mut now = Time::ZERO;
        for (after, object, arg, pops, ahead) in steps {
            let event = Event::new(now + Time::from_ps(after), 0, 0, object, arg);
            queue.push(event);
            *sorted.entry(event).or_default() += 1;
            let horizon = now + Time::from_ps(ahead);
            for _ in 0..pops {
                let first = sorted.first_entry().filter(|e| e.key().at() < horizon);
                let expected = first.map(|mut entry| {
                    let event = *entry.key();
                    *entry.get_mut() -= 1;
                    if *entry.get() == 0 {
                        entry.remove();
                    }
                    event
                });
                prop_assert_eq!(queue.pop_before(horizon), expected);
                now = expected.map_or(now, |event| event.at());
            }
            let next = sorted.first_key_value().map_or(Time::MAX, |(event, _)| event.at());
            prop_assert_eq!(queue.next_at(), next);
        }
    }
}

/// Only the wire takes time: no window is longer than an instant.
#[test]
fn links_and_switches_may_have_no_latency() {
    let mut models = crate::common::models(crate::common::instant_device(), 1);
    models.switch.latency = Time::ZERO;
    models.switch.credit_delay = Time::ZERO;
    models.switch.buffer = bandwise_units::Bytes::new(65 * 64);
    (models.device.tx, models.device.rx) = (Time::ZERO, Time::ZERO);
    let fabric = builders::leaf_spine(2, 2, 3, crate::common::RATE, Time::ZERO).unwrap();
    let mut sim = crate::common::simulation(&fabric, &models);
    for from in 0..6 {
        for to in (0..6).filter(|&to| to != from) {
            crate::common::flood(&mut sim, (from, to), crate::common::sl(0), 5_000, 4);
        }
    }
    sim.run(Time::from_us(200));
    // Six hosts at 7 bytes per nanosecond, minus mutual blocking.
    let payload: u64 = (0..6).map(|h| sim.payload_delivered(h)).sum();
    println!("{payload} bytes");
    assert!(payload > 200_000 * 7 * 6 / 4, "{payload}");
}
