//! Numbers that the thesis derives from those of its figures.

use super::{large, packets};
use crate::Finding;
use bandwise_stats::Percentile;
use bandwise_workload::job::WORKLOADS;

/// Policies whose setups are combined, with their suffix in findings.
const POLICIES: [(&str, &str); 5] = [
    ("saba", ""),
    ("saba-no-floor", ", saba-no-floor"),
    ("equal-weights", ", equal-weights"),
    ("fair-jobs", ", fair-jobs"),
    ("smallest-first", ", smallest-first"),
];

/// Returns all findings: sums of parts, and the smallest and the largest value where the text
/// states them.
pub(super) fn with_derived(mut findings: Vec<Finding>) -> Vec<Finding> {
    let mut derived = extremes(&findings);
    derived.extend(clusters(&findings));
    derived.extend(large::derived(&findings));
    derived.extend(packets::derived(&findings));
    findings.retain(|f| f.metric != "part" && f.item != "fig4.14");
    findings.extend(derived);
    findings
}

fn finding(item: &str, case: impl Into<String>, metric: &str, unit: &str, value: f64) -> Finding {
    let [item, metric, unit] = [item, metric, unit].map(str::to_owned);
    Finding { item, case: case.into(), metric, unit, runs: vec![value] }
}

/// Returns the values of an item whose case satisfies `is`.
fn of<'a>(
    findings: &'a [Finding],
    item: &'a str,
    is: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = f64> + 'a {
    findings.iter().filter(move |f| f.item == item && is(&f.case)).map(Finding::value)
}

fn least(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.min_by(f64::total_cmp)
}

fn most(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.max_by(f64::total_cmp)
}

/// Returns the smallest, the largest and the average value over workloads.
fn extremes(findings: &[Finding]) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut put = |item, case: &str, metric, unit, value: Option<f64>| {
        all.extend(value.map(|value| finding(item, case, metric, unit, value)));
    };
    let quarter = || of(findings, "fig3.1", |case| case.ends_with("at 25%"));
    let count = quarter().count();
    let average = (count > 0).then(|| quarter().sum::<f64>() / count as f64);
    put("fig3.1", "ten workloads at 25%", "average slowdown", "x", average);
    put("fig3.1", "ten workloads at 25%: least", "slowdown", "x", least(quarter()));
    put("fig3.1", "ten workloads at 25%: most", "slowdown", "x", most(quarter()));
    for name in ["LR", "TS"] {
        let at = |percent: &str| {
            let case = format!("{name} at {percent}%");
            of(findings, "fig3.3", move |c| c == case).next()
        };
        let ratio = at("25").zip(at("75")).map(|(quarter, most)| quarter / most);
        put("fig3.3", &format!("{name}: 25% over 75%"), "completion time", "x", ratio);
    }
    let linear = of(findings, "fig4.4", |case| case.ends_with("k=1"));
    put("fig4.4", "k=1: least of the workloads", "R2", "", least(linear));
    let data = of(findings, "fig4.5", |case| !case.ends_with(" 1x"));
    put("fig4.5", "0.1x and 10x: least of the workloads", "R2", "", least(data));
    let few = of(findings, "fig4.6", |case| !case.ends_with(" 4x nodes"));
    put("fig4.6", "0.5x to 3x nodes: least of the workloads", "R2", "", least(few));
    let many = || of(findings, "fig4.6", |case| case.ends_with(" 4x nodes"));
    let above = (many().count() > 0).then(|| many().filter(|&r2| r2 >= 0.5).count() as f64);
    put("fig4.6", "4x nodes: workloads above 0.5", "workloads", "", above);
    all
}

/// Returns the findings of figures 4.13 and 4.14, from the sums of each setup.
fn clusters(findings: &[Finding]) -> Vec<Finding> {
    let part = |case: &str| {
        let found = findings.iter().find(|f| f.metric == "part" && f.case == case)?;
        Some(found.runs.iter().sum::<f64>())
    };
    let mut all = Vec::new();
    for (policy, called) in POLICIES {
        let mut sums = (0.0, 0.0);
        for name in WORKLOADS {
            let (log, count) =
                (part(&format!("{policy} log {name}")), part(&format!("{policy} count {name}")));
            let Some((log, count)) = log.zip(count).filter(|&(_, count)| count > 0.0) else {
                continue;
            };
            sums = (sums.0 + log / count, sums.1 + 1.0);
            let value = (log / count).exp();
            all.push(finding("fig4.13", format!("{name}{called}"), "speedup", "x", value));
        }
        if sums.1 > 0.0 {
            // "the average speedup reports the geometric mean" (4.6.1), here of workloads.
            let value = (sums.0 / sums.1).exp();
            let case = format!("ten workloads{called}");
            all.push(finding("fig4.13", case, "average speedup", "x", value));
        }
        let is_over = |f: &&Finding| f.case == format!("{policy} over") && f.metric == "part";
        if let Some(over) = findings.iter().find(is_over) {
            let case = format!("cluster setups{called}, over blocking");
            all.push(finding("fig4.14", case, "average speedup", "x", over.value()));
        }
        let lose = part(&format!("{policy} jobs that lose")).zip(part(&format!("{policy} jobs")));
        if let Some((lose, jobs)) = lose {
            let case = format!("all jobs{called}");
            all.push(finding("fig4.13", case, "jobs that lose", "%", 100.0 * lose / jobs));
        }
        let of_setups = |f: &&Finding| f.item == "fig4.14" && f.case == policy;
        if let Some(setups) = findings.iter().find(of_setups) {
            let case = |what: &str| format!("cluster setups{called}{what}");
            let slower = setups.runs.iter().filter(|&&speedup| speedup < 1.0).count() as f64;
            let mut runs = setups.runs.clone();
            runs.sort_by(f64::total_cmp);
            all.push(finding("fig4.14", case(": least"), "average speedup", "x", setups.least()));
            all.push(finding("fig4.14", case(": most"), "average speedup", "x", setups.most()));
            let median = Percentile::MEDIAN.of_sorted(&runs).expect("a finding has runs");
            all.push(finding("fig4.14", case(": median"), "average speedup", "x", median));
            all.push(finding("fig4.14", case(""), "setups that are slower", "", slower));
            all.push(finding("fig4.14", case(""), "setups", "", runs.len() as f64));
        }
    }
    all
}
