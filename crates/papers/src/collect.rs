//! [`collect`]: runs of all cases in parallel, and the numbers of their results. The order of cases and
//! seeds decides the order of findings.

use crate::case::{Case, Reading};
use crate::finding::Finding;
use crate::options::{Observer, Options, PaperError};
use crate::repeated::{Repeated, ResultsOf};
use bandwise_netsim::engine::Sequential;
use bandwise_scenario::{Effort, Experiment, Stop};
use std::ops::ControlFlow;

/// The findings of all cases.
#[derive(Debug)]
pub struct Collected {
    /// Numbers, in the order of cases.
    pub findings: Vec<Finding>,
    /// Work of all runs.
    pub effort: Effort,
    /// Number of finished runs.
    pub runs: usize,
    /// Cases of which a run was interrupted.
    pub unfinished: Vec<String>,
}

/// Runs all cases of the selected items, and reads their numbers.
///
/// # Errors
///
/// Returns an error if a case is impossible, or if a run can't complete.
pub(crate) fn collect<S: Repeated>(
    mut cases: Vec<Case<S>>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Collected, PaperError> {
    let wanted =
        |reading: &Reading<ResultsOf<S>>| options.item.as_ref().is_none_or(|i| i == reading.item);
    cases.retain(|case| case.readings.iter().any(wanted));
    let seeds = |case: &Case<S>| 0..case.scenario.runs(options.quick);
    let jobs: Vec<(&Case<S>, u64)> =
        cases.iter().flat_map(|case| seeds(case).map(move |seed| (case, seed))).collect();
    observer.begin(jobs.len());
    let outcomes = bandwise_threads::in_order(options.threads, &jobs, |&(case, run)| {
        let result = once(&case.scenario, options.seed.wrapping_add(run), observer);
        let result =
            result.map_err(|reason| PaperError::Run { case: case.name.clone(), reason })?;
        observer.done(&case.name);
        Ok(result)
    })?;

    let (mut effort, mut runs) = (Effort::default(), 0);
    for results in outcomes.iter().flatten() {
        runs += 1;
        effort.add(S::Experiment::effort(results));
    }
    let mut findings = Vec::new();
    let mut unfinished = Vec::new();
    let mut rest = outcomes.as_slice();
    for case in &cases {
        let (runs, others) = rest.split_at(seeds(case).count());
        rest = others;
        let finished: Vec<&ResultsOf<S>> = runs.iter().flatten().collect();
        if finished.len() < runs.len() {
            unfinished.push(case.name.clone());
            continue;
        }
        for reading in case.readings.iter().filter(|r| wanted(r)) {
            findings.extend(finding(reading, &finished));
        }
    }
    Ok(Collected { findings, effort, runs, unfinished })
}

/// Runs an experiment once. Returns `None` if the observer stops the run, and the reason as an
/// error if the run can't complete.
fn once<S: Repeated>(
    study: &S,
    seed: u64,
    observer: &dyn Observer,
) -> Result<Option<ResultsOf<S>>, String> {
    // To build a network for a run takes some time, and there may be hundreds of runs.
    if observer.stop() {
        return Ok(None);
    }
    let experiment = study.with_seed(seed)?;
    let results = experiment.conduct(&Sequential, &mut |_| match observer.stop() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    match S::Experiment::stop(&results) {
        Stop::Complete | Stop::Limit => Ok(Some(results)),
        Stop::Interrupted => Ok(None),
        Stop::Stuck => Err("no event is pending, and the run is not complete".to_owned()),
        Stop::Deadlock(_) => Err("deadlock: ports wait for each other forever".to_owned()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_netsim::engine::Executor;
    use bandwise_scenario::Watch;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// A study that counts its runs.
    static BUILT: AtomicUsize = AtomicUsize::new(0);
    struct Study;

    impl Repeated for Study {
        type Experiment = Study;

        fn with_seed(&self, _: u64) -> Result<Study, String> {
            BUILT.fetch_add(1, Relaxed);
            Ok(Study)
        }
    }

    impl Experiment for Study {
        type Results = ();

        fn conduct(&self, _: &impl Executor, _: Watch<'_>) {}
        fn stop((): &()) -> Stop {
            Stop::Complete
        }
        fn effort((): &()) -> Effort {
            Effort::default()
        }
    }

    /// Stops after the first run.
    struct Impatient(AtomicUsize);

    impl Observer for Impatient {
        fn done(&self, _: &str) {
            self.0.fetch_add(1, Relaxed);
        }
        fn stop(&self) -> bool {
            self.0.load(Relaxed) > 0
        }
    }

    #[test]
    fn no_run_is_built_after_a_stop() {
        let read = |(): &()| Some(1.0);
        let case = |name: &str| Case {
            name: name.to_owned(),
            scenario: Study,
            readings: vec![Reading {
                item: "item",
                case: name.to_owned(),
                metric: "metric",
                unit: "",
                read: Box::new(read),
            }],
        };
        let cases = ["a", "b", "c"].map(case).into();
        let options = Options { item: None, quick: true, seed: 1, threads: 1 };
        let found = collect(cases, &options, &Impatient(AtomicUsize::new(0))).unwrap();
        assert_eq!(BUILT.load(Relaxed), 1);
        assert_eq!((found.runs, found.unfinished.as_slice()), (1, &["b".into(), "c".into()][..]));
    }
}
