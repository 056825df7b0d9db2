//! Once warm, the measuring loop allocates nothing: it would be measured as latency.

mod counted;

use bandwise_rdma::verbs::Qp;
use bandwise_rperf::{RPerf, RPerfSettings, Rounds, Think};
use bandwise_units::Time;
use bandwise_verbs::{DriveEnd, Instantly, Monotonic, drive};
use counted::Counted;

#[test]
fn drive_loop_does_not_allocate() {
    let rounds = Rounds {
        warmup: 0,
        samples: 20_000,
        think: Think::uniform(Time::ZERO, Time::from_ns(300), 1),
    };
    let (wire, loopback) = (Qp(0), Qp(1));
    let settings = RPerfSettings { wire, loopback, bytes: 64, inline_max: 0, rounds };
    let mut counted = Counted::of(RPerf::new(settings));
    let end = drive(&mut counted, &mut Instantly::default(), &Monotonic::start(), &mut || false);
    assert_eq!(end, Ok(DriveEnd::Done));
    assert!(counted.steps > 20_000, "{} steps", counted.steps);
    assert_eq!(counted.allocated(), Some(0));
}
