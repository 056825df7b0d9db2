//! When programs are stepped.

mod common;

use bandwise_netsim::host::Notify;
use bandwise_rdma::verbs::{Completion, Next, Opcode, Posts, Program, Transport};
use bandwise_topology::builders::back_to_back;
use bandwise_units::Time;
use common::{RATE, device, models, request, simulation, sl};

/// Posts at its start, then follows its plan: a wish for each step.
struct Planner {
    post: Option<bandwise_rdma::verbs::WorkRequest>,
    plan: Vec<Next>,
    steps: Vec<(Time, usize)>,
}

impl Program for Planner {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        self.steps.push((now, seen.len()));
        if let Some(request) = self.post.take() {
            posts.post(request);
        }
        self.plan.get(self.steps.len() - 1).copied().unwrap_or(Next::Completion)
    }
}

/// The steps of a program that posts one small SEND, whose completion comes after some 2 us.
fn steps(plan: Vec<Next>) -> Vec<(Time, usize)> {
    let fabric = back_to_back(RATE, Time::from_ns(10)).unwrap();
    let mut sim = simulation(&fabric, &models(device(), 1));
    let (qp, _) = sim.connect(0, 1, Transport::Rc, sl(0));
    let post = Some(request(qp, 0, Opcode::Send, 64));
    sim.start(0, &[qp], Planner { post, plan, steps: Vec::new() }, Notify::Poll, Time::from_us(1));
    sim.run(Time::from_ms(1));
    sim.program(0, 0).steps.clone()
}

#[test]
fn a_timer_is_met_to_the_picosecond() {
    let at = Time::from_ps(10_000_001);
    let all = steps(vec![Next::At(at), Next::At(at), Next::At(Time::from_us(20))]);
    let completed = all[1].0;
    assert!(completed < Time::from_us(5), "{completed}");
    let after = [(at, 0), (Time::from_us(20), 0)];
    assert_eq!(all, [&[(Time::from_us(1), 0), (completed, 1)], &after[..]].concat());
}

#[test]
fn a_completion_makes_room_for_an_earlier_or_later_timer() {
    let us = Time::from_us;
    for second in [us(9), us(10), us(30)] {
        let all = steps(vec![Next::At(us(10)), Next::At(second)]);
        assert_eq!(all.len(), 3, "{all:?}");
        assert_eq!(all[2], (second, 0));
    }
    // Or for none at all.
    assert_eq!(steps(vec![Next::At(us(10)), Next::Completion]).len(), 2);
}

#[test]
fn who_is_done_is_left_alone() {
    assert_eq!(steps(vec![Next::Done]), [(Time::from_us(1), 0)]);
}

#[test]
fn a_timer_of_the_past_means_at_once() {
    let all = steps(vec![Next::At(Time::ZERO)]);
    // The core is busy until it has built the request and rung the doorbell.
    let model = device();
    let free = Time::from_us(1) + model.cpu_wqe + model.doorbell_gap;
    assert_eq!(all[1], (free, 0));
}
