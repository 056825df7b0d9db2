//! Go-back-N (IRN 2.1).

use crate::harness::{Case, run};
use bandwise_rdma::transport::{
    Feedback, Progress, Receiver, Recovery, Sender, Seq, TransportSettings,
};
use bandwise_units::Time;
use proptest::prelude::*;

#[test]
fn the_receiver_sends_one_nack_per_gap() {
    let settings = TransportSettings::roce();
    let mut receiver = Receiver::new(&settings, 9);
    let mut answers = |seq, accepted, reply| {
        let arrival = receiver.on_data(&settings, Time::ZERO, seq);
        assert_eq!((arrival.accepted, arrival.reply), (accepted, reply), "to {seq}");
    };
    answers(0, true, Some(Feedback::ack(1)));
    answers(2, false, Some(Feedback::nack(1, 2)));
    answers(3, false, None);
    answers(0, false, Some(Feedback::ack(1)));
    answers(4, false, None);
    answers(1, true, Some(Feedback::ack(2)));
    answers(3, false, Some(Feedback::nack(2, 3)));
    answers(9, false, None);
}

#[test]
fn reads_are_acknowledged_as_a_whole() {
    let settings = TransportSettings::roce_with_pfc();
    let mut receiver = Receiver::new(&settings, 3);
    assert_eq!(receiver.on_data(&settings, Time::ZERO, 0).reply, None);
    assert_eq!(receiver.on_data(&settings, Time::ZERO, 0).reply, None);
    assert_eq!(receiver.on_data(&settings, Time::ZERO, 1).reply, None);
    assert_eq!(receiver.on_data(&settings, Time::ZERO, 2).reply, Some(Feedback::ack(3)));
    assert_eq!(receiver.on_data(&settings, Time::ZERO, 2).reply, Some(Feedback::ack(3)));
    // A flow takes the transmission time of its data, and half a round trip.
    let out = run(&Case::new(settings, 1000));
    assert_eq!(out.feedback, [Feedback::ack(1000)]);
    assert_eq!(out.completed, Time::from_ns(200) * 999 + Time::from_us(5));
}

#[test]
fn a_duplicate_nack_is_one_loss() {
    let (settings, now) = (TransportSettings::roce(), Time::ZERO);
    let mut sender = Sender::new(&settings, 9);
    (0..4).for_each(|seq| assert_eq!(sender.next(&settings, now, 4).unwrap().seq, seq));
    let progress = sender.on_feedback(&settings, now, Feedback::nack(1, 2));
    assert_eq!(progress, Progress { newly_acked: 1, loss: true, done: false });
    let progress = sender.on_feedback(&settings, now, Feedback::nack(1, 2));
    assert_eq!(progress, Progress::default());
    // Packet 1 was only late; the packets it acknowledges are not retransmitted.
    assert_eq!(sender.on_feedback(&settings, now, Feedback::ack(2)).newly_acked, 1);
    assert_eq!(sender.next(&settings, now, 4).unwrap().seq, 2);
}

#[test]
fn the_sender_waits_for_the_fetch() {
    let settings = TransportSettings { fetch: Time::from_us(2), ..TransportSettings::roce() };
    let case = Case::new(settings, 200).dropping(&[20]);
    let out = run(&case);
    let again = out.sent.iter().find(|(_, packet)| packet.retransmission).unwrap();
    // Packet 21 triggers the NACK.
    assert_eq!(again.0, case.packet_time * 21 + Time::from_us(5 + 5 + 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// A single loss: everything sent after it is retransmitted in order, whether it arrived or
    /// not.
    #[test]
    fn everything_after_a_loss_is_retransmitted(
        packets in 2u32..400, which in any::<prop::sample::Index>(), capped in any::<bool>(),
    ) {
        let lost = which.index(packets as usize - 1) as Seq;
        let capped = if capped { TransportSettings::irn() } else { TransportSettings::roce() };
        let settings = TransportSettings { recovery: Recovery::GoBackN, ..capped };
        let out = run(&Case::new(settings, packets).dropping(&[lost]));
        let sent = out.sequence();
        let back = sent.iter().rposition(|&seq| seq == lost).unwrap();
        // New packets until the NACK arrives, then all from the lost one to the end.
        prop_assert!(sent[..back].iter().copied().eq(0..back as Seq));
        prop_assert!(sent[back..].iter().copied().eq(lost..packets));
        prop_assert_eq!(out.retransmissions(), (lost..back as Seq).collect::<Vec<_>>());
        prop_assert_eq!((out.losses, out.timeouts), (1, 0));
    }
}
