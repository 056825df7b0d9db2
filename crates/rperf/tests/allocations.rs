//! RPerf allocates nothing after its warm-up. On a real host, an allocation between two rounds
//! would be measured as latency.

mod counting;

use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Opcode, Posts, Program, Qp};
use bandwise_rperf::{RPerf, RPerfSettings, Rounds, Think};
use bandwise_units::Time;
use counting::allocations;

#[test]
fn rperf_allocates_nothing_between_rounds() {
    let (warmup, samples) = (10, 10_000);
    let think = Think::uniform(Time::ZERO, Time::from_ns(300), 1);
    let rounds = Rounds { warmup, samples, think };
    let (wire, loopback) = (Qp(0), Qp(1));
    let mut rperf = RPerf::new(RPerfSettings { wire, loopback, bytes: 64, inline_max: 0, rounds });
    let mut posts = Posts::default();
    let mut pair = [None; 2];
    let mut now = Time::ZERO;
    let mut next = rperf.step(now, &[], &mut posts);
    let mut before = 0;
    for round in 0..warmup + samples {
        if round == warmup {
            before = allocations();
        }
        while let Next::At(time) = next {
            now = time;
            next = rperf.step(now, &[], &mut posts);
        }
        for (slot, request) in pair.iter_mut().zip(posts.drain()) {
            let kind = CompletionKind::Sent(Opcode::Send);
            let truth = (request.qp == wire).then_some(Time::from_ns(400));
            *slot = Some(Completion {
                qp: request.qp,
                id: request.id,
                kind,
                bytes: 64,
                truth,
                stamp: None,
            });
        }
        // Differences from -1 us to 9 us, in either order.
        if round % 10 == 0 {
            pair.swap(0, 1);
        }
        for completion in pair.iter().rev().flatten() {
            now += Time::from_ns(round % 9_000);
            next = rperf.step(now, &[*completion], &mut posts);
        }
    }
    assert_eq!(allocations() - before, 0);
    assert_eq!(next, Next::Done);
    assert_eq!(rperf.measure().latency().count(), samples);
    assert!(rperf.measure().latency().negatives() > 0);
}
