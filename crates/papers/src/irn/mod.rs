//! "Revisiting Network Support for RDMA" (SIGCOMM 2018, extended version): figures 1 to 12, the
//! text of section 4 and tables 3 to 9. The scenarios are in `papers/irn/*.toml`.

mod answer;
mod cases;
mod claims;
mod derived;
mod figures;
mod found;
mod items;
mod names;
mod studies;
mod summary;

use crate::collect::collect;
use crate::paper::Paper;
use crate::published::Value;
use items::ITEMS;

/// The paper.
pub const PAPER: Paper = Paper {
    name: "irn",
    title: "Revisiting Network Support for RDMA (Mittal, Shpiner, Panda, Zahavi, Krishnamurthy, \
            Ratnasamy, Shenker, SIGCOMM 2018)",
    question: "Does RDMA need a lossless network?",
    items: ITEMS,
    scenarios: studies::FILES,
    rule: "A ratio of tables 3 to 9 agrees within 0.15, a percentage within 5 points, any other \
           number within 15%. Where the paper gives a range, our least and our most have to lie in \
           it, without any tolerance.",
    published: include_str!("../../../../papers/irn/published.csv"),
    collect: |options, observer| collect(cases::cases(options), options, observer),
    derived: derived::with_derived,
    tells_spread: true,
    figures: figures::figures,
    tolerance,
    answer: answer::answer,
    claims: claims::claims,
    tables: |_| Vec::new(),
    tabled: &[],
    summary: summary::summary,
};

/// Returns the largest difference that agrees, as a fraction of the published value.
fn tolerance(value: &Value) -> f64 {
    match &*value.unit {
        "x" if names::is_ratio(&value.case) => 0.15 / value.value,
        "%" => 5.0 / value.value,
        _ => 0.15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::Published;
    use crate::{Finding, Holds, Options};

    fn options() -> Options {
        Options { item: None, quick: true, seed: 1, threads: 1 }
    }

    /// Returns the findings if every reading gives a number.
    fn findings() -> Vec<Finding> {
        let cases = cases::cases(&options());
        let readings = cases.iter().flat_map(|case| &case.readings);
        let findings = readings.map(|reading| Finding {
            item: reading.item.to_owned(),
            case: reading.case.clone(),
            metric: reading.metric.to_owned(),
            unit: reading.unit.to_owned(),
            runs: vec![1.0, 2.0],
        });
        derived::with_derived(findings.collect())
    }

    #[test]
    fn every_published_value_has_a_measured_one() {
        let findings = findings();
        let all = Published::parse(PAPER.published).unwrap();
        let is_found = |v: &&Value| {
            let key = (&v.item, &v.case, &v.metric, &v.unit);
            findings.iter().any(|f| (&f.item, &f.case, &f.metric, &f.unit) == key)
        };
        let missing: Vec<&Value> = all.values().iter().filter(|v| !is_found(v)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }

    #[test]
    fn findings_are_distinct_and_cover_every_item() {
        let findings = findings();
        for (i, f) in findings.iter().enumerate() {
            let same = |other: &Finding| {
                (&other.item, &other.case, &other.metric) == (&f.item, &f.case, &f.metric)
            };
            assert!(!findings[..i].iter().any(same), "{f:?}");
        }
        for (item, _) in PAPER.items {
            assert!(findings.iter().any(|f| f.item == *item), "{item}");
        }
    }

    /// The default case is part of all tables and most figures.
    #[test]
    fn shared_scenario_runs_once() {
        let cases = cases::cases(&options());
        let default = cases.iter().find(|case| case.name == "basic IRN").unwrap();
        let mut items: Vec<&str> = default.readings.iter().map(|reading| reading.item).collect();
        items.dedup();
        for item in ["fig1", "fig2", "fig7", "fig8", "fig12", "table3", "table4", "table9"] {
            assert!(items.contains(&item), "{item}");
        }
        let points: usize = studies::FILES
            .iter()
            .map(|(name, _)| studies::points(name.strip_suffix(".toml").unwrap(), true).len())
            .sum();
        assert!(points > cases.len() + 60, "{points} points, {} cases", cases.len());
    }

    #[test]
    fn ratios_compare_runs_with_the_same_flows() {
        let of = |case: &str, runs: Vec<f64>| found::finding("table3", case, "99% FCT", "s", runs);
        let findings = vec![
            of("load 30% IRN+DCQCN", vec![1.0, 6.0]),
            of("load 30% RoCE+PFC+DCQCN", vec![2.0, 6.0]),
            of("load 50% IRN+DCQCN", vec![1.0, 1.0]),
        ];
        let all = derived::with_derived(findings);
        let ratio = |f: &&Finding| f.case == "load 30% IRN+DCQCN over RoCE+PFC+DCQCN";
        let ratio = all.iter().find(ratio).unwrap();
        assert_eq!((ratio.runs.clone(), ratio.value()), (vec![0.5, 1.0], 0.75));
        // The tables do not tell of the others by themselves.
        let cases: Vec<&str> = all.iter().map(|f| &*f.case).collect();
        assert_eq!(cases, ["load 30% IRN+DCQCN", "load 50% IRN+DCQCN", &ratio.case]);
    }

    #[test]
    fn claims_are_decided_by_their_numbers() {
        let found = |roce: f64| {
            let of =
                |item, case, value| found::finding(item, case, "average FCT", "x", vec![value]);
            let findings = [of("fig1", "RoCE+PFC over IRN", roce)];
            claims::claims(&findings).remove(0)
        };
        assert_eq!((found(1.5).holds, found(0.9).holds), (Holds::Yes, Holds::No));
        assert!(found(0.9).numbers.contains("0.90 to 0.90"));
        assert!(claims::claims(&[]).is_empty());
    }
}
