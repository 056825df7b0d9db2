//! Buffers shared by all ports of a switch.

use super::{DELAY, RATE, fat_tree, flow, headroom, irn, model, partitioned, random_flows, run};
use bandwise_netsim::ethernet::{
    Buffering, Classes, FlowSpec, Headroom, Network, NetworkModel, PortCounters, SharedBuffer,
    SharedPfc,
};
use bandwise_rdma::transport::TransportSettings;
use bandwise_topology::builders;
use bandwise_units::{Bytes, Time};
use proptest::prelude::*;

/// A network whose switches have shared buffers.
fn shared(
    transport: TransportSettings,
    buffer: u64,
    alpha: f64,
    headroom: Option<u64>,
) -> NetworkModel {
    let mut model = model(transport, false);
    let slack = Bytes::new(2_000);
    let pfc =
        headroom.map(|bytes| SharedPfc { headroom: Headroom::Fixed(Bytes::new(bytes)), slack });
    let (buffer, reserve) = (Bytes::new(buffer), Bytes::ZERO);
    model.switch.buffering = Buffering::Shared(SharedBuffer { buffer, alpha, reserve, pfc });
    model
}

fn longest_queues(network: &Network) -> Vec<u64> {
    let queue = |(_, counters): (_, PortCounters)| counters.peak_queue.get();
    network.ports().map(queue).filter(|&bytes| bytes > 0).collect()
}

/// Choudhury and Hahne, equation 2: each of n full queues holds alpha B / (1 + n alpha).
#[test]
fn full_queues_have_the_length_of_the_closed_form() {
    const BUFFER: u64 = 400_000;
    for (queues, alpha) in [(1, 1.0), (2, 1.0), (4, 1.0), (1, 8.0), (3, 8.0), (2, 0.25), (5, 0.5)] {
        // Three senders for each receiver, from the start.
        let fabric = builders::single_switch(4 * queues, RATE, DELAY).unwrap();
        let transport = TransportSettings { window: None, ..irn() };
        let mut network = Network::new(&fabric, &shared(transport, BUFFER, alpha, None), 1);
        let queues = u32::from(queues);
        for number in 0..3 * queues {
            let flow = flow(number, Time::ZERO, queues + number, number % queues, 4_000_000);
            network.open(&flow).unwrap();
        }
        network.run(Time::from_us(500));
        let expected = alpha * BUFFER as f64 / (1.0 + f64::from(queues) * alpha);
        let longest = longest_queues(&network);
        assert_eq!(longest.len(), queues as usize);
        for queue in longest {
            // Within one packet for each queue.
            let off = (queue as f64 - expected).abs();
            assert!(off <= 1_062.0 * f64::from(queues), "{queues} of {alpha}: {queue} {expected}");
        }
        let counters = network.counters();
        assert!(counters.packets_dropped > 0 && counters.peak_buffer.get() <= BUFFER);
        let of_outputs: u64 = network.ports().map(|(_, port)| port.dropped_leaving).sum();
        assert_eq!(of_outputs, counters.packets_dropped);
    }
}

#[test]
fn a_single_queue_may_hold_more_than_one_of_many() {
    // A static partition would refuse this: one queue of 18 ports takes 8/9 of the buffer.
    let fabric = builders::single_switch(18, RATE, DELAY).unwrap();
    let mut network = Network::new(&fabric, &shared(irn(), 1_800_000, 8.0, None), 1);
    let flows: Vec<FlowSpec> = (1..18).map(|src| flow(src, Time::ZERO, src, 0, 80_000)).collect();
    run(&mut network, &flows);
    assert_eq!(network.counters().packets_dropped, 0);
    assert!(longest_queues(&network)[0] > 1_200_000);
}

#[test]
fn packets_are_dropped_only_without_headroom() {
    let incast = |headroom| {
        let fabric = fat_tree();
        let model = shared(TransportSettings::roce_with_pfc(), 500_000, 1.0, Some(headroom));
        let mut network = Network::new(&fabric, &model, 1);
        for src in 1..54 {
            network.open(&flow(src, Time::ZERO, src, 0, 300_000)).unwrap();
        }
        network.run(Time::from_ms(20));
        network.counters()
    };
    let enough = incast(headroom(20_000));
    assert_eq!(enough.packets_dropped, 0);
    assert!(enough.pauses > 0 && enough.peak_buffer <= Bytes::new(500_000));
    assert!(incast(2_000).packets_dropped > 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any shared buffer, every flow arrives, no buffer exceeds its size, and lossless classes
    /// lose no packet.
    #[test]
    fn every_flow_arrives(
        seed in any::<u64>(),
        alpha in prop::sample::select(vec![0.06, 0.5, 1.0, 8.0]),
        pool in 5_000u64..200_000,
        reserve in 0u64..3_000,
        count in 1u8..5,
        lossless: u8,
        has_pfc: bool,
        apart in 1u64..4,
    ) {
        let fabric = builders::leaf_spine(3, 2, 4, RATE, Time::from_ns(500)).unwrap();
        let classes = Classes { count, lossless, ..Classes::ONE };
        let places = u64::from(count) * 7;
        let aside = if has_pfc { headroom(5_000) } else { 0 };
        let buffer = pool + places * (reserve + aside);
        let mut model = shared(irn(), buffer, alpha, has_pfc.then_some(aside));
        if let Buffering::Shared(shared) = &mut model.switch.buffering {
            shared.reserve = Bytes::new(reserve);
        }
        model.classes = classes;
        let mut flows = random_flows(seed, 60, 12);
        for flow in &mut flows {
            flow.class = (flow.number % u32::from(count)) as u8;
        }
        let mut network = Network::new(&fabric, &model, seed);
        let finished = run(&mut network, &flows);
        prop_assert_eq!(finished.len(), flows.len());
        let counters = network.counters();
        prop_assert!(counters.peak_buffer.get() <= buffer);
        prop_assert_eq!((network.open_flows(), network.packets_buffered()), (0, 0));
        let all = u8::MAX >> (8 - count);
        prop_assert!(!(has_pfc && lossless & all == all) || counters.packets_dropped == 0);
        let mut partitioned = partitioned(&fabric, &model, seed, 2, Time::from_ns(200 * apart));
        prop_assert_eq!(run(&mut partitioned, &flows), finished);
    }
}
