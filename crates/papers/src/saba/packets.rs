//! Figure 4.18's servers at packet level: InfiniBand with its congestion control and without, and
//! with Saba's lanes.

use super::large::{self, WORKLOADS};
use super::setups;
use super::study::{Outcome, Study};
use crate::Finding;
use crate::case::{self, Read};
use bandwise_scenario::jobs::SharingPolicy;
use std::num::NonZeroU32;

pub(super) const ITEM: &str = "fig4.18-packets";

/// Divisor of volumes and computing times. Jobs then last some milliseconds and their stages less,
/// so that latencies have more weight than in reality. A policy takes some minutes; with a scale of
/// 1,000 it takes over a quarter of an hour.
const SCALE: NonZeroU32 = NonZeroU32::new(10_000).expect("it is not zero");

/// Runs and their names in findings; the baseline of Saba 4.6.1 comes first.
const RUNS: [(&str, SharingPolicy); 4] = [
    (BASELINE, SharingPolicy::FairFlows),
    ("InfiniBand without congestion control", SharingPolicy::Blocking),
    ("Saba, 8 lanes", SharingPolicy::Saba),
    ("8 lanes, equal weights", SharingPolicy::EqualWeights),
];

const BASELINE: &str = "InfiniBand";

/// Prefixes of a workload's name in a case: at packet level, and at flow level.
const LEVELS: [(&str, &str); 2] = [("packets", "seconds"), ("flows", "flow seconds")];

/// Returns a run for each policy.
pub(super) fn cases() -> Vec<case::Case<Study>> {
    let case = |(called, policy): (&str, SharingPolicy)| {
        let readings = LEVELS.into_iter().flat_map(|(level, key)| {
            large::names().map(move |workload| {
                let key = format!("{key} {workload}");
                let read: Read<Outcome> = Box::new(move |o| o.numbers.get(&key).copied());
                let case = part(called, level, &workload);
                case::Reading { item: ITEM, case, metric: "part", unit: "s", read }
            })
        });
        let readings = readings.collect();
        let scenario = Study::packets(setups::large(WORKLOADS, 8), policy, SCALE);
        case::Case { name: format!("{ITEM} {called}"), scenario, readings }
    };
    RUNS.into_iter().map(case).collect()
}

fn part(called: &str, level: &str, workload: &str) -> String {
    format!("{called}, {level}: {workload}")
}

/// Returns the speedups over InfiniBand, and the excess of workloads' times over those at flow
/// level.
pub(super) fn derived(findings: &[Finding]) -> Vec<Finding> {
    let seconds = |called: &str, level: &str| -> Option<Vec<f64>> {
        let of = |workload: String| {
            let case = part(called, level, &workload);
            findings.iter().find(|f| f.item == ITEM && f.case == case).map(Finding::value)
        };
        large::names().map(of).collect()
    };
    let mut all = Vec::new();
    let mut put = |case: &str, metric: &str, unit: &str, value: f64| {
        let [item, case, metric, unit] = [ITEM, case, metric, unit].map(str::to_owned);
        all.push(Finding { item, case, metric, unit, runs: vec![value] });
    };
    for (called, _) in RUNS {
        let (Some(packets), Some(flows)) = (seconds(called, "packets"), seconds(called, "flows"))
        else {
            continue;
        };
        let over = large::ratios(&packets, &flows);
        put(called, "packets over flows", "x", large::geometric(&over));
        let Some(baseline) = seconds(BASELINE, "packets").filter(|_| called != BASELINE) else {
            continue;
        };
        let speedups = large::ratios(&baseline, &packets);
        put(called, "average speedup", "x", large::geometric(&speedups));
        let lose = speedups.iter().filter(|&&speedup| speedup < 0.99).count();
        put(called, "workloads that lose", "", lose as f64);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every workload takes 10 s as flows. As packets it takes 20 s with InfiniBand, and 16 s with Saba, or 25 s for four workloads.
    #[test]
    fn speedups_are_derived_from_packet_times() {
        let mut findings = Vec::new();
        for (called, _) in RUNS.into_iter().filter(|run| run.0 != "8 lanes, equal weights") {
            for (i, workload) in large::names().enumerate() {
                let packets = match called {
                    "Saba, 8 lanes" if i < 16 => 16.0,
                    "Saba, 8 lanes" => 25.0,
                    _ => 20.0,
                };
                for (level, seconds) in [("packets", packets), ("flows", 10.0)] {
                    findings.push(Finding {
                        item: ITEM.into(),
                        case: part(called, level, &workload),
                        metric: "part".into(),
                        unit: "s".into(),
                        runs: vec![seconds],
                    });
                }
            }
        }
        let derived = derived(&findings);
        let value = |case: &str, metric: &str| {
            derived.iter().find(|f| f.case == case && f.metric == metric).map(Finding::value)
        };
        let close = |found: Option<f64>, expected: f64| {
            assert!(found.is_some_and(|found| (found - expected).abs() < 1e-9), "{found:?}");
        };
        close(value(BASELINE, "packets over flows"), 2.0);
        assert_eq!(value(BASELINE, "average speedup"), None);
        close(value("InfiniBand without congestion control", "average speedup"), 1.0);
        // 1.25 of 16, 0.8 of 4.
        close(value("Saba, 8 lanes", "average speedup"), 1.25f64.powf(0.6));
        close(value("Saba, 8 lanes", "workloads that lose"), 4.0);
        assert_eq!(value("8 lanes, equal weights", "packets over flows"), None);
    }
}
