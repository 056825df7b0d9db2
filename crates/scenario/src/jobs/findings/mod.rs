//! [`Findings`]: all results of a plan, computed once.

use super::conclusions;
use super::settings::{BASELINE, Settings};
use bandwise_scenario::jobs::{
    Comparison, Doubt, JobsResults, Outlook, PacketComparison, SharingPolicy, Summary,
};

/// The simulated results and the conclusions from them.
pub(super) struct Findings {
    pub(super) comparison: Comparison,
    /// The comparison with the flow level, if packets were simulated.
    pub(super) compared: Option<PacketComparison>,
    /// Saba's configuration and the predictions of models.
    pub(super) outlook: Outlook,
    /// The summary of each policy under which all jobs ended.
    pub(super) summaries: Vec<(SharingPolicy, Summary)>,
    /// The conclusions, in sentences.
    pub(super) answer: Vec<String>,
    /// Warnings about the file, and doubtful models.
    pub(super) warnings: Vec<String>,
    /// The doubtful models one by one.
    pub(super) doubts: Vec<Doubt>,
}

impl Findings {
    pub(super) fn new(
        settings: &Settings,
        comparison: Comparison,
        compared: Option<PacketComparison>,
    ) -> Findings {
        let summaries = comparison.summaries(BASELINE);
        let scenario = &settings.scenario;
        let outlook = scenario.outlook();
        let doubts = scenario.doubts(&outlook);
        let of_file = settings.warnings.iter().map(ToString::to_string);
        let left_out = settings.left_out.iter().map(|error| format!("left out: {error}"));
        let warnings = of_file.chain(left_out).chain(Doubt::texts(&doubts)).collect();
        let answer = Vec::new();
        let mut findings =
            Findings { comparison, compared, outlook, summaries, answer, warnings, doubts };
        findings.answer = conclusions::of(scenario.jobs(), &findings);
        findings
    }

    /// Returns the summary of a policy.
    pub(super) fn summary(&self, policy: SharingPolicy) -> Option<Summary> {
        self.summaries.iter().find(|of| of.0 == policy).map(|of| of.1)
    }

    /// Returns the slowdown of each job under a policy, if it was run.
    pub(super) fn slowdowns(&self, policy: SharingPolicy) -> Vec<Option<f64>> {
        match self.comparison.of(policy) {
            Some(results) => self.comparison.slowdowns(results),
            None => vec![None; self.comparison.alone.len()],
        }
    }

    /// Returns the speedup of each job over the baseline.
    pub(super) fn speedups(&self, results: &JobsResults) -> Option<Vec<Option<f64>>> {
        self.comparison.of(BASELINE).map(|over| self.comparison.speedups(results, over))
    }
}
