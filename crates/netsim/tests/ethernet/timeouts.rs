//! Detection of a lost last packet.

use super::{DELAY, RATE, flow, irn, model, per_input, run};
use bandwise_netsim::ethernet::Network;
use bandwise_rdma::transport::{Timeout, TransportSettings};
use bandwise_topology::builders;
use bandwise_units::Time;

/// IRN 3.1: RTO_low applies as soon as few packets are in flight, even if RTO_high applied before.
/// A second flow of four packets takes the buffer space of one of the last packets of a flow of 130
/// us.
#[test]
fn a_lost_tail_is_detected_by_the_short_timeout() {
    let fabric = builders::single_switch(3, RATE, DELAY).unwrap();
    let timeout = Timeout::LowHigh { low: Time::from_us(100), high: Time::from_ms(50), few: 3 };
    // Each input's buffer has room for one packet.
    let mut model = model(TransportSettings { timeout, ..irn() }, false);
    model.switch.buffering = per_input(1_100, None);
    let mut tails = 0;
    for step in 0..40 {
        let mut network = Network::new(&fabric, &model, 1);
        let start = Time::from_us(128) + Time::from_ns(50) * step;
        let flows = [flow(0, Time::ZERO, 0, 2, 600_000), flow(1, start, 1, 2, 4_000)];
        let finished = run(&mut network, &flows);
        let long = finished.iter().find(|flow| flow.number == 0).unwrap();
        let late = long.completion_time() - network.alone(0, 2, 600_000);
        assert!(late < Time::from_us(150), "{start}: late by {late}");
        tails += u32::from(late >= Time::from_us(90));
    }
    assert!(tails > 0, "no last packet was lost");
}
