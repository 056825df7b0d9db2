//! [`Findings`]: all that a plan tells, worked out once.

use super::conclusions;
use super::settings::{BASELINE, Settings};
use bandwise_scenario::jobs::{
    Comparison, Doubt, JobsResults, Outlook, PacketComparison, SharingPolicy, Summary,
};

/// What was simulated, and what is made of it.
pub(super) struct Findings {
    pub(super) comparison: Comparison,
    /// The same beside the flow level, if packets were simulated.
    pub(super) compared: Option<PacketComparison>,
    /// What Saba configures, and what models say of it.
    pub(super) outlook: Outlook,
    /// Of each policy under which all jobs ended.
    pub(super) summaries: Vec<(SharingPolicy, Summary)>,
    /// What to do, in a sentence or two.
    pub(super) answer: Vec<String>,
    /// What is allowed but most likely not meant, and models that are doubtful here.
    pub(super) warnings: Vec<String>,
    /// The latter one by one.
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
        let said = settings.warnings.iter().map(ToString::to_string);
        let left_out = settings.left_out.iter().map(|error| format!("left out: {error}"));
        let warnings = said.chain(left_out).chain(Doubt::told(&doubts)).collect();
        let answer = Vec::new();
        let mut findings =
            Findings { comparison, compared, outlook, summaries, answer, warnings, doubts };
        findings.answer = conclusions::of(scenario.jobs(), &findings);
        findings
    }

    /// What a policy came to.
    pub(super) fn summary(&self, policy: SharingPolicy) -> Option<Summary> {
        self.summaries.iter().find(|of| of.0 == policy).map(|of| of.1)
    }

    /// By job: how many times as long as alone it took under a policy, if that was run.
    pub(super) fn slowdowns(&self, policy: SharingPolicy) -> Vec<Option<f64>> {
        match self.comparison.of(policy) {
            Some(results) => self.comparison.slowdowns(results),
            None => vec![None; self.comparison.alone.len()],
        }
    }

    /// By job: how many times as fast as under the baseline it was.
    pub(super) fn speedups(&self, results: &JobsResults) -> Option<Vec<Option<f64>>> {
        self.comparison.of(BASELINE).map(|over| self.comparison.speedups(results, over))
    }
}
