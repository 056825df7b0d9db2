//! Timelines of jobs, compared with their stages.

use crate::{compare, go_on, scenario};
use bandwise_scenario::jobs::{
    Comparison, Doing, JobsExperiment, JobsScenario, SharingPolicy, Timeline,
};
use bandwise_units::Time;
use proptest::prelude::*;

const POLICIES: [SharingPolicy; 4] = [
    SharingPolicy::FairFlows,
    SharingPolicy::Saba,
    SharingPolicy::SmallestFirst,
    SharingPolicy::Blocking,
];

fn recorded(scenario: &JobsScenario, policies: &[SharingPolicy]) -> Comparison {
    let experiment = JobsExperiment::new(scenario.clone(), POLICIES.to_vec()).unwrap();
    experiment.recording(policies).compare(&mut go_on)
}

fn sum(timeline: &Timeline, job: usize, of: impl Fn(&Doing) -> u64) -> u64 {
    timeline.jobs[job].iter().map(of).sum()
}

/// A job computes for 1 s and then fills its links for 1 s, three times.
#[test]
fn timeline_shows_the_phases_of_a_job() {
    let scenario = scenario(
        "[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"8 Gbps\" }\n\
         [[job]]\nname = \"j\"\ninstances = 4\nrounds = 3\n\
         stage = [{ compute = \"1 s\", pattern = \"shuffle\", bytes = \"1 GB\" }]\n",
    );
    let comparison = recorded(&scenario, &POLICIES);
    for results in &comparison.results {
        let timeline = results.timeline.as_ref().unwrap();
        let seconds =
            |of: fn(&Doing) -> Time| sum(timeline, 0, |doing| of(doing).as_ps()) as f64 / 1e12;
        assert!((seconds(|doing| doing.computing) - 3.0).abs() < 1e-6);
        assert!((seconds(|doing| doing.sending) - 3.0).abs() < 1e-6);
        // In the middle of the second round's computing and sending.
        let at = |s: f64| timeline.jobs[0][(s / timeline.step.as_s_f64()) as usize];
        assert_eq!((at(2.5).computing, at(2.5).bytes.get()), (timeline.step, 0));
        assert_eq!((at(3.5).computing, at(3.5).sending), (Time::ZERO, timeline.step));
        // Four instances send a gigabyte a second each.
        let rate = at(3.5).bytes.get() as f64 / timeline.step.as_s_f64();
        assert!((rate / 4e9 - 1.0).abs() < 1e-3, "{rate}");
    }
}

/// Policies that are not requested get no timeline.
#[test]
fn only_requested_timelines_are_recorded() {
    let scenario = scenario("[[job]]\nworkload = \"TS\"\n");
    let wanted = [SharingPolicy::Saba];
    let comparison = recorded(&scenario, &wanted);
    for results in &comparison.results {
        assert_eq!(results.timeline.is_some(), results.policy == SharingPolicy::Saba);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The timeline has every byte and every second of computing once, in a limited number of steps of limited
    /// activity. Recording changes no end.
    #[test]
    fn timeline_conserves_bytes_and_computing_time(
        jobs in prop::collection::vec((2u32..8, 0u32..40, 1u32..60, 1u32..9, 0u32..30), 1..5),
    ) {
        let mut text = "[fabric]\nbuild = { single-switch = 8 }\nlink = { rate = \"8 Gbps\" }\n".to_owned();
        for (i, (instances, compute, mb, rounds, start)) in jobs.iter().enumerate() {
            text += &format!(
                "[[job]]\nname = \"j{i}\"\ninstances = {instances}\nrounds = {rounds}\n\
                 start = \"{start} ms\"\nstage = [{{ compute = \"{compute} ms\", \
                 pattern = \"shuffle\", bytes = \"{mb} MB\", overlap = 0.5 }}]\n"
            );
        }
        let scenario = scenario(&text);
        let plain = compare(&scenario, &POLICIES);
        let comparison = recorded(&scenario, &POLICIES);
        for (results, plain) in comparison.results.iter().zip(&plain.results) {
            prop_assert_eq!(&results.took, &plain.took);
            prop_assert_eq!(results.instants, plain.instants);
            let timeline = results.timeline.as_ref().unwrap();
            for (job, (shared, steps)) in scenario.jobs().iter().zip(&timeline.jobs).enumerate() {
                prop_assert!(steps.len() <= 800);
                let fits = |doing: &Doing| {
                    doing.computing <= timeline.step && doing.sending <= timeline.step
                };
                prop_assert!(steps.iter().all(fits));
                prop_assert_eq!(sum(timeline, job, |doing| doing.bytes.get()), shared.job.bytes().get());
                let computing = sum(timeline, job, |doing| doing.computing.as_ps());
                let stage = shared.job.stages[0].compute.as_ps();
                prop_assert_eq!(computing, stage * u64::from(shared.job.rounds));
            }
            let last = results.took.iter().zip(scenario.jobs()).map(|of| of.0.unwrap() + of.1.start);
            let steps = timeline.jobs[0].len() as u64;
            let last = last.max().unwrap().as_ps();
            prop_assert!(timeline.step.as_ps() * steps >= last);
            prop_assert!(timeline.step.as_ps() * steps.saturating_sub(2) <= last);
        }
    }
}
