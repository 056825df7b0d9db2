//! [`Findings`]: the results of a plan, with their summaries and conclusions.

mod conclusions;
mod gain;
mod verdict;

use super::{
    Comparison, Doubt, JobsResults, JobsScenario, Outlook, PacketComparison, SharingPolicy, Summary,
};
pub use gain::Gain;
use gain::summary;
pub use verdict::Verdict;

/// The policy that others are compared with.
pub const BASELINE: SharingPolicy = SharingPolicy::FairFlows;

/// The simulated results of a plan, and the conclusions from them.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The results under each policy.
    pub comparison: Comparison,
    /// The comparison with the flow level, if packets were simulated.
    pub compared: Option<PacketComparison>,
    /// Saba's configuration and the predictions of models.
    pub outlook: Outlook,
    /// The summary of each policy under which all jobs ended, beside [`BASELINE`].
    pub summaries: Vec<(SharingPolicy, Summary)>,
    /// The parts of the gains of Saba's policies that were run.
    pub gains: Vec<Gain>,
    /// The doubtful models.
    pub doubts: Vec<Doubt>,
    /// The policies that were run and that switches can carry out.
    pub deployable: Vec<SharingPolicy>,
    /// The verdict, if all runs of the baseline ended.
    pub verdict: Option<Verdict>,
    /// Further conclusions, in sentences.
    pub remarks: Vec<String>,
}

impl Findings {
    /// Returns the verdict and the remarks, in sentences.
    pub fn answer(&self) -> Vec<String> {
        let verdict = self.verdict.iter().flat_map(Verdict::lines).map(str::to_owned);
        verdict.chain(self.remarks.iter().cloned()).collect()
    }

    /// Returns the findings from a scenario's results.
    pub fn new(
        scenario: &JobsScenario,
        comparison: Comparison,
        compared: Option<PacketComparison>,
    ) -> Findings {
        let summaries = comparison.summaries(BASELINE);
        let outlook = scenario.outlook();
        let doubts = scenario.doubts(&outlook);
        let gains = gain::all(&summaries);
        let run = comparison.results.iter().map(|results| results.policy);
        let deployable = run.filter(|&policy| scenario.is_deployable(policy)).collect();
        let (verdict, remarks) = (None, Vec::new());
        let mut findings = Findings {
            comparison,
            compared,
            outlook,
            summaries,
            gains,
            doubts,
            deployable,
            verdict,
            remarks,
        };
        findings.verdict = Verdict::of(scenario.jobs(), &findings);
        findings.remarks = conclusions::of(&findings);
        findings
    }

    /// Returns the summary of a policy.
    pub fn summary(&self, policy: SharingPolicy) -> Option<Summary> {
        summary(&self.summaries, policy)
    }

    /// Returns the slowdown of each job under a policy, if it was run.
    pub fn slowdowns(&self, policy: SharingPolicy) -> Vec<Option<f64>> {
        match self.comparison.of(policy) {
            Some(results) => self.comparison.slowdowns(results),
            None => vec![None; self.comparison.alone.len()],
        }
    }

    /// Returns the speedup of each job over [`BASELINE`].
    pub fn speedups(&self, results: &JobsResults) -> Option<Vec<Option<f64>>> {
        self.comparison.of(BASELINE).map(|over| self.comparison.speedups(results, over))
    }
}
