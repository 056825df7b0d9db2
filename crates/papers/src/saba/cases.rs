//! The runs, and the numbers that each item reads from them.

use super::calculation::{DEGREES, MOST, SHOWN};
use super::models::{DATA, NODES};
use super::study::{Outcome, Study, Trial};
use super::{large, packets, setups};
use crate::Options;
use crate::case::{self, Read};
use bandwise_scenario::jobs::{JobsExperiment, JobsScenario, SharingPolicy};
use bandwise_workload::job::{PROFILE_INSTANCES, WORKLOADS};

type Case = case::Case<Study>;
type Reading = case::Reading<Outcome>;

/// The compared policies: Saba, both extremes of InfiniBand, a control for Saba's queues, one for
/// its weights, one that knows sizes instead of sensitivities, and Saba without floors.
const POLICIES: [SharingPolicy; 7] = [
    SharingPolicy::FairFlows,
    SharingPolicy::Blocking,
    SharingPolicy::FairJobs,
    SharingPolicy::Saba,
    SharingPolicy::SabaNoFloor,
    SharingPolicy::EqualWeights,
    SharingPolicy::SmallestFirst,
];

/// Number of placements over which calculation times are measured.
const PLACEMENTS: u64 = 5;

/// Returns all runs of the item, or of all items. The controller's times run only on request: other
/// work disturbs them, and they are not reproducible. The large fabric also runs only on request,
/// because it takes longer than all other runs.
pub(super) fn cases(options: &Options) -> Vec<Case> {
    if options.item.as_deref() == Some("fig4.19") {
        return vec![calculation(if options.quick { 1 } else { PLACEMENTS })];
    }
    if options.item.as_deref() == Some("fig4.18") {
        return large::cases();
    }
    if options.item.as_deref() == Some(packets::ITEM) {
        return packets::cases();
    }
    let mut cases = vec![models(), two(), halves(), clusters()];
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

/// Returns the reading of a number by its name.
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
    Case { name: "models".into(), scenario: Study::One(Trial::Models), readings }
}

/// Returns the case of the controller's times, and of SLSQP's if this program was built with it.
fn calculation(placements: u64) -> Case {
    let mut readings = Vec::new();
    let mut read = |case: &str, metric, unit, key: &str| {
        let key = format!("{case} {key}");
        let read: Read<Outcome> = Box::new(move |outcome| outcome.numbers.get(&key).copied());
        readings.push(Reading { item: "fig4.19", case: case.to_owned(), metric, unit, read });
    };
    for (_, degree) in DEGREES {
        let up_to = MOST.map(|most| format!("up to {most} applications"));
        let just = SHOWN.map(|size| format!("{size} applications"));
        let events = ["a connection closed", "an application gone"].map(str::to_owned);
        for case in up_to.into_iter().chain(just).chain(events) {
            let case = format!("{case}, {degree}");
            read(&case, "calculation time, 99th percentile", "s", "99th");
            read(&case, "calculation time, mean", "s", "mean");
        }
        let case = format!("sampled ports, {degree}");
        read(&case, "SLSQP's time over ours", "x", "SLSQP time");
        read(&case, "ports where SLSQP fails", "", "SLSQP failed");
        read(&case, "our sum of slowdowns over SLSQP's, most", "x", "worst");
    }
    let scenario = Study::Calculation(placements);
    Case { name: "calculation time".into(), scenario, readings }
}

/// Returns the case of LR beside TS, with policies that share unused bandwidth, and with reserved
/// parts.
fn two() -> Case {
    let policies = [
        SharingPolicy::FairFlows,
        SharingPolicy::FairJobs,
        SharingPolicy::GivenWeights,
        SharingPolicy::Reserved,
    ];
    let cases = [
        ("max-min", "fair-flows"),
        ("a queue each", "fair-jobs"),
        ("LR 75% and TS 25%", "given-weights"),
        ("LR 75% and TS 25%, reserved", "reserved"),
    ];
    beside("LR and TS", setups::two([75, 25]), &policies, &cases)
}

/// Returns the case of LR beside TS with a reserved half each.
fn halves() -> Case {
    let cases = [("half each, reserved", "reserved")];
    let policies = [SharingPolicy::FairFlows, SharingPolicy::Reserved];
    beside("LR and TS, halves", setups::two([50, 50]), &policies, &cases)
}

/// Returns the study of ten or fewer jobs under policies.
fn study(scenario: JobsScenario, policies: &[SharingPolicy]) -> Study {
    let experiment = JobsExperiment::new(scenario, policies.to_vec());
    Study::One(Trial::Jobs(Box::new(experiment.expect("ten jobs fit all policies"))))
}

fn beside(
    name: &str,
    scenario: JobsScenario,
    policies: &[SharingPolicy],
    cases: &[(&str, &str)],
) -> Case {
    let mut readings = Vec::new();
    for &(case, policy) in cases {
        for (metric, key) in [
            ("slowdown of LR", "slowdown LR"),
            ("slowdown of TS", "slowdown TS"),
            ("average slowdown", "mean slowdown"),
        ] {
            readings.push(number("fig3.2", case, metric, format!("{policy} {key}")));
        }
    }
    let scenario = study(scenario, policies);
    Case { name: name.into(), scenario, readings }
}

/// Returns the case of the cluster setups, whose readings are sums that [`super::derived`]
/// combines.
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
                // A setup without the workload adds 0.
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
    Case { name: "cluster setups".into(), scenario: Study::Setups(POLICIES.to_vec()), readings }
}

/// Returns the case of ten workloads under the policies.
fn jobs(item: &'static str, called: &str, scenario: JobsScenario) -> Case {
    let mut readings = Vec::new();
    for policy in &POLICIES[1..] {
        let policy = policy.as_str();
        // Saba's own numbers have the names of the published ones.
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
    let scenario = study(scenario, &POLICIES);
    Case { name: format!("{item} {called}"), scenario, readings }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Machine-dependent numbers run only on request.
    #[test]
    fn calculation_time_runs_only_on_request() {
        let items = |item: Option<&str>| {
            let item = item.map(str::to_owned);
            let cases = cases(&Options { item, quick: true, seed: 1, threads: 1 });
            let readings = cases.iter().flat_map(|case| &case.readings);
            readings.map(|reading| reading.item).collect::<std::collections::BTreeSet<_>>()
        };
        assert!(items(None).len() > 5 && !items(None).contains("fig4.19"));
        assert_eq!(items(Some("fig4.15")), items(None));
        assert!(items(Some("fig4.19")).iter().eq(&["fig4.19"]));
    }
}
