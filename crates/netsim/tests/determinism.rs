//! The same seed gives the same results, to the picosecond, however time is cut into windows and
//! slices, and whatever keeps the events in order.

mod common;

use bandwise_netsim::Counters;
use bandwise_netsim::event::{Event, EventQueue};
use bandwise_rdma::verbs::Completion;
use bandwise_units::Time;
use common::random::{Case, cases};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What every program saw when, by end of a connection; payload by host; and what was counted.
#[derive(Debug, PartialEq)]
struct Seen {
    logs: Vec<Vec<(Time, Completion)>>,
    payload: Vec<u64>,
    counted: Counters,
}

impl Seen {
    /// Events that found themselves superseded count as events; how many there are depends on
    /// who heard of what first, and is the only thing that does.
    fn without_events(mut self) -> Self {
        self.counted.events = 0;
        self
    }
}

/// Runs in slices, and then to the end.
fn run(case: &Case, lookahead: Time, slice: Time, slices: u64) -> Seen {
    let mut sim = case.build();
    sim.set_lookahead(lookahead);
    for i in 1..=slices {
        sim.run(slice * i);
    }
    sim.run(Time::from_ms(1_000));
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

proptest! {
    #![proptest_config(common::random::config(150))]

    #[test]
    fn the_same_seed_gives_the_same_run(case in cases()) {
        let first = run(&case, Time::MAX, Time::ZERO, 0);
        prop_assert!(first == run(&case, Time::MAX, Time::ZERO, 0));
    }

    #[test]
    fn neither_windows_nor_slices_change_a_run(
        case in cases(), lookahead in 2u64..50_000, slice in 1u64..30_000_000,
    ) {
        let whole = run(&case, Time::MAX, Time::ZERO, 0).without_events();
        let sliced = run(&case, Time::MAX, Time::from_ps(slice), 3).without_events();
        prop_assert!(sliced == whole);
        for lookahead in [1, lookahead] {
            let other = run(&case, Time::from_ps(lookahead), Time::ZERO, 0).without_events();
            prop_assert!(other == whole, "lookahead {lookahead} ps");
        }
    }

    /// The heap against a sorted map, with pushes and pops in any order. Times are few, so that
    /// ranks and arguments decide.
    #[test]
    fn the_event_queue_is_a_sorted_list(
        steps in prop::collection::vec((0u64..20, 0u32..6, 0u32..3, 0usize..4), 0..300),
    ) {
        let mut queue = EventQueue::default();
        let mut sorted: BTreeMap<Event, usize> = BTreeMap::new();
        for (at, rank, arg, pops) in steps {
            let event = Event { at: Time::from_ps(at), rank, arg };
            queue.push(event);
            *sorted.entry(event).or_default() += 1;
            for _ in 0..pops {
                let first = sorted.first_entry().filter(|e| e.key().at < Time::from_ps(at));
                let expected = first.map(|mut entry| {
                    let event = *entry.key();
                    *entry.get_mut() -= 1;
                    if *entry.get() == 0 {
                        entry.remove();
                    }
                    event
                });
                prop_assert_eq!(queue.pop_before(Time::from_ps(at)), expected);
            }
            let next = sorted.first_key_value().map_or(Time::MAX, |(event, _)| event.at);
            prop_assert_eq!(queue.next_at(), next);
        }
    }
}
