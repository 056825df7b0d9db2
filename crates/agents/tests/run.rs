//! A plan from the first connection to the last report, with any faults of the network, the agents and their devices:
//! every agent is released, no side waits forever, and a run reported as complete is complete.

mod world;

use bandwise_agents::coordinator::{Outcome, RunEnd};
use bandwise_agents::{FlowEnd, Plan};
use bandwise_input::Source;
use bandwise_units::Time;
use proptest::prelude::*;
use world::{Fault, Pace, World, token};

const PLAN: &str = r#"
duration = "2 s"
margin = "50 ms"
[[host]]
name = "a"
agent = "10.0.0.1"
[[host]]
name = "b"
agent = "10.0.0.2"
[[host]]
name = "c"
agent = "10.0.0.3"
[[flow]]
from = ["b", "c"]
to = "a"
method = "bulk"
[[flow]]
from = "a"
to = "b"
method = "rperf"
start = "100 ms"
stop = "1900 ms"
"#;

fn plan() -> Plan {
    Plan::from_toml(&Source::new("plan.toml", PLAN), 18517).unwrap()
}

fn ms(ms: u64) -> Time {
    Time::from_ms(ms)
}

/// In step with the coordinator's, but for where they begin.
fn paces() -> Vec<Pace> {
    [3, 4_000, 70].map(|s| Pace { ahead: ms(s * 1_000), ppm: 0 }).to_vec()
}

fn run(faults: &[Fault]) -> (World, Outcome) {
    let mut world = World::new(&plan(), &paces(), Time::from_us(100), faults);
    let outcome = world.run(ms(120_000));
    (world, outcome)
}

/// Returns the time in seconds in which all flows were active; for an interrupted run, its measured part.
fn active_s(world: &World, outcome: &Outcome) -> f64 {
    world.check_window(outcome);
    outcome.window.map_or(0.0, |window| (window.to() - window.from()).as_s_f64())
}

fn failed(outcome: &Outcome) -> &str {
    match &outcome.end {
        RunEnd::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}

/// In truth, by one clock, every flow was active in all of every agent's window.
fn is_whole(world: &World, outcome: &Outcome) -> bool {
    let (plan, start) = (plan(), world.coordinator.start().unwrap());
    let error = outcome.hosts.iter().filter_map(|host| host.clock_error).max().unwrap();
    let (from, to) = (start + plan.window.from(), start + plan.window.to());
    let covers = |flow: u16| {
        let (began, ended) = world.active[&flow];
        began <= from.saturating_sub(error) && ended >= to + error
    };
    (0..plan.flows.len() as u16).all(covers)
}

#[test]
fn plan_runs_to_completion() {
    let (world, outcome) = run(&[]);
    assert_eq!(outcome.end, RunEnd::Complete);
    assert!(is_whole(&world, &outcome));
    assert_eq!(outcome.window, Some(plan().window));
    assert_eq!(active_s(&world, &outcome), 1.7);
    assert!(outcome.flows.iter().all(|f| f.mtu.is_some() && f.report.is_some()));
    for host in &outcome.hosts {
        assert!(host.clock_error.unwrap() <= Time::from_us(200), "{host:?}");
    }
    // One second of preparation, two of measurement, and some messages.
    assert!(world.ended.unwrap() < ms(3_100), "{:?}", world.ended);
}

#[test]
fn lost_connection_ends_the_run_and_keeps_other_results() {
    let (world, outcome) = run(&[Fault::Cut(1, ms(1_500))]);
    assert!(
        failed(&outcome).starts_with("b (10.0.0.2:18517): the connection was cut"),
        "{outcome:?}"
    );
    assert!(world.ended.unwrap() < ms(1_600));
    let ends: Vec<_> = outcome.flows.iter().map(|f| f.report.as_ref().map(|r| &r.end)).collect();
    assert_eq!(ends, [None, Some(&FlowEnd::Stopped), Some(&FlowEnd::Stopped)]);
    let (world, outcome) = run(&[Fault::Cut(1, ms(2_500))]);
    // Flows began at about one second, and b's last message came half a second before the cut.
    let active = active_s(&world, &outcome);
    assert!((0.5..1.4).contains(&active), "{active}");
}

/// The agent's host or network fails without closing the connection.
#[test]
fn silent_agent_is_dropped_within_five_seconds() {
    let (world, outcome) = run(&[Fault::Silence(2, ms(1_500))]);
    assert!(failed(&outcome).contains("c (10.0.0.3:18517): silent for 3 s"), "{outcome:?}");
    assert!(world.ended.unwrap() <= ms(6_000), "{:?}", world.ended);
    // The other flows run to their end, and only the time while c was present counts.
    let (world, outcome) = run(&[Fault::Silence(2, ms(2_500))]);
    let ends: Vec<_> = outcome.flows.iter().map(|f| f.report.as_ref().map(|r| &r.end)).collect();
    assert_eq!(ends, [Some(&FlowEnd::Complete), None, Some(&FlowEnd::Complete)]);
    let active = active_s(&world, &outcome);
    assert!((0.5..1.4).contains(&active), "{active}");
}

#[test]
fn device_failure_is_reported() {
    let (world, outcome) = run(&[Fault::Breaks(0, ms(500))]);
    assert!(failed(&outcome).contains("it broke"), "{outcome:?}");
    assert!(world.ended.unwrap() < ms(1_700));
    // From 150 ms on, in parts of 27 ms, to the last message before 500 ms.
    let active = active_s(&world, &outcome);
    assert!((0.31..0.35).contains(&active), "{active}");
    // A failure before the start gives no partial results.
    let (_, outcome) = run(&[Fault::Refuses(0)]);
    assert!(failed(&outcome).ends_with("it can't"), "{outcome:?}");
    assert!(outcome.flows.iter().all(|f| f.report.is_none()));
    assert_eq!(outcome.window, None);
}

#[test]
fn interrupted_run_keeps_partial_results() {
    let (world, outcome) = run(&[Fault::Interrupt(ms(1_800))]);
    assert_eq!(outcome.end, RunEnd::Interrupted);
    assert!(outcome.flows.iter().all(|f| f.report.as_ref().unwrap().end == FlowEnd::Stopped));
    assert!(world.ended.unwrap() < ms(1_900));
    let active = active_s(&world, &outcome);
    assert!((0.57..0.65).contains(&active), "{active}");
}

#[test]
fn another_token_is_refused() {
    let tokens = [token("the same"), token("the same"), token("another")];
    let mut world = World::with_tokens(&plan(), &paces(), Time::from_us(100), &[], &tokens);
    let outcome = world.run(ms(10_000));
    let why = failed(&outcome);
    assert!(
        why.starts_with(
            "c (10.0.0.3:18517): it refuses: the message is not signed with this token"
        ),
        "{why}"
    );
}

#[test]
fn unsynchronisable_clock_fails_the_run() {
    // Up to a second in each direction: few exchanges fit the time limit.
    let mut world = World::new(&plan(), &paces(), ms(500), &[]);
    let outcome = world.run(ms(120_000));
    let why = failed(&outcome);
    assert!(why.contains("took too long") || why.contains("a longer `margin`"), "{why}");
    assert!(outcome.flows.iter().all(|f| f.report.is_none()));
}

/// By the end of the run the clocks differ by more than the margin allows.
#[test]
fn clock_drift_beyond_margin_fails_the_run() {
    let mut paces = paces();
    paces[1].ppm = 5_000;
    let longer = PLAN.replace("\"2 s\"", "\"30 s\"").replace("1900 ms", "29 s");
    let plan = Plan::from_toml(&Source::new("plan.toml", &longer), 18517).unwrap();
    let mut world = World::new(&plan, &paces, Time::from_us(100), &[]);
    let outcome = world.run(ms(120_000));
    assert!(failed(&outcome).contains("was active from"), "{outcome:?}");
}

fn fault() -> impl Strategy<Value = Fault> {
    let time = (1u64..5_000).prop_map(ms);
    prop_oneof![
        (0usize..3, time.clone()).prop_map(|(a, t)| Fault::Cut(a, t)),
        (0usize..3, time.clone()).prop_map(|(a, t)| Fault::Silence(a, t)),
        (0usize..300).prop_map(Fault::Lost),
        (0usize..300).prop_map(Fault::Twice),
        (0usize..300, 0usize..400).prop_map(|(n, p)| Fault::Changed(n, p)),
        (0usize..20).prop_map(Fault::Hangs),
        (0usize..20).prop_map(Fault::Refuses),
        (0usize..3, time.clone()).prop_map(|(n, t)| Fault::Breaks(n, t)),
        time.prop_map(Fault::Interrupt),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// All agents are released, and a run reported as complete is complete.
    #[test]
    fn any_fault_releases_all_agents(
        faults in prop::collection::vec(fault(), 0..4),
        us in 1u64..20_000,
        clocks in prop::collection::vec((0u64..100_000, 0u64..2_000), 3),
    ) {
        let paces: Vec<Pace> =
            clocks.iter().map(|&(s, ppm)| Pace { ahead: ms(s), ppm }).collect();
        let mut world = World::new(&plan(), &paces, Time::from_us(us), &faults);
        let outcome = world.run(ms(120_000));
        world.check_window(&outcome);
        if outcome.end == RunEnd::Complete {
            prop_assert!(is_whole(&world, &outcome));
            for flow in &outcome.flows {
                prop_assert_eq!(&flow.report.as_ref().unwrap().end, &FlowEnd::Complete);
            }
        } else {
            prop_assert!(!faults.is_empty() || us > 1_000 || clocks.iter().any(|c| c.1 > 100));
        }
    }
}
