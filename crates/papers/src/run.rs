//! [`run()`]: the run of a paper, with its findings beside the published values.

use crate::collect::Collected;
use crate::finding::Finding;
use crate::options::{Observer, Options, PaperError};
use crate::paper::Paper;
use crate::published::{Published, Value};
use bandwise_report::model::Row;
use bandwise_scenario::Effort;

/// The results of a paper.
#[derive(Debug, Clone)]
pub struct PaperResults {
    /// All numbers, in the paper's order.
    pub findings: Vec<Finding>,
    /// Numbers beside the published values.
    pub rows: Vec<Row>,
    /// Work of all runs.
    pub effort: Effort,
    /// Number of finished runs.
    pub runs: usize,
    /// Cases that the observer stopped.
    pub unfinished: Vec<String>,
}

/// Runs a paper, or an item of it.
///
/// # Errors
///
/// Returns an error if the paper has no such item, or if a run can't complete.
///
/// # Panics
///
/// Panics if the published values of the paper are no CSV, which tests rule out.
pub fn run(
    paper: &'static Paper,
    options: &Options,
    observer: &impl Observer,
) -> Result<PaperResults, PaperError> {
    if let Some(item) = &options.item
        && !paper.items.iter().any(|(name, _)| name == item)
    {
        let allowed: Vec<&str> = paper.items.iter().map(|(name, _)| *name).collect();
        let allowed = allowed.join(", ");
        return Err(PaperError::Item { paper: paper.name, item: item.clone(), allowed });
    }
    let Collected { findings, effort, runs, unfinished } = (paper.collect)(options, observer)?;
    let published = Published::parse(paper.published).expect("tested for every paper");
    let mut findings = (paper.derived)(findings);
    order(paper, &mut findings);
    let rows = rows(paper, &findings, &published);
    Ok(PaperResults { findings, rows, effort, runs, unfinished })
}

/// Sorts findings by the paper's items; those of one item keep their order.
fn order(paper: &Paper, findings: &mut [Finding]) {
    let rank = |f: &Finding| paper.items.iter().position(|(item, _)| *item == f.item);
    findings.sort_by_key(rank);
}

fn rows(paper: &Paper, findings: &[Finding], published: &Published) -> Vec<Row> {
    findings
        .iter()
        .map(|f| {
            let value = published.find(&f.item, &f.case, &f.metric, &f.unit);
            let tolerance = value.filter(|v| v.bound.is_none()).map(paper.tolerance);
            let agrees = value.map(|v| v.agrees(f.value(), tolerance.unwrap_or_default()));
            let spread = paper.tells_spread && f.runs.len() > 1;
            Row {
                paper: paper.name.to_owned(),
                item: f.item.clone(),
                case: f.case.clone(),
                metric: f.metric.clone(),
                unit: f.unit.clone(),
                published: value.map(|v| v.value),
                measured: f.value(),
                spread: spread.then(|| (f.least(), f.most())),
                tolerance,
                agrees,
                bound: value.and_then(|v| v.bound),
                by_floor: tolerance
                    .zip(value)
                    .is_some_and(|(t, v)| v.agrees_by_floor(f.value(), t)),
                dependence: value.and_then(Value::dependence),
            }
        })
        .collect()
}
