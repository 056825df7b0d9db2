//! [`Instantly`]: a device without cost.

use crate::Device;
use bandwise_rdma::verbs::{Completion, CompletionKind, Opcode, Posts, Qp, WorkRequest};
use std::convert::Infallible;

/// A device on which all that is posted has completed at the next poll, in the order in which it was posted:
/// what a program costs over it is the cost of the program and of the loop that drives it.
#[derive(Debug, Default)]
pub struct Instantly {
    /// What was posted to be announced and not polled, oldest first.
    posted: Vec<Posted>,
    /// How many of them have been handed over: up to the last request that rang.
    rung: usize,
}

/// What a completion repeats of its request. Taken one by one: requests are written field by field, and to copy one
/// as a whole would wait until all of it is in memory.
#[derive(Debug)]
struct Posted {
    qp: Qp,
    id: u64,
    opcode: Opcode,
    bytes: u32,
}

impl Device for Instantly {
    type Error = Infallible;

    fn post(&mut self, posts: &mut Posts) -> Result<(), Infallible> {
        for WorkRequest { qp, id, opcode, bytes, signaled, ring, .. } in posts.drain() {
            if signaled {
                self.posted.push(Posted { qp, id, opcode, bytes });
            }
            if ring {
                self.rung = self.posted.len();
            }
        }
        Ok(())
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), Infallible> {
        for Posted { qp, id, opcode, bytes } in self.posted.drain(..self.rung) {
            let kind = CompletionKind::Sent(opcode);
            seen.push(Completion { qp, id, kind, bytes, truth: None, stamp: None });
        }
        self.rung = 0;
        Ok(())
    }
}
