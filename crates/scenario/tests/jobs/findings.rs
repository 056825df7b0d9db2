//! Gains and conclusions of a plan, from durations by hand.

use crate::scenario;
use bandwise_scenario::jobs::{Comparison, Findings, JobsResults, SharingPolicy};
use bandwise_units::Time;

/// Durations in seconds under a policy; `None` for a job that had not ended.
type Seconds<'a> = (SharingPolicy, &'a [Option<u64>]);

/// Returns the findings for jobs that take 100 s alone.
fn findings(of_policies: &[Seconds<'_>]) -> Findings {
    let jobs = of_policies[0].1.len();
    let stage = "stage = [{ compute = \"100 s\", pattern = \"shuffle\", bytes = \"1 MB\" }]";
    let job = |name: char| format!("[[job]]\nname = \"{name}\"\ninstances = 4\n{stage}\n");
    let text: String = ('a'..).take(jobs).map(job).collect();
    let seconds = |took: u64| Time::from_ms(took * 1_000);
    let results = |&(policy, took): &Seconds<'_>| JobsResults {
        policy,
        took: took.iter().map(|took| took.map(seconds)).collect(),
        flows: 0,
        instants: 0,
        timeline: None,
    };
    let comparison = Comparison {
        alone: vec![Some(seconds(100)); jobs],
        results: of_policies.iter().map(results).collect(),
    };
    Findings::new(&scenario(&text), comparison, None)
}

/// The mean slowdowns are 2, 5.2 / 3, 4.5 / 3 and 5 / 3.
#[test]
fn answer_names_winners_losers_and_the_best_policy() {
    let even = [Some(200); 3];
    let (saba, equal) = ([Some(100), Some(220), Some(200)], [Some(100), Some(200), Some(200)]);
    let found = findings(&[
        (SharingPolicy::FairFlows, &even),
        (SharingPolicy::Saba, &saba),
        (SharingPolicy::SabaNoFloor, &[Some(100), Some(150), Some(200)]),
        (SharingPolicy::EqualWeights, &equal),
    ]);
    let expected = [
        "Do: set the levels and queues below, with equal weights in place of those shown (equal-weights).",
        "Gain: with equal-weights in place of fair-flows, of 3 jobs 1 gains (a takes 50% less time), 2 take \
         as long; the mean slowdown is 1.67 instead of 2.00.",
        "Limit: b still takes 2.00 times as long as alone, the most of all; rates of ideal switches, not \
         packets, were simulated.",
        "saba-no-floor (Saba without floors) has the lowest mean slowdown, 1.50, and is no setting of a \
         switch.",
        "Weights by sensitivity are worse for these jobs than equal weights: mean slowdown 1.73 with saba, \
         1.67 with equal-weights, which has the same queues.",
        "Floors, which keep shares above the smallest measured one, cost these jobs: mean slowdown 1.73 with \
         saba, 1.50 with saba-no-floor.",
    ];
    assert_eq!(found.answer(), expected);
    assert_eq!(found.verdict.unwrap().policy, SharingPolicy::EqualWeights);
}

/// One of two jobs takes half its time with queues, and the other with weights.
#[test]
fn gain_is_the_product_of_queues_and_weights() {
    let found = findings(&[
        (SharingPolicy::FairFlows, &[Some(400), Some(400)]),
        (SharingPolicy::Saba, &[Some(200), Some(200)]),
        (SharingPolicy::EqualWeights, &[Some(200), Some(400)]),
        (SharingPolicy::SabaUnlimited, &[Some(200), Some(200)]),
    ]);
    // The unlimited policy has no control here.
    let [gain] = &found.gains[..] else { panic!("{:?}", found.gains) };
    assert_eq!((gain.policy, gain.equal), (SharingPolicy::Saba, SharingPolicy::EqualWeights));
    let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-9, "{gain:?}");
    close(gain.queues, 2f64.sqrt());
    close(gain.weights, 2f64.sqrt());
    close(gain.both(), 2.0);
}

/// Mean slowdowns: 10.24 under fair flows, 10.18 under fair jobs, which gains
/// under 1% and is within 1% of Saba's 10.10. So Saba is worth its weights, or with 10.16 nothing is.
#[test]
fn chosen_policy_gains_more_than_a_percent() {
    let of = |seconds: u64| [Some(1_000 + seconds), Some(1_000 + seconds)];
    let choose = |saba: u64| {
        let (flows, jobs, saba) = (of(24), of(18), of(saba));
        let found = findings(&[
            (SharingPolicy::FairFlows, &flows),
            (SharingPolicy::FairJobs, &jobs),
            (SharingPolicy::Saba, &saba),
        ]);
        found.verdict.unwrap().policy
    };
    assert_eq!(choose(10), SharingPolicy::Saba);
    assert_eq!(choose(16), SharingPolicy::FairFlows);
}

#[test]
fn a_plan_without_a_better_policy_changes_nothing() {
    let found = findings(&[
        (SharingPolicy::FairFlows, &[Some(200)]),
        (SharingPolicy::FairJobs, &[Some(200)]),
        (SharingPolicy::Srpt, &[Some(300)]),
    ]);
    let expected = [
        "Do: change nothing (fair-flows).",
        "Gain: none of over 1% in the mean slowdown, 2.00 with fair-flows.",
        "Limit: a still takes 2.00 times as long as alone, the most of all; rates of ideal switches, not \
         packets, were simulated.",
    ];
    assert_eq!(found.answer(), expected);
    assert_eq!(found.slowdowns(SharingPolicy::Srpt), [Some(3.0)]);
    assert_eq!(found.slowdowns(SharingPolicy::Saba), [None]);
}

#[test]
fn interrupted_policy_has_no_conclusions() {
    let found = findings(&[
        (SharingPolicy::FairFlows, &[Some(200), Some(200)]),
        (SharingPolicy::Saba, &[Some(100), None]),
    ]);
    assert!(found.remarks.is_empty() && found.gains.is_empty(), "{:?}", found.remarks);
    // The baseline ended, and no policy can be chosen in its place.
    assert_eq!(found.verdict.as_ref().unwrap().policy, SharingPolicy::FairFlows);
    let saba = &found.comparison.results[1];
    assert_eq!(found.speedups(saba), Some(vec![Some(2.0), None]));
}
