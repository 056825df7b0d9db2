//! [`PacketComparison`]: policies at packet level side by side, and at flow level.

use super::{Comparison, JobsResults, PacketResults};
use bandwise_units::Time;

/// The results of one scenario's jobs under several policies, at packet level and at flow level.
#[derive(Debug, Clone, PartialEq)]
pub struct PacketComparison {
    /// Results at packet level. Durations of jobs alone are those of the flow level with headers
    /// counted in.
    pub packets: Comparison,
    /// Results of the same policies at flow level, with headers counted in.
    pub flows: Vec<JobsResults>,
    /// Further results at packet level, by policy.
    pub runs: Vec<PacketResults>,
}

impl PacketComparison {
    /// Returns, by policy and job, the duration at packet level over that at flow level, less 1;
    /// `None` for a job that had not ended.
    pub fn differences(&self) -> Vec<Vec<Option<f64>>> {
        let difference = |(packets, flows): (&Option<Time>, &Option<Time>)| {
            let (packets, flows) = (packets.as_ref()?.as_ps(), flows.as_ref()?.as_ps());
            Some(if flows == 0 { 0.0 } else { packets as f64 / flows as f64 - 1.0 })
        };
        let of_policy = |(packets, flows): (&JobsResults, &JobsResults)| {
            packets.took.iter().zip(&flows.took).map(difference).collect()
        };
        self.packets.results.iter().zip(&self.flows).map(of_policy).collect()
    }
}
