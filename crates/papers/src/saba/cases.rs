//! The runs, and which numbers each item takes from them.

use super::models::{DATA, NODES};
use super::setups;
use super::study::{Outcome, Study};
use crate::run::{self, Options, Read};
use bandwise_scenario::sharing::SharingPolicy;
use bandwise_workload::job::{PROFILE_INSTANCES, WORKLOADS};

type Case = run::Case<Study>;
type Reading = run::Reading<Outcome>;

/// What Saba is held against: both ends of what InfiniBand may do, a control for its queues, and one for
/// its weights.
const POLICIES: [SharingPolicy; 5] = [
    SharingPolicy::FairFlows,
    SharingPolicy::Blocking,
    SharingPolicy::FairJobs,
    SharingPolicy::Saba,
    SharingPolicy::EqualWeights,
];

/// All runs.
pub(super) fn cases(_: &Options) -> Vec<Case> {
    let mut cases = vec![models(), two(), clusters()];
    for (called, data) in DATA {
        let scenario = setups::all_on(PROFILE_INSTANCES, data, 3, 8);
        cases.push(jobs("fig4.15", &format!("{called} data"), scenario));
    }
    for (called, nodes) in NODES.into_iter().filter(|nodes| nodes.0 != "1x") {
        let scenario = setups::all_on(nodes, 1.0, 3, 8);
        cases.push(jobs("fig4.16", &format!("{called} nodes"), scenario));
    }
    for degree in [1, 2, 3] {
        let scenario = setups::all_on(PROFILE_INSTANCES, 1.0, degree, 8);
        cases.push(jobs("fig4.17", &format!("k={degree}"), scenario));
    }
    for queues in [2, 4, 8, 16] {
        let scenario = setups::all_on(PROFILE_INSTANCES, 1.0, 3, queues);
        cases.push(jobs("queues", &format!("{queues} queues"), scenario));
    }
    cases
}

/// A number by its name.
fn number(
    item: &'static str,
    case: impl Into<String>,
    metric: &'static str,
    key: String,
) -> Reading {
    let unit = match metric {
        "completion time" => "s",
        "R2" => "",
        _ => "x",
    };
    let read: Read<Outcome> = Box::new(move |outcome| outcome.numbers.get(&key).copied());
    Reading { item, case: case.into(), metric, unit, read }
}

fn models() -> Case {
    let mut readings = Vec::new();
    for name in WORKLOADS {
        for percent in [75, 25] {
            let key = format!("slowdown {name} {percent}");
            readings.push(number("fig3.1", format!("{name} at {percent}%"), "slowdown", key));
        }
    }
    for name in ["LR", "TS"] {
        for percent in [75, 25] {
            let (case, key) =
                (format!("{name} at {percent}%"), format!("seconds {name} {percent}"));
            readings.push(number("fig3.3", case, "completion time", key));
        }
    }
    for name in ["SQL", "LR"] {
        for percent in [75, 25, 10] {
            let key = format!("slowdown {name} {percent}");
            readings.push(number("fig4.3", format!("{name} at {percent}%"), "slowdown", key));
        }
    }
    for name in WORKLOADS {
        for model in ["k=1", "k=2", "k=3", "monotone"] {
            let key = format!("r2 {name} {model}");
            readings.push(number("fig4.4", format!("{name} {model}"), "R2", key));
        }
        for (called, _) in DATA {
            let key = format!("r2 {name} data {called}");
            readings.push(number("fig4.5", format!("{name} {called}"), "R2", key));
        }
        for (called, _) in NODES {
            let key = format!("r2 {name} nodes {called}");
            readings.push(number("fig4.6", format!("{name} {called} nodes"), "R2", key));
        }
    }
    Case { name: "models".into(), scenario: Study::Models, readings }
}

fn two() -> Case {
    let policies = [SharingPolicy::FairFlows, SharingPolicy::FairJobs, SharingPolicy::GivenWeights];
    let mut readings = Vec::new();
    for (case, policy) in [
        ("max-min", "fair-flows"),
        ("a queue each", "fair-jobs"),
        ("LR 75% and TS 25%", "given-weights"),
    ] {
        for (metric, key) in [
            ("slowdown of LR", "slowdown LR"),
            ("slowdown of TS", "slowdown TS"),
            ("average slowdown", "mean slowdown"),
        ] {
            readings.push(number("fig3.2", case, metric, format!("{policy} {key}")));
        }
    }
    let scenario = Study::Jobs(Box::new(setups::two()), policies.to_vec());
    Case { name: "LR and TS".into(), scenario, readings }
}

/// The cluster setups: sums of each, which are put together afterwards.
fn clusters() -> Case {
    let mut readings = Vec::new();
    for policy in &POLICIES[1..] {
        let policy = policy.as_str();
        let key = format!("{policy} average speedup");
        readings.push(number("fig4.14", policy, "average speedup", key));
        let (over, key) = (format!("{policy} over"), format!("{policy} speedup over blocking"));
        readings.push(number("fig4.13", over, "part", key));
        for name in WORKLOADS {
            for what in ["log", "count"] {
                let (case, key) =
                    (format!("{policy} {what} {name}"), format!("{policy} {what} {name}"));
                // A setup without the workload adds nothing.
                let read: Read<Outcome> =
                    Box::new(move |o| Some(o.numbers.get(&key).copied().unwrap_or(0.0)));
                readings.push(Reading { item: "fig4.13", case, metric: "part", unit: "", read });
            }
        }
        for what in ["jobs that lose", "jobs"] {
            let (case, key) = (format!("{policy} {what}"), format!("{policy} {what}"));
            readings.push(number("fig4.13", case, "part", key));
        }
    }
    Case { name: "cluster setups".into(), scenario: Study::Setup(POLICIES.to_vec()), readings }
}

/// Ten workloads under the policies.
fn jobs(
    item: &'static str,
    called: &str,
    scenario: bandwise_scenario::sharing::SharingScenario,
) -> Case {
    let mut readings = Vec::new();
    for policy in &POLICIES[1..] {
        let policy = policy.as_str();
        // Saba's own numbers stand beside the published ones.
        let case = match policy {
            "saba" => called.to_owned(),
            other => format!("{called}, {other}"),
        };
        let key = format!("{policy} average speedup");
        readings.push(number(item, case.clone(), "average speedup", key));
        let (over, key) =
            (format!("{case}, over blocking"), format!("{policy} speedup over blocking"));
        readings.push(number(item, over, "average speedup", key));
        for name in WORKLOADS {
            let (case, key) = (format!("{name} {case}"), format!("{policy} log {name}"));
            let read: Read<Outcome> =
                Box::new(move |outcome| outcome.numbers.get(&key).map(|log| log.exp()));
            readings.push(Reading { item, case, metric: "speedup", unit: "x", read });
        }
    }
    let scenario = Study::Jobs(Box::new(scenario), POLICIES.to_vec());
    Case { name: format!("{item} {called}"), scenario, readings }
}
