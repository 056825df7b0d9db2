//! HPCC: telemetry of switches keeps queues almost empty.

use super::{DELAY, RATE, flow, model, run};
use bandwise_netsim::ethernet::{FlowSpec, Network, NetworkModel};
use bandwise_rdma::congestion::Algorithm;
use bandwise_rdma::transport::{Acks, TransportSettings};
use bandwise_topology::builders;
use bandwise_units::{Bytes, Time};

fn with(algorithm: Algorithm) -> NetworkModel {
    let transport =
        TransportSettings { acks: Acks::EveryPacket, ..TransportSettings::roce_with_pfc() };
    let mut model = model(transport, true);
    model.host.congestion.algorithm = algorithm;
    // B T (1 - eta) / N for four flows (HPCC 3.3).
    model.host.congestion.hpcc.additive_increase = Bytes::new(600);
    model
}

#[test]
fn the_duration_of_a_single_flow_includes_telemetry() {
    let fabric = builders::fat_tree(6, RATE, DELAY).unwrap();
    let plain = Network::new(&fabric, &with(Algorithm::None), 1);
    let mut network = Network::new(&fabric, &with(Algorithm::Hpcc), 1);
    let finished = run(&mut network, &[flow(0, Time::ZERO, 0, 53, 5_000)]);
    let alone = network.alone(0, 53, 5_000);
    assert_eq!(finished[0].completion_time(), alone);
    // 42 bytes more on six links, and on one link for each packet after the first.
    let more = RATE.time_for(Bytes::new(42)) * (6 + 4);
    assert_eq!(alone, plain.alone(0, 53, 5_000) + more);
}

#[test]
fn two_flows_share_a_link_and_leave_its_queue_almost_empty() {
    let fabric = builders::single_switch(3, RATE, DELAY).unwrap();
    let mut network = Network::new(&fabric, &with(Algorithm::Hpcc), 1);
    let each = 40_000_000;
    let flows = [flow(0, Time::ZERO, 0, 2, each), flow(1, Time::from_ms(1), 1, 2, each)];
    let finished = run(&mut network, &flows);
    let [first, second] = [0, 1].map(|i| finished[i].at.as_s_f64());
    // The first flow has the link to itself for 1 ms. Both share the rest, so they end about 1 ms
    // apart.
    assert!((second - first) < 2.2e-3 && second > first, "{first} {second}");
    let bound = network.alone(0, 2, 2 * each).as_s_f64();
    assert!(second < bound / 0.93, "{second} {bound}: 95% of the link is used");
    // Bytes that the second flow sends in the round trip before the first telemetry of congestion.
    let queue = network.ports().map(|(_, port)| port.peak_queue).max().unwrap();
    assert!(queue < Bytes::new(50_000), "{queue}");
    assert_eq!(network.counters().pauses, 0);
}

#[test]
fn an_incast_keeps_queues_short() {
    let average_queue = |algorithm| {
        let fabric = builders::single_switch(9, RATE, DELAY).unwrap();
        let mut network = Network::new(&fabric, &with(algorithm), 1);
        let flows: Vec<FlowSpec> =
            (0..8).map(|src| flow(src, Time::ZERO, src, 8, 10_000_000)).collect();
        flows.iter().for_each(|flow| network.open(flow).unwrap());
        let samples = (100..1_000).map(|n| {
            network.run(Time::from_us(10) * n);
            network.packets_buffered() as f64
        });
        let average = samples.sum::<f64>() / 900.0;
        let done = run(&mut network, &[]);
        assert_eq!(done.len(), 8);
        let last = done.iter().map(|f| f.at).max().unwrap();
        let bound = network.alone(0, 8, 80_000_000);
        assert!(last.as_s_f64() < bound.as_s_f64() / 0.9, "{algorithm:?}: {last} {bound}");
        average
    };
    let (without, with) = (average_queue(Algorithm::None), average_queue(Algorithm::Hpcc));
    assert!(without > 1_000.0, "buffers are full: {without}");
    assert!(with < 10.0, "{with} packets");
}
