//! [`JobSender`]: the program of a host that sends for its jobs.

use bandwise_rdma::verbs::{Completion, Next, Posts, Program, WorkRequest};
use bandwise_units::Time;

/// A program that posts the requests of all instances of its host and keeps their completions until
/// they are taken. The CPU time of a message is small beside its time in the network.
#[derive(Debug, Default)]
pub(super) struct JobSender {
    /// Requests to post at the next step.
    pub(super) orders: Vec<WorkRequest>,
    /// Numbers of the requests that have completed.
    pub(super) completed: Vec<u64>,
}

impl Program for JobSender {
    fn step(&mut self, _now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        self.completed.extend(seen.iter().map(|completion| completion.id));
        self.orders.drain(..).for_each(|order| posts.post(order));
        Next::Completion
    }
}
