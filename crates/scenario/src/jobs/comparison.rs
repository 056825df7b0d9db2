//! [`Comparison`]: policies side by side, and what is to be said of them.

use super::{JobsResults, SharingPolicy};
use bandwise_units::Time;

/// The same jobs under several policies.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// By job: how long it takes with the fabric to itself; none for those that had not ended when
    /// the runs were stopped.
    pub alone: Vec<Option<Time>>,
    /// A policy each, in the order in which they were asked for.
    pub results: Vec<JobsResults>,
}

/// What a policy comes to, over all jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The mean of the slowdowns: what Saba minimises (Saba 4.3.1).
    pub mean_slowdown: f64,
    /// The largest of them.
    pub worst_slowdown: f64,
    /// The geometric mean of the speedups over the baseline: what Saba reports (Saba 4.6.1).
    pub speedup: f64,
    /// Their arithmetic mean, which flatters.
    pub arithmetic_speedup: f64,
    /// Jobs that take longer than under the baseline, by more than [`LOSS`].
    pub losers: usize,
    /// The least speedup of a job.
    pub worst_speedup: f64,
}

/// A job that takes so much longer has lost: less is the noise of rates that are no finer.
pub const LOSS: f64 = 0.01;

impl Comparison {
    /// Whether all jobs ended, alone and under all policies that were run.
    pub fn is_whole(&self) -> bool {
        self.alone.iter().all(Option::is_some) && self.results.iter().all(JobsResults::is_whole)
    }

    /// What a policy came to.
    pub fn of(&self, policy: SharingPolicy) -> Option<&JobsResults> {
        self.results.iter().find(|results| results.policy == policy)
    }

    /// By job: how many times as long as alone it took; 1 for one that takes no time.
    pub fn slowdowns(&self, results: &JobsResults) -> Vec<Option<f64>> {
        let slowdown = |(took, alone): (&Option<Time>, &Option<Time>)| {
            let (took, alone) = (took.as_ref()?.as_ps(), alone.as_ref()?.as_ps());
            Some(if alone == 0 { 1.0 } else { took as f64 / alone as f64 })
        };
        results.took.iter().zip(&self.alone).map(slowdown).collect()
    }

    /// By job: how many times as fast as under the baseline it was.
    pub fn speedups(&self, results: &JobsResults, over: &JobsResults) -> Vec<Option<f64>> {
        let speedup = |(took, over): (&Option<Time>, &Option<Time>)| {
            let (took, over) = (took.as_ref()?.as_ps(), over.as_ref()?.as_ps());
            Some(if took == 0 { 1.0 } else { over as f64 / took as f64 })
        };
        results.took.iter().zip(&over.took).map(speedup).collect()
    }

    /// What each policy comes to beside a baseline, of those under which all jobs ended.
    pub fn summaries(&self, baseline: SharingPolicy) -> Vec<(SharingPolicy, Summary)> {
        let Some(over) = self.of(baseline) else { return Vec::new() };
        let summary = |results: &JobsResults| Some((results.policy, self.summary(results, over)?));
        self.results.iter().filter_map(summary).collect()
    }

    /// What a policy comes to beside a baseline; none if jobs had not ended.
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
