//! Lookup of findings, and the ratios that the slides derive from their measurements.

use super::cases::{ELEPHANTS, MICE};
use crate::Finding;

#[derive(Clone, Copy)]
pub(super) struct Found<'a>(pub(super) &'a [Finding]);

impl Found<'_> {
    pub(super) fn of(self, item: &str, case: &str, metric: &str) -> Option<f64> {
        Finding::find(self.0, item, case, metric).map(Finding::value)
    }

    /// Returns the ratio of a number beside another flow to the number alone.
    pub(super) fn ratio(self, pair: &Pair, metric: &str) -> Option<f64> {
        let of = |case: &str| self.of(pair.item, case, metric);
        Some(of(&pair.beside)? / of(&pair.alone)?)
    }
}

/// A case with a small flow alone, and the same case beside another flow.
pub(super) struct Pair {
    pub(super) item: &'static str,
    pub(super) called: String,
    /// The case without another flow.
    pub(super) alone: String,
    /// The case with another flow.
    pub(super) beside: String,
}

/// Returns the pairs of a mouse beside a mouse.
pub(super) fn beside_mice(item: &'static str) -> Vec<Pair> {
    let pair = |(other, _)| Pair {
        item,
        called: format!("10 B beside {other} over alone"),
        alone: "10 B alone".into(),
        beside: format!("10 B beside {other}"),
    };
    MICE.into_iter().map(pair).collect()
}

/// Returns the pairs of a mouse beside an elephant.
pub(super) fn beside_elephants(item: &'static str) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (mouse, _) in MICE {
        pairs.extend(ELEPHANTS.map(|(elephant, _)| Pair {
            item,
            called: format!("{mouse} beside {elephant} over alone"),
            alone: format!("{mouse} alone"),
            beside: format!("{mouse} beside {elephant}"),
        }));
    }
    pairs
}

/// Returns the pairs of the store beside an elephant.
pub(super) fn stores() -> Vec<Pair> {
    let pair = |(elephant, _)| Pair {
        item: "kv",
        called: format!("beside {elephant} over alone"),
        alone: "alone".into(),
        beside: format!("beside {elephant}"),
    };
    ELEPHANTS.into_iter().map(pair).collect()
}

/// Returns all findings, with the ratios of small messages' latencies beside other flows and alone.
pub(super) fn with_derived(mut findings: Vec<Finding>) -> Vec<Finding> {
    let found = Found(&findings);
    let mut derived = Vec::new();
    for metric in ["latency p50", "latency p99.9"] {
        let times = |pair: &Pair| Some(finding(pair, metric, found.ratio(pair, metric)?));
        let mice = [beside_mice("mice"), beside_mice("edr")];
        derived.extend(mice.iter().flatten().filter_map(times));
        for pairs in [beside_elephants("mouse-elephant"), beside_elephants("edr"), stores()] {
            let of_pairs: Vec<Finding> = pairs.iter().filter_map(times).collect();
            let most = of_pairs.iter().max_by(|a, b| a.value().total_cmp(&b.value()));
            let case = "beside an elephant over alone: most".to_owned();
            let most = most.map(|most| Finding { case, ..most.clone() });
            derived.extend(of_pairs.into_iter().chain(most));
        }
    }
    findings.extend(derived);
    findings
}

fn finding(pair: &Pair, metric: &str, value: f64) -> Finding {
    Finding {
        item: pair.item.to_owned(),
        case: pair.called.clone(),
        metric: metric.to_owned(),
        unit: "x".to_owned(),
        runs: vec![value],
    }
}
