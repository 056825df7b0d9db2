//! [`Gain`]: the parts of Saba's gain by queues and by weights.

use crate::jobs::{SharingPolicy, Summary};

/// Policies with weights by sensitivity, each with the policy that has the same queues.
pub(super) const PAIRS: [(SharingPolicy, SharingPolicy); 3] = [
    (SharingPolicy::Saba, SharingPolicy::EqualWeights),
    (SharingPolicy::SabaNoFloor, SharingPolicy::EqualWeights),
    (SharingPolicy::SabaUnlimited, SharingPolicy::FairJobs),
];

/// A speedup over [`BASELINE`](super::BASELINE) as a product of two factors. All are geometric
/// means over jobs; the product holds only for these.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// The policy with weights by sensitivity.
    pub policy: SharingPolicy,
    /// The policy with the same queues and equal weights.
    pub equal: SharingPolicy,
    /// The speedup of the queues with equal weights over the baseline.
    pub queues: f64,
    /// The speedup of the weights over equal ones in the same queues.
    pub weights: f64,
}

impl Gain {
    /// Returns the product of both factors.
    pub fn both(&self) -> f64 {
        self.queues * self.weights
    }
}

/// Returns the gains of all pairs that were run.
pub(super) fn all(summaries: &[(SharingPolicy, Summary)]) -> Vec<Gain> {
    let gain = |(policy, equal)| {
        let (both, queues) =
            (summary(summaries, policy)?.speedup, summary(summaries, equal)?.speedup);
        Some(Gain { policy, equal, queues, weights: both / queues })
    };
    PAIRS.into_iter().filter_map(gain).collect()
}

/// Returns the summary of a policy, if all its jobs ended.
pub(super) fn summary(
    summaries: &[(SharingPolicy, Summary)],
    policy: SharingPolicy,
) -> Option<Summary> {
    summaries.iter().find(|of| of.0 == policy).map(|of| of.1)
}
