//! Programs over a device without cost.

use bandwise_rdma::verbs::{Completion, Next, Opcode, Posts, Program, Qp, WorkRequest};
use bandwise_rperf::{
    Bulk, BulkSettings, ClosedLoop, ClosedLoopSettings, RPerf, RPerfSettings, Rounds, Think, Window,
};
use bandwise_units::{Bytes, Time};
use bandwise_verbs::{Clock, Device, DriveEnd, Instantly, Monotonic, drive};
use proptest::prelude::*;
use std::cell::Cell;

/// A clock that advances by a step at each reading.
struct Steps(Cell<Time>, Time);

impl Clock for Steps {
    fn now(&self) -> Time {
        self.0.set(self.0.get() + self.1);
        self.0.get()
    }
}

fn steps(by: Time) -> Steps {
    Steps(Cell::new(Time::ZERO), by)
}

fn rounds(samples: u64, think: Time) -> Rounds {
    Rounds { warmup: 3, samples, think: Think::uniform(Time::ZERO, think, 1) }
}

fn never() -> bool {
    false
}

/// Both completions of a pair are seen in one poll, so their difference is zero. The time from a post to its
/// completion is one clock reading.
#[test]
fn simulator_programs_run_unchanged() {
    let clock = steps(Time::from_ns(10));
    let rounds = || rounds(1_000, Time::from_ns(300));
    let (wire, loopback) = (Qp(0), Qp(1));
    let settings = RPerfSettings { wire, loopback, bytes: 64, inline_max: 0, rounds: rounds() };
    let mut rperf = RPerf::new(settings);
    assert_eq!(
        drive(&mut rperf, &mut Instantly::default(), &clock, &mut never),
        Ok(DriveEnd::Done)
    );
    let latency = rperf.measure().latency();
    assert_eq!((latency.count(), latency.mean_ps()), (1_000, Some(0.0)));

    let opcode = Opcode::Write;
    let settings = ClosedLoopSettings {
        qp: wire,
        opcode,
        bytes: 8,
        inline_max: 0,
        depth: 1,
        rounds: rounds(),
    };
    let mut closed = ClosedLoop::new(settings);
    assert_eq!(
        drive(&mut closed, &mut Instantly::default(), &clock, &mut never),
        Ok(DriveEnd::Done)
    );
    assert_eq!(closed.measure().latency().mean_ps(), Some(10_000.0));
}

/// A stopped program keeps its results, also while nothing completes.
#[test]
fn stopped_program_keeps_its_results() {
    struct Silent;
    impl Device for Silent {
        type Error = ();
        fn post(&mut self, posts: &mut Posts) -> Result<(), ()> {
            posts.drain().for_each(drop);
            Ok(())
        }
        fn poll(&mut self, _seen: &mut Vec<Completion>) -> Result<(), ()> {
            Ok(())
        }
    }
    let settings = |samples| ClosedLoopSettings {
        qp: Qp(0),
        opcode: Opcode::Send,
        bytes: 8,
        inline_max: 0,
        depth: 1,
        rounds: rounds(samples, Time::ZERO),
    };
    let mut silent = ClosedLoop::new(settings(10));
    let clock = Monotonic::start();
    assert_eq!(drive(&mut silent, &mut Silent, &clock, &mut || true), Ok(DriveEnd::Stopped));
    assert_eq!(silent.measure().latency().count(), 0);
    let mut looks = 0;
    let mut stop = || {
        looks += 1;
        looks == 3
    };
    let mut busy = ClosedLoop::new(settings(u64::MAX));
    let end = drive(&mut busy, &mut Instantly::default(), &steps(Time::from_ns(1)), &mut stop);
    assert_eq!(end, Ok(DriveEnd::Stopped));
    assert!(busy.measure().latency().count() > 1_000);
}

/// A device that fails ends the loop.
#[test]
fn device_failure_ends_the_loop() {
    struct Broken;
    impl Device for Broken {
        type Error = &'static str;
        fn post(&mut self, _posts: &mut Posts) -> Result<(), &'static str> {
            Err("no memory")
        }
        fn poll(&mut self, _seen: &mut Vec<Completion>) -> Result<(), &'static str> {
            unreachable!("nothing was posted")
        }
    }
    struct One;
    impl Program for One {
        fn step(&mut self, _now: Time, _seen: &[Completion], posts: &mut Posts) -> Next {
            let (qp, opcode) = (Qp(0), Opcode::Send);
            let (signaled, inline, ring) = (true, false, true);
            posts.post(WorkRequest { qp, id: 0, opcode, bytes: 1, signaled, inline, ring });
            Next::Completion
        }
    }
    let end = drive(&mut One, &mut Broken, &steps(Time::from_ns(1)), &mut never);
    assert_eq!(end, Err("no memory"));
}

proptest! {
    /// Every message completes once, for any lists, queue pairs and signaled messages.
    #[test]
    fn every_message_completes(
        qps in 1u16..5, batch in 1u32..9, signal_every in 1u32..9, depth in 1u32..40,
        messages in 1u64..500, step in 1u64..100,
    ) {
        let mut bulk = Bulk::new(BulkSettings {
            qps: (0..qps).map(Qp).collect(),
            opcode: Opcode::Write,
            bytes: 4096,
            buffer: Bytes::from_kib(128),
            depth,
            batch,
            signal_every,
            inline_max: 0,
            start: Time::from_ns(50),
            until: None,
            messages: Some(messages),
            rate: None,
            window: Window { from: Time::ZERO, to: Time::MAX },
        }).unwrap();
        let clock = steps(Time::from_ns(step));
        prop_assert_eq!(drive(&mut bulk, &mut Instantly::default(), &clock, &mut never), Ok(DriveEnd::Done));
        prop_assert_eq!((bulk.completed(), bulk.bandwidth().messages), (messages, messages));
    }
}
