//! Running a paper's cases in parallel and collecting what they found. The order of cases and
//! seeds decides the order of results, not who finished first.

use crate::experiment::{Cases, Effort, Experiment};
use crate::{Paper, published::Published};
use bandwise_report::model::Row;
use bandwise_units::Time;

/// How to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only this item.
    pub item: Option<String>,
    /// Fewer samples and one run instead of three.
    pub quick: bool,
    /// What all runs' seeds are made from.
    pub seed: u64,
    /// Threads; 0 for one a core.
    pub threads: usize,
}

/// A run that items take numbers from.
#[derive(Debug)]
pub struct Case<E: Experiment> {
    /// For progress.
    pub name: String,
    /// What is run; once for each seed.
    pub scenario: E,
    /// The numbers taken from it.
    pub readings: Vec<Reading<E::Results>>,
}

/// A number taken from a run.
pub struct Reading<R> {
    /// The item it belongs to.
    pub item: &'static str,
    /// The item's case.
    pub case: String,
    /// The number's name.
    pub metric: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// How it comes out of the results.
    pub read: Read<R>,
}

/// Takes a number out of results; `None` if it is not in them.
pub type Read<R> = Box<dyn Fn(&R) -> Option<f64> + Send + Sync>;

impl<R> std::fmt::Debug for Reading<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.item, self.case, self.metric)
    }
}

/// A number found: the average over the runs, and their range.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The item.
    pub item: String,
    /// The item's case.
    pub case: String,
    /// The number's name.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Of each run, in the order of seeds.
    pub runs: Vec<f64>,
}

impl Finding {
    /// Average over the runs.
    pub fn value(&self) -> f64 {
        self.runs.iter().sum::<f64>() / self.runs.len() as f64
    }

    /// Least of the runs.
    pub fn least(&self) -> f64 {
        self.runs.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Greatest of the runs.
    pub fn most(&self) -> f64 {
        self.runs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// What came out.
#[derive(Debug, Clone)]
pub struct PaperResults {
    /// Every number, in the paper's order.
    pub findings: Vec<Finding>,
    /// The same beside the published ones.
    pub rows: Vec<Row>,
    /// What the simulator counted over all runs.
    pub effort: Effort,
    /// Simulated time over all runs.
    pub simulated: Time,
    /// How many runs were finished.
    pub runs: usize,
    /// Cases that were not finished because somebody asked to stop.
    pub unfinished: Vec<String>,
}

/// Why a paper could not be run.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// There is no such item.
    #[error("paper {paper} has no item {item:?} (allowed: {allowed})")]
    Item {
        /// The paper.
        paper: &'static str,
        /// What was asked for.
        item: String,
        /// What there is.
        allowed: String,
    },
    /// A case can't be run, or not to its end: the scenario is wrong.
    #[error("{case}: {reason}")]
    Run {
        /// The case.
        case: String,
        /// Why.
        reason: String,
    },
}

/// Who is told how far things are, and may stop them. Called from many threads.
pub trait Observer: Sync {
    /// So many runs are to be done.
    fn begin(&self, _runs: usize) {}
    /// One of them is done.
    fn done(&self, _case: &str) {}
    /// Whether to stop now; what is finished is kept.
    fn stop(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// Runs a paper, or an item of it.
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
    let found = match paper.cases {
        Cases::Rperf(cases) => collect(cases(options), options, observer)?,
        Cases::Network(cases) => collect(cases(options), options, observer)?,
        Cases::Saba(cases) => collect(cases(options), options, observer)?,
        Cases::Isolation(cases) => collect(cases(options), options, observer)?,
    };
    let Found { findings, effort, simulated, runs, unfinished } = found;
    let published = Published::parse(paper.published).expect("tested for every paper");
    let mut findings = (paper.derived)(findings);
    order(paper, &mut findings);
    let rows = rows(paper, &findings, &published);
    Ok(PaperResults { findings, rows, effort, simulated, runs, unfinished })
}

/// What the cases gave.
struct Found {
    findings: Vec<Finding>,
    effort: Effort,
    simulated: Time,
    runs: usize,
    unfinished: Vec<String>,
}

/// Runs all cases and reads their numbers.
fn collect<E: Experiment>(
    mut cases: Vec<Case<E>>,
    options: &Options,
    observer: &impl Observer,
) -> Result<Found, PaperError> {
    let wanted =
        |reading: &Reading<E::Results>| options.item.as_ref().is_none_or(|i| i == reading.item);
    cases.retain(|case| case.readings.iter().any(wanted));
    let seeds = |case: &Case<E>| 0..case.scenario.runs(options.quick);
    let jobs: Vec<(&Case<E>, u64)> =
        cases.iter().flat_map(|case| seeds(case).map(move |seed| (case, seed))).collect();
    observer.begin(jobs.len());
    let outcomes = bandwise_threads::in_order(options.threads, &jobs, |&(case, run)| {
        let stop = || observer.stop();
        let result = case.scenario.run_once(options.seed.wrapping_add(run), &stop);
        let result =
            result.map_err(|reason| PaperError::Run { case: case.name.clone(), reason })?;
        observer.done(&case.name);
        Ok(result)
    })?;

    let (mut effort, mut simulated, mut runs) = (Effort::default(), Time::ZERO, 0);
    for results in outcomes.iter().flatten() {
        runs += 1;
        effort.add(E::effort(results));
        simulated += E::simulated(results);
    }
    let mut findings = Vec::new();
    let mut unfinished = Vec::new();
    let mut rest = outcomes.as_slice();
    for case in &cases {
        let (runs, others) = rest.split_at(seeds(case).count());
        rest = others;
        let finished: Vec<&E::Results> = runs.iter().flatten().collect();
        if finished.len() < runs.len() {
            unfinished.push(case.name.clone());
            continue;
        }
        for reading in case.readings.iter().filter(|r| wanted(r)) {
            findings.extend(finding(reading, &finished));
        }
    }
    Ok(Found { findings, effort, simulated, runs, unfinished })
}

fn finding<R>(reading: &Reading<R>, runs: &[&R]) -> Option<Finding> {
    let values: Option<Vec<f64>> = runs.iter().map(|r| (reading.read)(r)).collect();
    Some(Finding {
        item: reading.item.to_owned(),
        case: reading.case.clone(),
        metric: reading.metric.to_owned(),
        unit: reading.unit.to_owned(),
        runs: values.filter(|v| !v.is_empty())?,
    })
}

/// Puts findings in the order of the paper's items; within one they keep theirs.
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
            }
        })
        .collect()
}
