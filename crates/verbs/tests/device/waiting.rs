//! Sleeping until a completion wakes, and what the device tells of besides.

use super::{PLAN, completions, ends, post, request};
use bandwise_rdma::verbs::{Completion, Next, Opcode, Posts, Program};
use bandwise_session::Plan;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::VerbsError;
use bandwise_verbs::{ByEvents, Device, DriveEnd, Monotonic, drive, processor_time};
use std::thread;
use std::time::{Duration, Instant};

/// Waits for so many completions.
struct Wants(usize);

impl Program for Wants {
    fn step(&mut self, _now: Time, seen: &[Completion], _posts: &mut Posts) -> Next {
        self.0 = self.0.checked_sub(seen.len()).expect("no more than were sent");
        if self.0 == 0 { Next::Done } else { Next::Completion }
    }
}

/// A sleeping program receives every message that arrives in the meantime.
#[test]
#[ignore = "wants an RDMA device"]
fn sleeping_program_is_woken_by_completions() {
    let (mut a, mut b) = ends(PLAN, |_| ());
    let sender = thread::spawn(move || {
        for id in 0..100 {
            post(&mut a, &[request(id, Opcode::Send, 64, true)]).unwrap();
            completions(&mut a, 1).unwrap();
        }
        a
    });
    let (began, clock) = (Instant::now(), Monotonic::start());
    let mut too_long = || began.elapsed() > Duration::from_secs(30);
    let before = processor_time();
    let end = drive(&mut Wants(100), &mut ByEvents::of(&mut b), &clock, &mut too_long).unwrap();
    assert_eq!(end, DriveEnd::Done);
    let busy = processor_time() - before;
    let took = began.elapsed().as_nanos() as u64;
    assert!(busy <= Time::from_ns(took), "busy for {busy} of {took} ns");
    drop(sender.join().unwrap());
}

/// Overrunning a full completion queue that is not polled gives an error.
#[test]
#[ignore = "wants an RDMA device"]
fn completion_queue_overrun_is_reported() {
    let small = Plan { completions: 1, ..PLAN };
    let (mut a, mut b) = ends(small, |_| ());
    let list: Vec<_> = (0..6).map(|id| request(id, Opcode::Send, 8, id == 5)).collect();
    let unsignaled: Vec<_> = list
        .into_iter()
        .map(|request| bandwise_rdma::verbs::WorkRequest { signaled: false, ..request })
        .collect();
    post(&mut a, &unsignaled).unwrap();
    let began = Instant::now();
    let error = loop {
        if let Err(error) = b.check() {
            break error;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "no error was reported");
        thread::yield_now();
    };
    assert!(matches!(error, VerbsError::Event { .. }));
    let message = error.to_string();
    assert!(
        message.contains("the completion queue has overrun") && message.contains("-t, -q"),
        "{message}"
    );
}
