//! [`Comparison`]: policies side by side, and their summaries.

use super::{JobsResults, SharingPolicy};
use bandwise_units::Time;

/// The results of one scenario's jobs under several policies.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Duration of each job with the fabric to itself; `None` for a job that had not ended when the
    /// runs were stopped.
    pub alone: Vec<Option<Time>>,
    /// Results of the policies, in the order of the experiment.
    pub results: Vec<JobsResults>,
}

/// The summary of a policy over all jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Mean of the slowdowns, which Saba minimises (Saba 4.3.1).
    pub mean_slowdown: f64,
    /// Largest slowdown.
    pub worst_slowdown: f64,
    /// Geometric mean of the speedups over the baseline, which Saba reports (Saba 4.6.1).
    pub speedup: f64,
    /// Arithmetic mean of the speedups, which favours large ones.
    pub arithmetic_speedup: f64,
    /// Number of jobs that take longer than under the baseline by more than [`LOSS`].
    pub losers: usize,
    /// Smallest speedup of a job.
    pub worst_speedup: f64,
}

/// Excess of a job's duration over the baseline that counts as a loss, as a fraction. Smaller
/// differences are noise of the calculated rates.
pub const LOSS: f64 = 0.01;

impl Comparison {
    /// Returns whether all jobs ended, alone and under all policies.
    pub fn is_whole(&self) -> bool {
        self.alone.iter().all(Option::is_some) && self.results.iter().all(JobsResults::is_whole)
    }

    /// Returns the results of a policy.
    pub fn of(&self, policy: SharingPolicy) -> Option<&JobsResults> {
        self.results.iter().find(|results| results.policy == policy)
    }

    /// Returns the duration of each job over its duration alone; 1 for a job that takes no time.
    pub fn slowdowns(&self, results: &JobsResults) -> Vec<Option<f64>> {
        let slowdown = |(took, alone): (&Option<Time>, &Option<Time>)| {
            let (took, alone) = (took.as_ref()?.as_ps(), alone.as_ref()?.as_ps());
            Some(if alone == 0 { 1.0 } else { took as f64 / alone as f64 })
        };
        results.took.iter().zip(&self.alone).map(slowdown).collect()
    }

    /// Returns the speedup of each job over the baseline.
    pub fn speedups(&self, results: &JobsResults, over: &JobsResults) -> Vec<Option<f64>> {
        let speedup = |(took, over): (&Option<Time>, &Option<Time>)| {
            let (took, over) = (took.as_ref()?.as_ps(), over.as_ref()?.as_ps());
            Some(if took == 0 { 1.0 } else { over as f64 / took as f64 })
        };
        results.took.iter().zip(&over.took).map(speedup).collect()
    }

    /// Returns the summary of each policy under which all jobs ended, beside a baseline.
    pub fn summaries(&self, baseline: SharingPolicy) -> Vec<(SharingPolicy, Summary)> {
        let Some(over) = self.of(baseline) else { return Vec::new() };
        let summary = |results: &JobsResults| Some((results.policy, self.summary(results, over)?));
        self.results.iter().filter_map(summary).collect()
    }

    /// Returns the summary of a policy beside a baseline; `None` if a job had not ended.
    pub fn summary(&self, results: &JobsResults, over: &JobsResults) -> Option<Summary> {
        let slowdowns: Vec<f64> = self.slowdowns(results).into_iter().collect::<Option<_>>()?;
        let speedups: Vec<f64> = self.speedups(results, over).into_iter().collect::<Option<_>>()?;
        let jobs = slowdowns.len() as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / jobs;
        let logs: Vec<f64> = speedups.iter().map(|&speedup| libm::log(speedup)).collect();
        Some(Summary {
            mean_slowdown: mean(&slowdowns),
            worst_slowdown: slowdowns.iter().copied().fold(0.0, f64::max),
            speedup: libm::exp(mean(&logs)),
            arithmetic_speedup: mean(&speedups),
            losers: speedups.iter().filter(|&&speedup| speedup < 1.0 - LOSS).count(),
            worst_speedup: speedups.iter().copied().fold(f64::INFINITY, f64::min),
        })
    }
}
