//! Counters of single ports.

use super::{DELAY, RATE, flow, model, run};
use bandwise_netsim::ethernet::{FlowSpec, Network, Pfc};
use bandwise_rdma::transport::TransportSettings;
use bandwise_topology::{FabricBuilder, Port};
use bandwise_units::{Bytes, Time};

#[test]
fn ports_count_pauses_and_their_duration() {
    let fabric = bandwise_topology::builders::single_switch(4, RATE, DELAY).unwrap();
    let mut model = model(TransportSettings::roce_with_pfc(), true);
    // The first input pauses earlier than the others.
    let first = Port { node: fabric.switches()[0], number: 1 };
    let (xoff, xon) = (Bytes::new(50_000), Bytes::new(20_000));
    model.thresholds = vec![(first, Pfc { xoff, xon })];
    let mut network = Network::new(&fabric, &model, 1);
    let flows: Vec<FlowSpec> = (0..3).map(|src| flow(src, Time::ZERO, src, 3, 2_000_000)).collect();
    run(&mut network, &flows);
    let ports: Vec<_> = network.ports().collect();
    assert_eq!(ports.len(), 8, "four of the switch and one of each host");
    assert_eq!(ports[0].0, first);
    let (early, other, out) = (ports[0].1, ports[1].1, ports[3].1);
    // It also resumes later, so it pauses less often.
    assert!(other.pauses > early.pauses && early.pauses > 10);
    assert!(early.peak < Bytes::new(80_000) && other.peak > Bytes::new(200_000));
    // Each sender gets a third of the link, so it is paused for two thirds of the time.
    let whole = network.alone(0, 3, 6_000_000).as_s_f64();
    assert!((early.paused.as_s_f64() / whole - 0.66).abs() < 0.05, "{early:?}");
    assert!(early.longest_pause * early.pauses >= early.paused);
    assert_eq!((out.pauses, out.peak, out.sent), (0, Bytes::ZERO, 6_000));
    assert!(out.peak_queue > Bytes::new(400_000));
    let counters = network.counters();
    assert_eq!(counters.pauses, ports.iter().map(|(_, port)| port.pauses).sum::<u64>());
    assert_eq!(counters.packet_hops, ports.iter().map(|(_, port)| port.sent).sum::<u64>());
}

#[test]
fn a_current_pause_is_counted() {
    let fabric = bandwise_topology::builders::single_switch(4, RATE, DELAY).unwrap();
    let model = model(TransportSettings::roce_with_pfc(), true);
    let mut network = Network::new(&fabric, &model, 1);
    for src in 0..3 {
        network.open(&flow(src, Time::ZERO, src, 3, 2_000_000)).unwrap();
    }
    let stopped = |network: &mut Network, now| {
        network.run(now);
        network.ports().map(|(_, port)| port.paused).max().unwrap()
    };
    // The buffers are full by then, and the next pause lasts longer than a microsecond.
    let times = (0..10).map(|ns| Time::from_us(80) + Time::from_ns(100 * ns));
    let paused: Vec<Time> = times.map(|now| stopped(&mut network, now)).collect();
    let grows = paused.windows(2).all(|pair| pair[1] - pair[0] == Time::from_ns(100));
    assert!(grows, "{paused:?}");
}

#[test]
fn a_switch_may_have_ports_without_a_cable() {
    let mut b = FabricBuilder::new();
    let node = b.add_switch("s", 9).unwrap();
    for number in [2, 5, 9] {
        let host = b.add_host(format!("h{number}"), 1).unwrap();
        let [a, z] = [Port { node: host, number: 1 }, Port { node, number }];
        b.connect(a, z, RATE, DELAY).unwrap();
    }
    let fabric = b.build().unwrap();
    let mut network = Network::new(&fabric, &model(TransportSettings::roce_with_pfc(), true), 1);
    let finished = run(&mut network, &[flow(0, Time::ZERO, 0, 2, 10_000)]);
    assert_eq!(finished[0].completion_time(), network.alone(0, 2, 10_000));
    let sent: Vec<_> = network.ports().map(|(port, c)| (port.number, c.sent)).collect();
    assert_eq!(sent, [(2, 1), (5, 0), (9, 10), (1, 10), (1, 0), (1, 1)]);
}
