//! Lookup and comparison of findings, run by run: runs of one seed have the same flows.

use super::names::over;
use crate::Finding;

#[derive(Clone, Copy)]
pub(super) struct Found<'a>(pub &'a [Finding]);

impl<'a> Found<'a> {
    pub(super) fn of(self, item: &str, case: &str, metric: &str) -> Option<&'a Finding> {
        Finding::find(self.0, item, case, metric)
    }

    /// Returns the ratio to the other case, by run.
    pub(super) fn ratio(
        self,
        item: &str,
        one: &str,
        other: &str,
        metric: &str,
    ) -> Option<Vec<f64>> {
        let (one, other) = (self.of(item, one, metric)?, self.of(item, other, metric)?);
        Some(one.runs.iter().zip(&other.runs).map(|(one, other)| one / other).collect())
    }

    /// Returns the ratio as a finding of the item.
    pub(super) fn compared(
        self,
        item: &str,
        one: &str,
        other: &str,
        metric: &str,
    ) -> Option<Finding> {
        let runs = self.ratio(item, one, other, metric)?;
        Some(finding(item, over(one, other), metric, "x", runs))
    }
}

pub(super) fn finding(
    item: &str,
    case: impl Into<String>,
    metric: &str,
    unit: &str,
    runs: Vec<f64>,
) -> Finding {
    let [item, metric, unit] = [item, metric, unit].map(str::to_owned);
    Finding { item, case: case.into(), metric, unit, runs }
}

/// Returns the average of runs.
pub(super) fn average(runs: &[f64]) -> f64 {
    runs.iter().sum::<f64>() / runs.len() as f64
}
