//! Losses without any feedback.

use crate::harness::{Case, run};
use bandwise_rdma::transport::{RTO_HIGH, RTO_LOW, Timeout, TransportSettings};
use bandwise_units::Time;

/// Returns when the first retransmission is sent, if all of `packets` are lost at first.
fn first_retransmission(settings: TransportSettings, packets: u32) -> Time {
    let lost: Vec<u32> = (0..packets).collect();
    let out = run(&Case::new(settings, packets).dropping(&lost));
    out.sent.iter().find(|(_, packet)| packet.retransmission).unwrap().0
}

#[test]
fn few_packets_in_flight_time_out_early() {
    for (packets, timeout) in [(1, RTO_LOW), (2, RTO_LOW), (3, RTO_HIGH), (50, RTO_HIGH)] {
        // Since packet 0 was sent.
        assert_eq!(
            first_retransmission(TransportSettings::irn(), packets),
            timeout,
            "{packets} packets"
        );
    }
    let timeout = Timeout::LowHigh { low: RTO_LOW, high: RTO_HIGH, few: 10 };
    let settings = TransportSettings { timeout, ..TransportSettings::irn() };
    assert_eq!(first_retransmission(settings, 9), RTO_LOW);
    assert_eq!(first_retransmission(settings, 10), RTO_HIGH);
    assert_eq!(first_retransmission(TransportSettings::roce(), 1), RTO_HIGH, "a fixed one");
}

#[test]
fn the_end_of_a_flow_times_out_early() {
    // 2 of 10 packets are left when the acknowledgement of the eighth arrives.
    let out = run(&Case::new(TransportSettings::irn(), 10).dropping(&[8, 9]));
    let eighth_acknowledged = Time::from_ns(200) * 7 + Time::from_us(10);
    assert_eq!(out.retransmissions(), [8, 9]);
    assert_eq!(out.sent[10].0, eighth_acknowledged + RTO_LOW);
    assert_eq!(out.timeouts, 1, "9 was sent before the retransmitted 8, which has arrived");
}

#[test]
fn a_dynamic_timeout_doubles() {
    // A single packet, lost three times: 320 us, 640 us, 1280 us.
    let out = run(&Case::new(
        TransportSettings { timeout: Timeout::DYNAMIC, ..TransportSettings::irn() },
        1,
    )
    .dropping(&[0, 0, 0]));
    let sent: Vec<Time> = out.sent.iter().map(|(time, _)| *time).collect();
    assert_eq!(sent, [0, 320, 960, 2240].map(Time::from_us));
}

#[test]
fn with_pfc_nothing_times_out() {
    let mut case = Case::new(TransportSettings::roce_with_pfc(), 10);
    case.data.delay = Time::from_ms(50);
    assert_eq!(run(&case).timeouts, 0);
}
