//! Lost packets are requested once they can't arrive any more (Homa 3.7).

use crate::harness::{Case, Job, MTU, RTT, run, settings};
use bandwise_rdma::homa::{Receiver, ToReceiver, ToSender};
use bandwise_units::Time;

#[test]
fn the_receiver_requests_the_first_missing_packets() {
    let case = Case::new(settings(1, &[]), &[Job::new(0, 1, 100 * MTU)]);
    let out = run(&Case { drop: vec![(0, 7), (0, 8), (0, 80)], ..case });
    assert_eq!(out.resends(), [(0, 7, 9), (0, 80, 81)], "one after the other");
    assert_eq!(out.again(0), [7, 8, 80]);
    // Each was requested after that time without a packet.
    let asked: Vec<Time> = out
        .to_sender
        .iter()
        .filter(|(_, _, control)| matches!(control, ToSender::Resend { .. }))
        .map(|(at, ..)| *at)
        .collect();
    let last = Time::from_ns(100 * 200) + Time::from_us(5);
    assert_eq!(asked[0], last + Time::from_us(500));
}

#[test]
fn the_sender_detects_a_message_that_never_arrived() {
    let case = Case::new(settings(1, &[]), &[Job::new(0, 1, 3 * MTU)]);
    let out = run(&Case { drop: vec![(0, 0), (0, 1), (0, 2)], ..case });
    assert_eq!(out.to_receiver.len(), 1);
    assert!(matches!(out.to_receiver[0], (_, 0, ToReceiver::Resend)));
    assert_eq!(out.resends(), [(0, 0, 3)]);
    assert_eq!(out.again(0), [0, 1, 2]);
}

#[test]
fn a_lost_grant_is_replaced_by_a_resend_or_the_next_grant() {
    let job = Job::new(0, 1, 200 * MTU);
    let one = run(&Case { drop_grants: 1, ..Case::new(settings(1, &[]), &[job]) });
    // The next grant includes the lost one.
    assert_eq!((one.resends(), one.again(0)), (vec![], vec![]));
    let all = Case { drop_grants: RTT.get(), ..Case::new(settings(1, &[]), &[job]) };
    let all = run(&all);
    assert_eq!(all.resends(), [(0, RTT.get(), 2 * RTT.get())]);
    assert_eq!(all.again(0), [], "it was never sent");
}

#[test]
fn a_sender_of_other_messages_responds_busy() {
    // The last packet of the long message is lost, and requested while a shorter one is sent.
    let jobs =
        [Job::new(0, 1, 60 * MTU), Job { start: Time::from_us(515), ..Job::new(0, 2, 60 * MTU) }];
    let case = Case { drop: vec![(0, 3)], ..Case::new(settings(1, &[]), &jobs) };
    let out = run(&case);
    // Without unsent packets, retransmissions precede all other messages.
    assert_eq!((out.resends(), out.again(0)), (vec![(0, 3, 4)], vec![3]));
    let is_busy = |control: &(Time, u32, ToReceiver)| matches!(control, (_, 0, ToReceiver::Busy));
    assert!(!out.to_receiver.iter().any(is_busy));
    // With more packets left than others, it waits for them.
    let jobs =
        [Job::new(0, 1, 300 * MTU), Job { start: Time::from_us(515), ..Job::new(0, 2, 50 * MTU) }];
    let drop = (0..60).map(|seq| (0, seq)).collect();
    let out = run(&Case { drop, ..Case::new(settings(1, &[]), &jobs) });
    assert_eq!(out.resends(), [(0, 0, 60)]);
    assert!(out.to_receiver.iter().any(is_busy));
    let mut order: Vec<u32> = out.sent.iter().map(|(_, data)| data.slot).collect();
    order.dedup();
    assert_eq!(order, [0, 1, 0]);
}

/// BUSY restarts the deadline. A query about an incomplete message is answered by BUSY (Homa 3.7).
#[test]
fn busy_hosts_are_not_timed_out() {
    let settings = settings(1, &[]);
    let message = Job::new(0, 1, 10 * MTU).message();
    let mut receiver = Receiver::new();
    receiver.on_data(&settings, Time::ZERO, 0, message, 0, |_, control| panic!("{control:?}"));
    assert_eq!(receiver.deadline(&settings, 0), settings.resend_after);
    let mut respond = |us, control| {
        let reply = receiver.on_control(&settings, Time::from_us(us), 0, message, control);
        (reply, receiver.deadline(&settings, 0))
    };
    let busy = respond(400, ToReceiver::Busy);
    assert_eq!(busy, (None, Time::from_us(400) + settings.resend_after));
    assert_eq!(respond(500, ToReceiver::Resend), (Some(ToSender::Busy), busy.1));
}
