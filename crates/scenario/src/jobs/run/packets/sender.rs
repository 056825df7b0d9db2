//! [`JobSender`]: the program of a host that sends for its jobs.

use bandwise_rdma::verbs::{Completion, Next, Posts, Program, WorkRequest};
use bandwise_units::Time;

/// Posts what it is told to, and keeps what has completed until somebody asks. One a host, for all
/// instances there: what a CPU does for a message is little beside what the network does.
#[derive(Debug, Default)]
pub(super) struct JobSender {
    /// To be posted when it is stepped next.
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
