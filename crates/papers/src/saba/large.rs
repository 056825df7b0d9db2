//! Figure 4.18: 20 synthetic workloads on 1,944 servers, one per server, under each policy.

use super::setups;
use super::study::{Outcome, Study, Trial};
use crate::Finding;
use crate::case::{self, Read};
use bandwise_scenario::jobs::SharingPolicy;

/// Number of workloads, with 97 instances each (Saba 4.6.1).
pub(super) const WORKLOADS: u32 = 20;

/// The runs: name in findings, policy, and queues of a port. The longest runs come first, so that
/// none of them runs alone at the end.
const RUNS: [(&str, SharingPolicy, u8); 13] = [
    (HOMA, SharingPolicy::Homa, 8),
    ("smallest job first", SharingPolicy::SmallestFirst, 8),
    ("Sincronia", SharingPolicy::Sincronia, 8),
    (BASELINE, SharingPolicy::FairFlows, 8),
    (IDEAL, SharingPolicy::FairJobs, 8),
    (SABA, SharingPolicy::Saba, 8),
    ("distributed", SharingPolicy::SabaDistributed, 8),
    ("8 queues, equal weights", SharingPolicy::EqualWeights, 8),
    ("2 queues", SharingPolicy::Saba, 2),
    ("2 queues, equal weights", SharingPolicy::EqualWeights, 2),
    ("4 queues", SharingPolicy::Saba, 4),
    ("16 queues", SharingPolicy::Saba, 16),
    ("unlimited queues", SharingPolicy::SabaUnlimited, 8),
];

const BASELINE: &str = "max-min among flows";
const IDEAL: &str = "ideal max-min";
const SABA: &str = "8 queues";
const HOMA: &str = "Homa";

/// Returns a run for each policy. Its numbers are times, from which [`derived`] calculates
/// speedups.
pub(super) fn cases() -> Vec<case::Case<Study>> {
    let case = |(called, policy, queues): (&str, SharingPolicy, u8)| {
        let reading = |workload: String| {
            let key = format!("seconds {workload}");
            let read: Read<Outcome> = Box::new(move |outcome| outcome.numbers.get(&key).copied());
            let case = part(called, &workload);
            case::Reading { item: "fig4.18", case, metric: "part", unit: "s", read }
        };
        let readings = names().map(reading).collect();
        let scenario = Trial::Times(Box::new(setups::large(WORKLOADS, queues)), policy);
        case::Case { name: format!("fig4.18 {called}"), scenario: Study::One(scenario), readings }
    };
    RUNS.into_iter().map(case).collect()
}

/// Returns the names of the workloads.
pub(super) fn names() -> impl Iterator<Item = String> {
    (1..=WORKLOADS).map(|workload| format!("W{workload}"))
}

fn part(called: &str, workload: &str) -> String {
    format!("{called}: {workload}")
}

/// Returns the speedups over the baseline, and of Saba over its rivals, without those that lack
/// their runs.
pub(super) fn derived(findings: &[Finding]) -> Vec<Finding> {
    let seconds = |called: &str| -> Option<Vec<f64>> {
        let of = |workload: String| {
            let case = part(called, &workload);
            let is_it = |f: &&Finding| f.item == "fig4.18" && f.case == case;
            findings.iter().find(is_it).map(Finding::value)
        };
        names().map(of).collect()
    };
    let mut all = Vec::new();
    let mut put = |case: String, metric: &str, unit: &str, value: f64| {
        let [item, metric, unit] = ["fig4.18", metric, unit].map(str::to_owned);
        all.push(Finding { item, case, metric, unit, runs: vec![value] });
    };
    let speedups = |called: &str, over: &str| -> Option<Vec<f64>> {
        Some(ratios(&seconds(over)?, &seconds(called)?))
    };
    let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    for (called, ..) in RUNS.into_iter().filter(|run| run.0 != BASELINE) {
        let Some(speedups) = speedups(called, BASELINE) else { continue };
        put(called.to_owned(), "average speedup", "x", geometric(&speedups));
        put(format!("{called}: least"), "speedup", "x", least(&speedups));
        put(format!("{called}: most"), "speedup", "x", most(&speedups));
        let lose = speedups.iter().filter(|&&speedup| speedup < 0.99).count();
        put(called.to_owned(), "workloads that lose", "", lose as f64);
    }
    for rival in [IDEAL, HOMA] {
        let Some(speedups) = speedups(SABA, rival) else { continue };
        put(format!("Saba over {rival}"), "average speedup", "x", geometric(&speedups));
        put(format!("Saba over {rival}: least"), "speedup", "x", least(&speedups));
        put(format!("Saba over {rival}: most"), "speedup", "x", most(&speedups));
    }
    all
}

/// Returns the ratio of each pair.
pub(super) fn ratios(of: &[f64], to: &[f64]) -> Vec<f64> {
    of.iter().zip(to).map(|(of, to)| of / to).collect()
}

/// Returns the geometric mean, which Saba reports (4.6.1).
pub(super) fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of 20 workloads: 8 s under the baseline, a half or twice that under another.
    #[test]
    fn speedups_are_derived_from_times() {
        let times = |called: &str, seconds: &dyn Fn(u32) -> f64| -> Vec<Finding> {
            let finding = |workload: u32| Finding {
                item: "fig4.18".into(),
                case: part(called, &format!("W{workload}")),
                metric: "part".into(),
                unit: "s".into(),
                runs: vec![seconds(workload)],
            };
            (1..=WORKLOADS).map(finding).collect()
        };
        let mut findings = times(BASELINE, &|_| 8.0);
        findings.extend(times(SABA, &|workload| if workload <= 15 { 4.0 } else { 16.0 }));
        findings.extend(times(IDEAL, &|_| 4.0));
        // One workload is missing, so no speedup is derived.
        findings.extend(times(HOMA, &|_| 4.0).drain(1..));
        let derived = derived(&findings);
        let value = |case: &str, metric: &str| {
            let is_it = |f: &&Finding| f.case == case && f.metric == metric;
            derived.iter().find(is_it).map(Finding::value)
        };
        let close = |found: Option<f64>, expected: f64| {
            assert!(found.is_some_and(|found| (found - expected).abs() < 1e-12), "{found:?}");
        };
        // 2^15 times 2^-5 over 20.
        close(value(SABA, "average speedup"), 2f64.sqrt());
        close(value("8 queues: least", "speedup"), 0.5);
        close(value("8 queues: most", "speedup"), 2.0);
        close(value(SABA, "workloads that lose"), 5.0);
        close(value("Saba over ideal max-min: least", "speedup"), 0.25);
        close(value("Saba over ideal max-min: most", "speedup"), 1.0);
        assert_eq!(value(HOMA, "average speedup"), None);
        assert_eq!(value("Saba over Homa", "average speedup"), None);
    }
}
