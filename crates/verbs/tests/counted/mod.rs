//! [`Counted`]: a program whose allocations are counted while a device is driven by it.

#[path = "../../../rperf/tests/counting/mod.rs"]
mod counting;

use bandwise_rdma::verbs::{Completion, Next, Posts, Program};
use bandwise_units::Time;
use counting::allocations;

/// A program, and how many allocations there had been after its first steps and at its last one.
pub(crate) struct Counted<P> {
    program: P,
    pub steps: u64,
    warm: Option<u64>,
    last: u64,
}

/// Steps after which everything has its room.
const WARM: u64 = 50;

impl<P> Counted<P> {
    pub(crate) fn of(program: P) -> Self {
        Counted { program, steps: 0, warm: None, last: 0 }
    }

    /// Allocations since it was warm, if it ever was.
    pub(crate) fn allocated(&self) -> Option<u64> {
        Some(self.last - self.warm?)
    }
}

impl<P: Program> Program for Counted<P> {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        let next = self.program.step(now, seen, posts);
        self.steps += 1;
        self.last = allocations();
        if self.steps == WARM {
            self.warm = Some(self.last);
        }
        next
    }
}
