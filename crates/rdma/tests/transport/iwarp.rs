//! TCP (IRN 4.6).

use crate::harness::{Case, run};
use bandwise_rdma::transport::{
    Acks, Feedback, Receiver, Recovery, Sender, Seq, Timeout, TransportSettings,
};
use bandwise_units::Time;
use std::num::NonZeroU32;

fn tcp(initial_window: u32) -> TransportSettings {
    let initial_window = NonZeroU32::new(initial_window).unwrap();
    let (recovery, acks) = (Recovery::Tcp { initial_window }, Acks::EveryPacket);
    TransportSettings { recovery, acks, ..TransportSettings::iwarp() }
}

/// Returns the packets that a sender sends now.
fn sends(sender: &mut Sender, settings: &TransportSettings) -> Vec<Seq> {
    std::iter::from_fn(|| sender.next(settings, Time::ZERO, u32::MAX)).map(|p| p.seq).collect()
}

fn cwnd(sender: &Sender) -> u32 {
    let Sender::Tcp(tcp) = sender else { panic!("it is TCP") };
    tcp.cwnd()
}

#[test]
fn slow_start_doubles_the_window_each_round_trip() {
    let out = run(&Case { packet_time: Time::from_ns(1), ..Case::new(tcp(2), 126) });
    // Bursts of 2, 4, 8, ..., one round trip of 10 us apart.
    for (round, len) in (0..6).map(|round| (round, 2usize << round)) {
        let begin = (2usize << round) - 2;
        let (first, last) = (out.sent[begin].0, out.sent[begin + len - 1].0);
        let start = Time::from_us(10) * round as u64;
        assert!(start <= first && last < start + Time::from_us(1), "round {round}");
    }
    assert!(out.retransmissions().is_empty());
}

#[test]
fn fast_recovery_matches_hand_computed_windows() {
    let settings = tcp(10);
    let mut sender = Sender::new(&settings, 1000);
    let feedback = |sender: &mut Sender, f| sender.on_feedback(&settings, Time::ZERO, f);
    assert_eq!(sends(&mut sender, &settings).len(), 10);
    // 0 is lost. The first two duplicates allow one new packet each (RFC 3042).
    assert!(!feedback(&mut sender, Feedback::nack(0, 1)).loss);
    assert_eq!(sends(&mut sender, &settings), [10]);
    assert!(!feedback(&mut sender, Feedback::nack(0, 2)).loss);
    assert_eq!(sends(&mut sender, &settings), [11]);
    // The third indicates a loss: half of 12 in flight.
    assert!(feedback(&mut sender, Feedback::nack(0, 3)).loss);
    assert_eq!(cwnd(&sender), 6);
    assert_eq!(sends(&mut sender, &settings), [0]);
    // In the network: 4 to 11, the retransmitted 0: 9. From 5 on there is room for new packets.
    for sack in 4..=6 {
        assert!(!feedback(&mut sender, Feedback::nack(0, sack)).loss);
        assert_eq!(sends(&mut sender, &settings), NOTHING);
    }
    feedback(&mut sender, Feedback::nack(0, 7));
    assert_eq!(sends(&mut sender, &settings), [12]);
    // 9 is lost too: with three above it, it is retransmitted before new packets.
    for (sack, new) in [(8, 13), (10, 14), (11, 15)] {
        feedback(&mut sender, Feedback::nack(0, sack));
        assert_eq!(sends(&mut sender, &settings), [new]);
    }
    feedback(&mut sender, Feedback::nack(0, 12));
    assert_eq!(sends(&mut sender, &settings), [9, 16], "lost, 9 leaves room for two");
    // 0 arrives; 9 remains.
    assert_eq!(feedback(&mut sender, Feedback::ack(9)).newly_acked, 9);
    sends(&mut sender, &settings);
    assert!(!feedback(&mut sender, Feedback::ack(13)).loss);
    assert_eq!(cwnd(&sender), 6, "the recovery has ended with the reduced window");
    // Congestion avoidance: one packet per window.
    for cumulative in 14..=18 {
        feedback(&mut sender, Feedback::ack(cumulative));
        sends(&mut sender, &settings);
    }
    assert_eq!(cwnd(&sender), 6);
    feedback(&mut sender, Feedback::ack(19));
    assert_eq!(cwnd(&sender), 7);
    for cumulative in 20..=25 {
        feedback(&mut sender, Feedback::ack(cumulative));
        sends(&mut sender, &settings);
    }
    assert_eq!(cwnd(&sender), 7);
    feedback(&mut sender, Feedback::ack(26));
    assert_eq!(cwnd(&sender), 8);
}

#[test]
fn second_recovery_does_not_halve_again() {
    let settings = tcp(10);
    let mut sender = Sender::new(&settings, 1000);
    let feedback = |sender: &mut Sender, f| sender.on_feedback(&settings, Time::ZERO, f);
    sends(&mut sender, &settings);
    // 0 is lost, and 12, the first new packet sent during its recovery.
    for sack in 1..=9 {
        feedback(&mut sender, Feedback::nack(0, sack));
        sends(&mut sender, &settings);
    }
    for sack in [10, 11, 13, 14, 15] {
        feedback(&mut sender, Feedback::nack(0, sack));
        sends(&mut sender, &settings);
    }
    // 0 arrives: the recovery ends, with 12 known to be lost and retransmitted.
    let window = cwnd(&sender);
    assert!(!feedback(&mut sender, Feedback::ack(12)).loss);
    assert!(!feedback(&mut sender, Feedback::nack(12, 16)).loss);
    assert_eq!(cwnd(&sender), window, "the window was halved again");
}

#[test]
fn last_lost_packets_of_a_recovery_need_no_three_duplicates() {
    // Only 8 and 9 are above 7, and nothing new follows.
    let out = run(&Case::new(tcp(10), 10).dropping(&[0, 7]));
    assert_eq!((out.retransmissions(), out.timeouts), (vec![0, 7], 0));
}

#[test]
fn a_second_timeout_keeps_the_threshold() {
    let settings = tcp(16);
    let mut sender = Sender::new(&settings, 16);
    assert_eq!(sends(&mut sender, &settings).len(), 16);
    let mut cumulative = 0;
    for again in [0, 1] {
        let now = sender.deadline(&settings);
        assert!(sender.on_timeout(&settings, now));
        assert_eq!((cwnd(&sender), sends(&mut sender, &settings)), (1, vec![again]));
        cumulative += 1;
        sender.on_feedback(&settings, now, Feedback::ack(cumulative));
        sends(&mut sender, &settings);
    }
    // Slow start up to 8, half of the packets in flight at the first timeout.
    let windows = (3..=10).map(|cumulative| {
        sender.on_feedback(&settings, Time::ZERO, Feedback::ack(cumulative));
        cwnd(&sender)
    });
    assert_eq!(windows.collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8, 8, 8]);
}

const NOTHING: [Seq; 0] = [];

#[test]
fn a_timeout_restarts_slow_start() {
    let settings = tcp(8);
    // The whole first window is lost.
    let lost: Vec<Seq> = (0..8).collect();
    let out = run(&Case::new(settings, 40).dropping(&lost));
    assert_eq!(out.timeouts, 1);
    assert_eq!(out.retransmissions(), (0..8).collect::<Vec<_>>());
    let Timeout::Dynamic { initial, .. } = settings.timeout else { unreachable!() };
    // One packet, then two, a round trip later.
    assert_eq!(out.sent[8].0, initial);
    assert_eq!(out.sent[9].0, initial + Time::from_us(10));
    assert_eq!(out.sent[10].0, out.sent[9].0 + Time::from_ns(200));
    assert!(out.sent[11].0 >= initial + Time::from_us(20));
}

#[test]
fn every_second_packet_or_the_timer_causes_an_acknowledgement() {
    let settings = TransportSettings::iwarp();
    let mut receiver = Receiver::new(&settings, 100);
    let mut at = |us, seq| receiver.on_data(&settings, Time::from_us(us), seq).reply;
    assert_eq!(at(0, 0), None);
    assert_eq!(at(1, 1), Some(Feedback::ack(2)));
    assert_eq!(at(2, 2), None);
    assert_eq!(at(3, 4), Some(Feedback::nack(3, 4)), "out of order: at once");
    assert_eq!(at(4, 3), Some(Feedback::ack(5)), "a gap is filled: at once");
    assert_eq!(at(5, 4), Some(Feedback::ack(5)), "twice: at once");
    assert_eq!(at(6, 5), None);
    assert_eq!(receiver.deadline(), Time::from_us(106));
    assert_eq!(receiver.on_timeout(Time::from_us(105)), None);
    assert_eq!(receiver.on_timeout(Time::from_us(106)), Some(Feedback::ack(6)));
    assert_eq!(receiver.deadline(), Time::MAX);
    // The first waiting packet sets the time.
    let acks = Acks::Delayed { every: NonZeroU32::new(3).unwrap(), after: Time::from_us(100) };
    let settings = TransportSettings { acks, ..settings };
    assert_eq!(receiver.on_data(&settings, Time::from_us(200), 6).reply, None);
    assert_eq!(receiver.on_data(&settings, Time::from_us(250), 7).reply, None);
    assert_eq!(receiver.deadline(), Time::from_us(300));
}

#[test]
fn packets_in_flight_stay_within_the_receive_window() {
    let settings = TransportSettings { window: NonZeroU32::new(20), ..tcp(10) };
    assert_eq!(run(&Case::new(settings, 2000)).most_in_flight, 20);
}
