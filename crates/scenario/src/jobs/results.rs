//! [`JobsResults`]: the results of a policy.

use super::{SharingPolicy, Timeline};
use bandwise_units::Time;

/// The results of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobsResults {
    /// Policy.
    pub policy: SharingPolicy,
    /// Time from start to end, by job; `None` for a job that had not ended when the run was stopped.
    pub took: Vec<Option<Time>>,
    /// Flows that ended.
    pub flows: u64,
    /// Instants with an event; at packet level, polls of all hosts.
    pub instants: u64,
    /// Activities of jobs over time, if they were recorded.
    pub timeline: Option<Timeline>,
}

impl JobsResults {
    /// Returns whether all jobs ended.
    pub fn is_whole(&self) -> bool {
        self.took.iter().all(Option::is_some)
    }
}
