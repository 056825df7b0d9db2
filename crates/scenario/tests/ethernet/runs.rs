//! Ends of runs and their results.

use super::{parse, read};
use bandwise_netsim::engine::Sequential;
use bandwise_scenario::ethernet::{Arrival, ArrivalError, FlowRecord, FlowWatch, Group};
use bandwise_scenario::{Parsed, Progress, Stop};
use bandwise_units::Time;
use bandwise_workload::Flow;
use std::ops::ControlFlow;

const SMALL: &str = "[fabric]\nbuild = { fat-tree = 4 }\n\
                     link = { rate = \"40 Gbps\", delay = \"2 us\" }\n";

#[derive(Default)]
struct Watcher {
    arrived: Vec<(u32, Time)>,
    looks: usize,
    stop_after: Option<usize>,
}

impl FlowWatch for Watcher {
    fn finished(&mut self, flow: &FlowRecord) {
        self.arrived.push((flow.number, flow.start + flow.completion_time));
    }
    fn progress(&mut self, at: Progress) -> ControlFlow<()> {
        self.looks += 1;
        assert!((0.0..=1.0).contains(&at.part), "{at:?}");
        match self.stop_after {
            Some(most) if self.looks >= most => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn runs_repeat_and_report_flows_in_arrival_order() {
    let scenario = read(&format!("{SMALL}[workload]\npoisson = {{ duration = \"500 us\" }}\n"));
    let (mut first, mut second) = (Watcher::default(), Watcher::default());
    let results = scenario.run(&mut first);
    assert_eq!(scenario.run(&mut second), results);
    assert_eq!(first.arrived, second.arrived);
    assert!(first.arrived.is_sorted_by_key(|&(number, at)| (at, number)));
    assert_eq!((&results.stop, results.finished), (&Stop::Complete, results.started));
    let flows: Vec<u64> = results.groups.iter().map(|(_, found)| found.flows).collect();
    assert_eq!(results.groups[0].0, Group::All);
    assert_eq!(flows[0], flows[1..].iter().sum::<u64>());
    let other = read(&format!(
        "{SMALL}[workload]\npoisson = {{ duration = \"500 us\" }}\n[run]\nseed = 2\n"
    ));
    assert_ne!(other.run(&mut ()), results);
}

#[test]
fn limited_and_interrupted_runs_have_partial_results() {
    let text = format!("{SMALL}[workload]\npoisson = {{ duration = \"1 ms\" }}\n");
    let limited = read(&format!("{text}[run]\nlimit = \"250 us\"\n")).run(&mut ());
    assert_eq!((limited.stop, limited.simulated), (Stop::Limit, Time::from_us(250)));
    assert!(0 < limited.finished && limited.finished < limited.started);
    let mut watcher = Watcher { stop_after: Some(2), ..Watcher::default() };
    let interrupted = read(&text).run(&mut watcher);
    assert_eq!(interrupted.stop, Stop::Interrupted);
    assert_eq!(interrupted.finished, watcher.arrived.len() as u64);
}

#[test]
fn stuck_flows_stop_the_run() {
    // Buffers hold one packet and messages have two: the last packet is lost undetected.
    let Parsed { scenario, warnings } = parse(
        "[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"40 Gbps\" }\n\
         [switch]\nbuffer = \"1100 B\"\npfc = false\n\
         [transport]\nkind = \"roce\"\ntimeout = false\nacks = \"on-completion\"\n\
         [workload]\nincast = { senders = 3, bytes = \"6 kB\" }\n",
    );
    assert_eq!(warnings.len(), 1);
    let results = scenario.run(&mut ());
    assert_eq!((results.stop, results.started), (Stop::Stuck, 3));
    assert!(results.counters.packets_dropped > 0 && results.finished < 3);
    assert_eq!(results.requests, None);
}

#[test]
fn flows_are_read_lazily() {
    // Ten flows a second apart: each is read when the one before has started.
    let scenario = read(SMALL);
    let asked = std::cell::Cell::new(0u64);
    let flows = (0..10).map(|n| {
        asked.set(n + 1);
        Ok(Arrival::from(Flow { start: Time::from_ms(n * 1_000), src: 0, dst: 9, bytes: 1000 }))
    });
    struct Lazy<'a>(&'a std::cell::Cell<u64>);
    impl FlowWatch for Lazy<'_> {
        fn progress(&mut self, at: Progress) -> ControlFlow<()> {
            // One flow a second has started, and the next one has been read.
            assert!(self.0.get() <= at.simulated.as_ps() / Time::from_ms(1_000).as_ps() + 2);
            ControlFlow::Continue(())
        }
    }
    let results = scenario.run_with::<ArrivalError>(&Sequential, flows, &mut Lazy(&asked)).unwrap();
    assert_eq!(results.finished, 10);
    // Idle time between two flows costs no events.
    assert!(results.counters.events < 1000, "{}", results.counters.events);
}

#[test]
fn an_error_among_the_flows_ends_the_run() {
    let flow = Flow { start: Time::ZERO, src: 0, dst: 1, bytes: 1 };
    let flows = [Ok(Arrival::from(flow)), Err(Box::<dyn std::error::Error>::from("line 3"))];
    let error = read(SMALL).run_with(&Sequential, flows, &mut ()).unwrap_err();
    assert_eq!(error.to_string(), "line 3");
    let nothing = read(SMALL).run_with::<ArrivalError>(&Sequential, [], &mut ()).unwrap();
    assert_eq!((nothing.stop, nothing.groups.len()), (Stop::Complete, 0));
}

#[test]
fn flows_beside_an_incast_are_reported_separately() {
    let poisson = "poisson = { duration = \"200 us\" }\n";
    let incast = "incast = { senders = 3, bytes = \"300 KB\" }\n";
    let run = |parts: &str| read(&format!("[workload]\n{parts}")).run(&mut ());
    let alone = run(poisson);
    assert_eq!(alone.beside_requests, None);
    let both = run(&format!("{poisson}{incast}"));
    let (_, all) = &both.groups[0];
    let beside = both.beside_requests.unwrap();
    assert_eq!((beside.flows + 3, beside.flows), (all.flows, alone.groups[0].1.flows));
}

#[test]
fn flows_started_in_the_warmup_do_not_count() {
    let text = format!(
        "{SMALL}[workload]\npoisson = {{ duration = \"400 us\" }}\n\
         incast = {{ senders = 3, bytes = \"9 kB\", requests = 4, every = \"100 us\" }}\n"
    );
    let (mut all, mut later) = (Watcher::default(), Watcher::default());
    let whole = read(&text).run(&mut all);
    let warm = read(&format!("{text}[run]\nwarmup = \"150 us\"\n"));
    let found = warm.run(&mut later);
    // The simulation and the watcher's view are unchanged.
    assert_eq!((&all.arrived, whole.counters), (&later.arrived, found.counters));
    let count = warm.arrivals().filter(|a| a.flow.start >= Time::from_us(150)).count() as u64;
    assert_eq!((found.started, found.groups[0].1.flows), (whole.started, count));
    assert!(0 < count && count < whole.started);
    assert_eq!(whole.requests.map(|requests| requests.requests), Some(4));
    assert_eq!(found.requests.map(|requests| requests.requests), Some(2));
}

/// Five switches in a ring with two hosts each, all of which send to the next but one.
const RING: &str = "fabric-file = \"ring.toml\"\n[switch]\nbuffer = \"60 KB\"\npfc = true\n\
                    [transport]\nkind = \"roce\"\n";

fn around(on: u32) -> impl Iterator<Item = Result<Arrival, ArrivalError>> {
    let flow = move |src| {
        Ok(Arrival::from(Flow {
            start: Time::ZERO,
            src,
            dst: (src + 2 * on) % 10,
            bytes: 10_000_000,
        }))
    };
    (0..10).map(flow)
}

#[test]
fn a_deadlock_ends_the_run_and_names_its_ports() {
    let scenario = read(RING);
    let results = scenario.run_with(&Sequential, around(2), &mut ()).unwrap();
    let Stop::Deadlock(ports) = results.stop else { panic!("{:?}", results.stop) };
    let names: Vec<String> = ports.iter().map(|&port| scenario.fabric().describe(port)).collect();
    assert_eq!(names, ["s0:3", "s1:3", "s2:3", "s3:3", "s4:3"]);
    assert!(results.finished < 10 && results.simulated < Time::from_ms(20));
    // To the neighbour there is no loop.
    let results = scenario.run_with(&Sequential, around(1), &mut ()).unwrap();
    assert_eq!((results.stop, results.finished), (Stop::Complete, 10));
}

#[test]
fn pause_storms_are_reported() {
    let text = "[fabric]\nbuild = { single-switch = 9 }\nlink = { rate = \"40 Gbps\" }\n\
                [switch]\npfc = { xoff = \"200 KB\", xon = \"10 KB\" }\n\
                [transport]\nkind = \"roce\"\n\
                [workload]\nincast = { senders = 8, bytes = \"8 MB\" }\n";
    let results = read(text).run(&mut ());
    assert_eq!(results.storms, []);
    // 190 KB leave at an eighth of 40 Gbps in 304 us.
    let scenario = read(&format!("{text}[run]\npause-storm = \"250 us\"\n"));
    let storms = scenario.run(&mut ()).storms;
    assert_eq!(storms.len(), 8);
    for storm in &storms {
        assert!(!scenario.fabric().is_switch(storm.port.node));
        assert!(scenario.fabric().is_switch(storm.by.node));
        assert!((300..400).contains(&(storm.longest.as_ps() / 1_000_000)), "{storm:?}");
    }
    assert!(storms.is_sorted_by_key(|storm| std::cmp::Reverse(storm.longest)));
    // Every pause that one end sent was received by the other.
    let pauses: u64 = results.ports.iter().map(|port| port.pauses).sum();
    assert_eq!(pauses, results.counters.pauses);
}

#[test]
fn hpcc_and_swift_keep_the_queues_of_an_incast_short() {
    let longest_queue = |kind: &str| {
        let text = format!(
            "[fabric]\nbuild = {{ single-switch = 9 }}\nlink = {{ rate = \"40 Gbps\", delay = \"2 us\" }}\n\
             [transport]\nkind = \"roce\"\nacks = \"every-packet\"\n\
             [congestion-control]\nkind = \"{kind}\"\n\
             [workload]\nincast = {{ senders = 8, bytes = \"40 MB\" }}\n"
        );
        let scenario = read(&text);
        let results = scenario.run(&mut ());
        assert_eq!((&results.stop, results.finished), (&Stop::Complete, 8), "{kind}");
        assert_eq!(results.counters.packets_dropped, 0, "{kind}");
        results.ports.iter().map(|port| port.counters.peak_queue.get()).max().unwrap()
    };
    let without = longest_queue("none");
    for kind in ["hpcc", "swift"] {
        let with = longest_queue(kind);
        // At the start all send at line rate for a round trip.
        assert!(with < without / 4, "{kind}: {with} of {without}");
    }
}
