//! Times at which programs are stepped.

use crate::common::{RATE, Script, device, models, request, simulation, sl};
use bandwise_netsim::infiniband::host::{DeviceModel, IdleState, Notify};
use bandwise_rdma::verbs::{Completion, Next, Opcode, Posts, Program, Transport};
use bandwise_topology::builders::back_to_back;
use bandwise_units::Time;

/// A program that posts at its start, then returns its planned requests, one per step.
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

/// Returns the steps of a program that posts one small SEND, whose completion comes after about 2
/// us.
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
fn a_timer_is_exact() {
    let at = Time::from_ps(10_000_001);
    let all = steps(vec![Next::At(at), Next::At(at), Next::At(Time::from_us(20))]);
    let completed = all[1].0;
    assert!(completed < Time::from_us(5), "{completed}");
    let after = [(at, 0), (Time::from_us(20), 0)];
    assert_eq!(all, [&[(Time::from_us(1), 0), (completed, 1)], &after[..]].concat());
}

#[test]
fn a_completion_replaces_the_timer() {
    let us = Time::from_us;
    for second in [us(9), us(10), us(30)] {
        let all = steps(vec![Next::At(us(10)), Next::At(second)]);
        assert_eq!(all.len(), 3, "{all:?}");
        assert_eq!(all[2], (second, 0));
    }
    // Or removes it.
    assert_eq!(steps(vec![Next::At(us(10)), Next::Completion]).len(), 2);
}

#[test]
fn a_finished_program_is_not_stepped() {
    assert_eq!(steps(vec![Next::Done]), [(Time::from_us(1), 0)]);
}

#[test]
fn a_timer_in_the_past_expires_at_once() {
    let all = steps(vec![Next::At(Time::ZERO)]);
    // The core is busy until it has built the request and rung the doorbell.
    let model = device();
    let free = Time::from_us(1) + model.cpu_wqe + model.doorbell_gap;
    assert_eq!(all[1], (free, 0));
}

/// Returns when a sleeping program, on a core with these idle states, sees the completions of two
/// consecutive WRITEs of 1 MB; and the CPU time used then.
fn sleeper(idle_states: Vec<IdleState>, notify: Notify) -> ([Time; 2], Time) {
    let fabric = back_to_back(RATE, Time::from_ns(10)).unwrap();
    let model = DeviceModel { idle_states, ..device() };
    let mut sim = simulation(&fabric, &models(model, 1));
    let (qp, _) = sim.connect(0, 1, Transport::Rc, sl(0));
    let post = |id| (Time::from_us(300) * id, request(qp, id, Opcode::Write, 1_000_000));
    let script = Script::new(vec![post(0), post(1)]);
    sim.start(0, &[qp], script, notify, Time::ZERO);
    sim.run(Time::from_ms(1));
    let [(one, _), (two, _)] = sim.program(0, 0).seen[..] else { panic!("two completions") };
    ([one, two], sim.cpu_time(0, 0))
}

/// 1 MB takes 144 us at 56 Gbps: a core that sleeps so long is in the second state of three.
#[test]
fn a_core_wakes_from_the_deepest_state_that_it_has_reached() {
    let us = Time::from_us;
    let state = |after, exit| IdleState { after: us(after), exit: us(exit) };
    let (awake, worked) = sleeper(Vec::new(), Notify::Event);
    let (slept, same) = sleeper(vec![state(10, 3), state(100, 30), state(200, 90)], Notify::Event);
    assert_eq!(slept, awake.map(|at| at + us(30)));
    // Exit latency is no CPU time; two interrupts, two requests and two completions are.
    let model = device();
    let each = model.interrupt + model.cpu_wqe + model.doorbell_gap + model.cpu_completion;
    assert_eq!((worked, same), (each * 2, each * 2));
    let (polled, all) = sleeper(vec![state(10, 3)], Notify::Poll);
    assert_eq!((polled, all), (awake.map(|at| at - model.interrupt), us(1_000)));
}

/// A completion that arrives while the core wakes up for another is found with it.
#[test]
fn completions_during_wake_up_are_found_together() {
    let us = Time::from_us;
    let fabric = back_to_back(RATE, Time::from_ns(10)).unwrap();
    let idle_states = vec![IdleState { after: us(1), exit: us(30) }];
    let mut sim = simulation(&fabric, &models(DeviceModel { idle_states, ..device() }, 1));
    let (qp, _) = sim.connect(0, 1, Transport::Rc, sl(0));
    let post = |id| (Time::ZERO, request(qp, id, Opcode::Write, 40_000));
    sim.start(0, &[qp], Script::new(vec![post(0), post(1)]), Notify::Event, Time::ZERO);
    sim.run(Time::from_ms(1));
    let [(one, _), (two, _)] = sim.program(0, 0).seen[..] else { panic!("two completions") };
    assert!(one > us(36) && one < us(45), "40 kB, 4 us of interrupt and 30 us of waking: {one}");
    assert_eq!(two, one + device().cpu_completion);
}
