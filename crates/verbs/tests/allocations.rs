//! Once warm, the measuring loop allocates nothing: it would be measured as latency.

#[path = "../../rperf/tests/counting/mod.rs"]
mod counting;

use bandwise_rdma::verbs::{Completion, Next, Posts, Program, Qp};
use bandwise_rperf::{RPerf, RPerfSettings, Rounds, Think};
use bandwise_units::Time;
use bandwise_verbs::{End, Instantly, Monotonic, drive};
use counting::allocations;

/// A program, and how many allocations there had been at each of its first steps and at its last one.
struct Watched<P> {
    program: P,
    steps: u64,
    warm: u64,
    last: u64,
}

const WARM: u64 = 100;

impl<P: Program> Program for Watched<P> {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        let next = self.program.step(now, seen, posts);
        self.steps += 1;
        self.last = allocations();
        if self.steps == WARM {
            self.warm = self.last;
        }
        next
    }
}

#[test]
fn the_loop_allocates_nothing() {
    let rounds = Rounds {
        warmup: 0,
        samples: 20_000,
        think: Think::uniform(Time::ZERO, Time::from_ns(300), 1),
    };
    let (wire, loopback) = (Qp(0), Qp(1));
    let program = RPerf::new(RPerfSettings { wire, loopback, bytes: 64, inline_max: 0, rounds });
    let mut watched = Watched { program, steps: 0, warm: 0, last: 0 };
    let end = drive(&mut watched, &mut Instantly::default(), &Monotonic::start(), &mut || false);
    assert_eq!(end, Ok(End::Done));
    assert!(watched.steps > 20_000 && watched.warm > 0);
    assert_eq!(watched.last, watched.warm);
}
