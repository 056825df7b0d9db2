//! Switches of more than 64 ports, whose sets of ports are larger than a word.

use super::*;
use bandwise_netsim::ethernet::Schedule;
use bandwise_topology::{NodeId, NodeKind};

/// Returns the fabric with `ports` ports a switch and the cables spread over all of them, in the
/// same order.
fn spread(fabric: &Fabric, ports: u16) -> Fabric {
    let mut b = FabricBuilder::new();
    for (id, node) in fabric.nodes().iter().zip(0..).map(|(node, id)| (NodeId(id), node)) {
        let is_host = node.kind == NodeKind::Host;
        b.add(node.name.clone(), node.kind, if is_host { fabric.port_count(id) } else { ports })
            .unwrap();
    }
    for link in fabric.links() {
        let far_apart = |end: Port| {
            let last = fabric.port_count(end.node) - 1;
            match fabric.is_switch(end.node) {
                true => Port { number: 1 + (end.number - 1) * ((ports - 1) / last), ..end },
                false => end,
            }
        };
        let [from, to] = link.ends.map(far_apart);
        b.connect(from, to, link.rate, link.delay).unwrap();
    }
    b.build().unwrap()
}

/// 100 hosts send 100 KB each to one: 10,000 packets of 1,082 B in 8 x 1,082 / 40 ns = 216.4 ns
/// each, after the first one's way of 2 us, 216.4 ns and 2 us.
#[test]
fn an_incast_of_100_takes_the_time_of_its_bytes() {
    let fabric = builders::single_switch(101, RATE, DELAY).unwrap();
    let mut model = model(TransportSettings::roce(), false);
    model.switch.buffering = per_input(1_000_000, None);
    let mut network = Network::new(&fabric, &model, 1);
    let flows: Vec<FlowSpec> =
        (1..=100).map(|src| flow(src, Time::ZERO, src, 0, 100_000)).collect();
    let finished = run(&mut network, &flows);
    let last = finished.iter().map(FinishedFlow::completion_time).max().unwrap();
    assert_eq!(last, Time::from_ps(2 * 2_000_000 + 216_400 + 10_000 * 216_400));
    // In round-robin order the first flow ends with the first packet of the last round.
    let first = finished.iter().map(FinishedFlow::completion_time).min().unwrap();
    assert_eq!(last - first, Time::from_ps(99 * 216_400));
    assert_eq!(network.counters().packets_dropped, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The oracle: ports without a cable have no effect, for sets of ports in one word and in
    /// several.
    #[test]
    fn ports_without_a_cable_do_not_change_results(
        seed in any::<u64>(), which in 0usize..9, buffer in 5_000u64..60_000,
        ports in prop::sample::select(vec![65u16, 128, 129, 256, 257, 512]),
        classes in 1u8..4, min_latency in 1u64..4, spray: bool,
    ) {
        let (_, transport, pfc) = all_transports()[which];
        let fabric = builders::leaf_spine(3, 2, 4, RATE, Time::from_ns(500)).unwrap();
        let large = spread(&fabric, ports);
        let mut model = model(transport, pfc);
        model.switch.ecn = Some(RedMarker::DCQCN.into());
        model.host.congestion.algorithm = Algorithm::Dcqcn;
        model.host.transport.acks = Acks::EveryPacket;
        let thresholds = pfc.then_some(Pfc { xoff: Bytes::new(buffer), xon: Bytes::new(buffer) });
        model.switch.buffering = per_input(buffer + headroom(5_000), thresholds);
        model.classes = Classes { count: classes, schedule: Schedule::Strict, ..Classes::ONE };
        let selective = matches!(transport.recovery, Recovery::Selective { .. });
        model.routing = if spray && selective { Routing::Spray } else { Routing::Ecmp };
        let mut flows = random_flows(seed, 60, 12);
        flows.iter_mut().for_each(|flow| flow.class = (flow.number % u32::from(classes)) as u8);
        let min_latency = Time::from_ns(200 * min_latency);
        let [small, large] = [&fabric, &large].map(|fabric| {
            let mut network = partitioned(fabric, &model, seed, 2, min_latency);
            let finished = run(&mut network, &flows);
            let cabled = |(port, _): &(Port, _)| fabric.peer(*port).is_some();
            let ports = network.ports().filter(cabled).map(|(_, counters)| counters);
            (finished, network.counters(), ports.collect::<Vec<_>>())
        });
        prop_assert_eq!(small.0.len(), flows.len());
        prop_assert_eq!(small, large);
    }
}
