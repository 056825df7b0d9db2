//! The measuring loop does not allocate over a real device either.

use super::counted::Counted;
use super::{PLAN, ends};
use bandwise_rdma::verbs::Qp;
use bandwise_rperf::{RPerf, RPerfSettings, Rounds, Think};
use bandwise_session::Plan;
use bandwise_verbs::ibverbs::QueuePairs;
use bandwise_verbs::{ByEvents, DriveEnd, Monotonic, drive};
use bandwise_verbs::{Control, Watched};
use std::net::{TcpListener, TcpStream};

const SAMPLES: u64 = 400;

/// RPerf, and the connection with the other side beside it, as `bandwise rperf client` has it.
fn rperf(device: &mut QueuePairs, control: &mut Watched, by_events: bool) -> Counted<RPerf> {
    let (wire, loopback) = (Qp(0), device.loopback().unwrap());
    let rounds = Rounds { warmup: 0, samples: SAMPLES, think: Think::none() };
    let settings = RPerfSettings { wire, loopback, bytes: 64, inline_max: 0, rounds };
    let mut counted = Counted::of(RPerf::new(settings));
    let clock = Monotonic::start();
    // The result is ignored: the peer is silent, which is reported after a while.
    let mut stop = || {
        let _ = control.look_now();
        false
    };
    let end = match by_events {
        true => drive(&mut counted, &mut ByEvents::of(device), &clock, &mut stop),
        false => drive(&mut counted, device, &clock, &mut stop),
    };
    assert_eq!(end.unwrap(), DriveEnd::Done);
    counted
}

#[test]
#[ignore = "wants an RDMA device"]
fn drive_loop_does_not_allocate_over_a_device() {
    // RECVs for all messages, as the peer does not repost them.
    let depth = 4 * SAMPLES as u32;
    let plan = Plan { loopback: true, recv_depth: depth, completions: 4 * depth, ..PLAN };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let _there = listener.accept().unwrap();
    let mut control = Control::over(here).unwrap().watch().unwrap();
    let (mut a, _b) = ends(plan, |_| ());
    a.wake_by(control.readable().unwrap());
    for by_events in [false, true] {
        let counted = rperf(&mut a, &mut control, by_events);
        assert!(counted.steps > SAMPLES, "{} steps", counted.steps);
        assert_eq!(counted.allocated(), Some(0), "with events: {by_events}");
    }
}
