//! [`Instantly`]: a device without cost.

use crate::Device;
use bandwise_rdma::verbs::{Completion, CompletionKind, Posts, WorkRequest};
use std::convert::Infallible;

/// A device on which all that is posted has completed at the next poll, in the order in which it was posted:
/// what a program costs over it is the cost of the program and of the loop that drives it.
#[derive(Debug, Default)]
pub struct Instantly {
    /// Handed over and not polled.
    rung: Vec<WorkRequest>,
    /// Behind the last one that rang.
    held: Vec<WorkRequest>,
}

impl Device for Instantly {
    type Error = Infallible;

    fn post(&mut self, posts: &mut Posts) -> Result<(), Infallible> {
        for request in posts.drain() {
            self.held.push(request);
            if request.ring {
                self.rung.append(&mut self.held);
            }
        }
        Ok(())
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), Infallible> {
        let completed = |request: WorkRequest| {
            let WorkRequest { qp, id, opcode, bytes, .. } = request;
            Completion {
                qp,
                id,
                kind: CompletionKind::Sent(opcode),
                bytes,
                truth: None,
                stamp: None,
            }
        };
        seen.extend(self.rung.drain(..).filter(|request| request.signaled).map(completed));
        Ok(())
    }
}
