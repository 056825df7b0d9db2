//! [`AppQueues`].

use super::{Newcomer, Placement, Policy, QueueChoice};
use std::collections::BTreeMap;

/// A queue for each application at every link, all with the same weight, and max-min fairness
/// within it. This is the ideal max-min fairness of Saba 4.6.4, where round-robin takes one packet
/// of each queue. The application is the flow's group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AppQueues {
    /// The queue of each group.
    queues: BTreeMap<u32, u32>,
}

impl Policy for AppQueues {
    fn place(&mut self, flow: &Newcomer<'_>) -> Placement {
        // Queues have equal weights, so the number of a group's queue has no effect.
        let next = self.queues.len() as u32;
        let queue = *self.queues.entry(flow.group).or_insert(next);
        let kin = Some(u64::from(flow.group));
        Placement { rank: 0, queue: QueueChoice::Own(queue), kin, until: None }
    }
}
