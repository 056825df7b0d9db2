//! Traffic classes: effects of a pause, and precedence.

use super::{DELAY, RATE, flow, headroom, irn, model, per_input, random_flows, run};
use bandwise_netsim::ethernet::{
    Buffering, Classes, FlowSpec, Headroom, Network, NetworkModel, Pfc, Schedule, SharedBuffer,
    SharedPfc,
};
use bandwise_rdma::transport::TransportSettings;
use bandwise_topology::{FabricBuilder, Port, builders};
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;

fn classes(count: u8, schedule: Schedule) -> NetworkModel {
    let mut model = model(TransportSettings::roce_with_pfc(), true);
    model.classes = Classes { count, schedule, ..Classes::ONE };
    model
}

/// Returns the slowdown of a flow that shares its host's link with a flow of an incast.
fn slowdown_beside_an_incast(model: &NetworkModel, class: u8) -> f64 {
    let fabric = builders::single_switch(12, RATE, DELAY).unwrap();
    let mut network = Network::new(&fabric, model, 1);
    let mut flows: Vec<FlowSpec> =
        (0..10).map(|src| flow(src, Time::ZERO, src, 10, 1_000_000)).collect();
    flows.push(FlowSpec { class, ..flow(10, Time::from_us(300), 0, 11, 500_000) });
    let finished = run(&mut network, &flows);
    assert_eq!(network.counters().packets_dropped, 0);
    assert!(network.counters().pauses > 0);
    let alone = network.alone(0, 11, 500_000);
    finished[10].completion_time().as_ps() as f64 / alone.as_ps() as f64
}

#[test]
fn a_pause_of_one_class_does_not_pause_another() {
    // IEEE 802.1Qbb: with a single class, the flow is a victim of the incast's pauses.
    let victim = slowdown_beside_an_incast(&classes(1, Schedule::Strict), 0);
    assert!(victim > 3.0, "{victim}");
    let mut separate = classes(2, Schedule::Strict);
    let other = slowdown_beside_an_incast(&separate, 1);
    assert!(other < 1.1, "{other}");
    // The same holds for a class without flow control.
    separate.classes.lossless = 0b01;
    let other = slowdown_beside_an_incast(&separate, 1);
    assert!(other < 1.1, "{other}");
}

/// Returns the completion times of equal flows to one host, of class 0 and of class 1, relative to
/// the time of both.
fn shares(schedule: Schedule, same_host: bool) -> [f64; 2] {
    let fabric = builders::single_switch(3, RATE, DELAY).unwrap();
    let mut network = Network::new(&fabric, &classes(2, schedule), 1);
    let each = 4_000_000;
    let second = if same_host { 0 } else { 1 };
    let flows = [
        flow(0, Time::ZERO, 0, 2, each),
        FlowSpec { class: 1, ..flow(1, Time::ZERO, second, 2, each) },
    ];
    let both = network.alone(0, 2, 2 * each).as_ps() as f64;
    let finished = run(&mut network, &flows);
    [0, 1].map(|flow| finished[flow].completion_time().as_ps() as f64 / both)
}

#[test]
fn classes_share_a_link_by_their_schedule() {
    for same_host in [false, true] {
        let [low, high] = shares(Schedule::Strict, same_host);
        assert!((low - 1.0).abs() < 0.02 && (high - 0.5).abs() < 0.02, "{low} {high}");
        // With 3/4 of the link, half of the bytes take 2/3 of the time.
        let mut weights = [1; 8];
        weights[1] = 3;
        let [low, high] = shares(Schedule::Weighted { weights, strict: 0 }, same_host);
        assert!((low - 1.0).abs() < 0.02 && (high - 2.0 / 3.0).abs() < 0.02, "{low} {high}");
    }
}

fn schedule_of(weights: Option<[u16; 8]>, strict: u8) -> Schedule {
    weights.map_or(Schedule::Strict, |weights| Schedule::Weighted { weights, strict })
}

/// A host of 20 Gbps sends strict packets to one of 100 Gbps, and two others fill the rest by 3:7: 20, 24
/// and 56 Gbps. Flows of 2, 2.4 and 5.6 MB therefore end together, after 10,000 packets of 1,082 B:
/// 10,000 x 1,082 x 8 / 100 Gbps = 865.6 us.
#[test]
fn a_strict_class_precedes_weighted_ones() {
    let mut fabric = FabricBuilder::new();
    let switch = fabric.add_switch("s", 4).unwrap();
    for (number, gbps) in [(1, 20), (2, 100), (3, 100), (4, 100)] {
        let host = fabric.add_host(format!("h{number}"), 1).unwrap();
        let (a, b) = (Port { node: host, number: 1 }, Port { node: switch, number });
        fabric.connect(a, b, BitRate::from_gbps(gbps), Time::from_ns(100)).unwrap();
    }
    // The strict class is the one in the middle.
    let weights = [3, 1, 7, 1, 1, 1, 1, 1];
    let model = classes(3, Schedule::Weighted { weights, strict: 0b010 });
    let mut network = Network::new(&fabric.build().unwrap(), &model, 1);
    let flows = [(0, 1, 2_000_000), (1, 0, 2_400_000), (2, 2, 5_600_000)]
        .map(|(src, class, bytes)| FlowSpec { class, ..flow(src, Time::ZERO, src, 3, bytes) });
    for finished in run(&mut network, &flows) {
        let us = finished.completion_time().as_ns_f64() / 1e3;
        assert!((us / 865.6 - 1.0).abs() < 0.02, "{finished:?}");
    }
}

/// A flow whose acknowledgements cross the queue of an incast to its sender. The cap of packets in flight
/// is a round trip without queues, so that acknowledgements that wait slow the flow down.
#[test]
fn acknowledgements_of_a_class_of_their_own_pass_queues_of_data() {
    let slowdown = |ack_class: Option<u8>| {
        let mut model = model(irn(), false);
        model.classes = Classes { count: 2, ..Classes::ONE };
        let pfc = Some(SharedPfc { headroom: Headroom::ByLink, slack: Bytes::new(2_000) });
        let (buffer, reserve) = (Bytes::new(2_000_000), Bytes::ZERO);
        let shared = SharedBuffer { buffer, alpha: 1.0, reserve, pfc };
        model.switch.buffering = Buffering::Shared(shared);
        model.host.ack_class = ack_class;
        let fabric = builders::single_switch(8, RATE, DELAY).unwrap();
        let mut network = Network::new(&fabric, &model, 1);
        let mut flows: Vec<FlowSpec> =
            (2..8).map(|src| flow(src, Time::ZERO, src, 0, 1_000_000)).collect();
        flows.push(flow(0, Time::ZERO, 0, 1, 500_000));
        let finished = run(&mut network, &flows);
        let alone = network.alone(0, 1, 500_000).as_ps() as f64;
        // Flows are ordered by number.
        finished[0].completion_time().as_ps() as f64 / alone
    };
    let (same, other) = (slowdown(None), slowdown(Some(1)));
    assert!(same > 1.5, "{same}");
    // The host acknowledges each packet of the incast: 86 B for 1,082 B, 8% of its link.
    assert!(other < 1.09, "{other}");
    assert_eq!(slowdown(Some(0)), same, "the class of the flow");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// The oracle: if all flows are of one class, the number of other classes has no effect.
    #[test]
    fn unused_classes_do_not_change_results(
        seed in any::<u64>(), pfc: bool, class in 0u8..8, buffer in 5_000u64..60_000,
        weights in prop::option::of(prop::array::uniform8(1u16..9)), strict: u8,
    ) {
        let fabric = builders::leaf_spine(3, 2, 4, RATE, Time::from_ns(500)).unwrap();
        let mut model = model(if pfc { TransportSettings::roce_with_pfc() } else { irn() }, pfc);
        let xoff = Bytes::new(buffer);
        let thresholds = pfc.then_some(Pfc { xoff, xon: xoff });
        model.switch.buffering = per_input(buffer + headroom(5_000), thresholds);
        let mut flows = random_flows(seed, 60, 12);
        let expected = run(&mut Network::new(&fabric, &model, seed), &flows);
        let schedule = schedule_of(weights, strict);
        model.classes = Classes { count: 8, schedule, ..Classes::ONE };
        flows.iter_mut().for_each(|flow| flow.class = class);
        let finished = run(&mut Network::new(&fabric, &model, seed), &flows);
        prop_assert_eq!(finished, expected);
    }

    /// Flows of several classes all arrive, and lossless ones lose no packet.
    #[test]
    fn every_flow_of_every_class_arrives(
        seed in any::<u64>(), count in 2u8..=8, lossless: u8, buffer in 5_000u64..60_000,
        weights in prop::option::of(prop::array::uniform8(1u16..9)), strict: u8,
    ) {
        let fabric = builders::leaf_spine(3, 2, 4, RATE, Time::from_ns(500)).unwrap();
        let mut model = model(irn(), true);
        let xoff = Bytes::new(buffer);
        model.switch.buffering = per_input(buffer + headroom(5_000), Some(Pfc { xoff, xon: xoff }));
        let schedule = schedule_of(weights, strict);
        model.classes = Classes { count, lossless, schedule };
        let mut flows = random_flows(seed, 60, 12);
        flows.iter_mut().for_each(|flow| flow.class = (flow.number % u32::from(count)) as u8);
        let mut network = Network::new(&fabric, &model, seed);
        prop_assert_eq!(run(&mut network, &flows).len(), flows.len());
        let all = u8::MAX >> (8 - count);
        let dropped = network.counters().packets_dropped;
        prop_assert!(lossless & all != all || dropped == 0);
        prop_assert_eq!((network.open_flows(), network.packets_buffered()), (0, 0));
    }
}
