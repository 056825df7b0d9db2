//! [`Instantly`]: a device without costs.

use crate::Device;
use bandwise_rdma::verbs::{Completion, CompletionKind, Opcode, Posts, Qp, WorkRequest};
use std::convert::Infallible;

/// A device on which all posted requests complete at the next poll, in order. The costs of a program on it are those of
/// the program and of the loop.
#[derive(Debug, Default)]
pub struct Instantly {
    /// Posted signalled requests that are not polled yet, oldest first.
    posted: Vec<Posted>,
    /// The number of them up to the last request that rang the doorbell.
    rung: usize,
}

/// The fields of a request that its completion repeats. Copied one by one, since copying a whole request right after it
/// was written would cause store-forwarding stalls.
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
