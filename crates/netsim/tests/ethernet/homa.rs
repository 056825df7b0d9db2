//! Messages of Homa: alone, two to one host, in an incast, with losses.

use super::{DELAY, RATE, fat_tree, flow, irn, model, partitioned, per_input, random_flows, run};
use bandwise_netsim::ethernet::{
    Buffering, Classes, Counters, FinishedFlow, FlowSpec, Network, NetworkModel, Routing,
    SharedBuffer, bdp_packets,
};
use bandwise_rdma::homa::{HomaSettings, Priorities};
use bandwise_topology::{Fabric, builders};
use bandwise_units::{Bytes, Time};
use proptest::prelude::*;
use std::num::NonZeroU32;

/// A model with 8 priorities, `scheduled` of them scheduled, and a buffer of 16 MB.
fn homa(fabric: &Fabric, scheduled: u8, cutoffs: &[u64], rtt: u32) -> NetworkModel {
    let mut model = model(irn(), false);
    let cutoffs = cutoffs.iter().map(|&bytes| Bytes::new(bytes)).collect();
    model.host.homa = Some(HomaSettings {
        priorities: Priorities::new(scheduled, cutoffs).unwrap(),
        rtt: NonZeroU32::new(rtt).unwrap_or_else(|| {
            NonZeroU32::new(bdp_packets(fabric, &model.host)).expect("a packet at least")
        }),
        resend_after: Time::from_ms(2),
    });
    model.classes = Classes { count: 8, ..Classes::ONE };
    let (buffer, reserve) = (Bytes::new(16_000_000), Bytes::ZERO);
    let shared = SharedBuffer { buffer, alpha: 8.0, reserve, pfc: None };
    model.switch.buffering = Buffering::Shared(shared);
    model
}

/// Enough that the first packet's grant arrives before the last of them has left.
const BDP: u32 = 0;

#[test]
fn a_message_alone_takes_no_longer_than_its_link() {
    let fabric = fat_tree();
    for routing in [Routing::Ecmp, Routing::Spray] {
        let model = NetworkModel { routing, ..homa(&fabric, 7, &[], BDP) };
        for (dst, bytes) in [(1, 64), (4, 1000), (53, 1001), (53, 100_000), (30, 3_000_000)] {
            let mut network = Network::new(&fabric, &model, 1);
            let finished = run(&mut network, &[flow(0, Time::from_us(3), 0, dst, bytes)]);
            // With a random path per packet, a short last packet may overtake the one before.
            let (took, alone) = (finished[0].completion_time(), network.alone(0, dst, bytes));
            let is_first = routing == Routing::Spray && bytes % 1000 > 0;
            assert!(took == alone || is_first && took < alone, "{bytes} B: {took} for {alone}");
            let counters = network.counters();
            assert_eq!(counters.packets_dropped + counters.packets_retransmitted, 0);
            assert_eq!((counters.timeouts, network.open_flows()), (0, 0));
        }
    }
}

/// With fewer unscheduled packets than a round trip needs, a message waits one round trip for each
/// grant.
#[test]
fn a_single_message_waits_for_grants_if_rtt_bytes_are_too_small() {
    let fabric = fat_tree();
    let bdp = u64::from(bdp_packets(&fabric, &model(irn(), false).host));
    let mut network = Network::new(&fabric, &homa(&fabric, 7, &[], bdp as u32 / 2), 1);
    let finished = run(&mut network, &[flow(0, Time::ZERO, 0, 53, 20 * bdp * 1000)]);
    let ratio = finished[0].completion_time().as_ps() as f64
        / network.alone(0, 53, 20 * bdp * 1000).as_ps() as f64;
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
}

#[test]
fn the_shorter_of_two_messages_to_a_host_is_first() {
    let fabric = builders::single_switch(3, RATE, DELAY).unwrap();
    for scheduled in [1, 7] {
        let mut network = Network::new(&fabric, &homa(&fabric, scheduled, &[], BDP), 1);
        let (long, short) = (8_000_000, 2_000_000);
        let flows = [flow(0, Time::ZERO, 0, 2, long), flow(1, Time::from_us(100), 1, 2, short)];
        let finished = run(&mut network, &flows);
        let rtt = network.alone(0, 2, u64::from(bdp_packets(&fabric, &homa_host())) * 1000);
        let [last, first] = [0, 1].map(|number: usize| finished[number].completion_time());
        // The shorter message waits for packets granted to the longer one before, and for a packet
        // at the switch that the longer one may send at a lower priority.
        assert!(first <= network.alone(1, 2, short) + rtt, "{first}");
        // The link is never idle.
        let packet = Time::from_ns(250);
        assert!(last <= network.alone(0, 2, long + short) + packet, "{last}");
        assert_eq!(network.counters().packets_dropped, 0);
    }
}

fn homa_host() -> bandwise_netsim::ethernet::HostModel {
    model(irn(), false).host
}

#[test]
fn an_incast_fills_its_link_and_only_the_granted_buffer() {
    let fabric = fat_tree();
    for (scheduled, senders) in [(1, 17), (4, 17), (7, 17), (7, 53)] {
        let model = homa(&fabric, scheduled, &[], BDP);
        let mut network = Network::new(&fabric, &model, 1);
        let each = 1_000_000;
        let flows: Vec<FlowSpec> = (0..senders)
            .map(|number| flow(number, Time::ZERO, 53 - number * (53 / senders), 0, each))
            .collect();
        let finished = run(&mut network, &flows);
        let last = finished.iter().map(|f| f.at).max().unwrap();
        let bound = network.alone(53, 0, each * u64::from(senders));
        let counters = network.counters();
        assert_eq!(counters.packets_dropped, 0);
        // With 53 senders, packets granted early wait longer than a timeout behind the rest.
        assert!(senders == 53 || counters.packets_retransmitted == 0);
        // The unscheduled packets of all senders, and a round trip's worth of the granted messages.
        let rtt = model.host.homa.as_ref().unwrap().rtt.get();
        let most = (senders + u32::from(scheduled)) * rtt * model.host.full_frame();
        assert!(counters.peak_buffer <= Bytes::new(most.into()), "{}", counters.peak_buffer);
        assert!(last.as_ps() as f64 / bound.as_ps() as f64 <= 1.01, "{last} for {bound}");
    }
}

#[test]
fn short_messages_overtake_long_ones() {
    // 8 MB are in flight; a packet for the same host has the highest priority at its switch.
    let fabric = builders::single_switch(4, RATE, DELAY).unwrap();
    let model = homa(&fabric, 4, &[2_000, 20_000], BDP);
    let mut network = Network::new(&fabric, &model, 1);
    let flows = [
        flow(0, Time::ZERO, 0, 3, 8_000_000),
        flow(1, Time::ZERO, 1, 3, 8_000_000),
        flow(2, Time::from_us(500), 2, 3, 1_000),
    ];
    let finished = run(&mut network, &flows);
    // The packet waits for the one being transmitted.
    let most = network.alone(2, 3, 1_000) + Time::from_ns(250);
    assert!(finished[2].completion_time() <= most, "{}", finished[2].completion_time());
}

/// One sender has messages for two hosts, and a second sender has one for the first of them. That
/// message proceeds if more than one message is granted at a time (Homa 3.5).
#[test]
fn overcommitment_fills_the_link_where_a_sender_is_busy() {
    let fabric = builders::single_switch(4, RATE, DELAY).unwrap();
    let times = |scheduled| {
        let mut network = Network::new(&fabric, &homa(&fabric, scheduled, &[], BDP), 1);
        // Host 2 grants the shorter of two, whose sender then is busy with one for host 3.
        let flows = [
            flow(0, Time::ZERO, 0, 2, 1_000_000),
            flow(1, Time::from_us(20), 0, 3, 900_000),
            flow(2, Time::from_us(20), 1, 2, 1_200_000),
        ];
        let finished = run(&mut network, &flows);
        finished.iter().map(FinishedFlow::completion_time).collect::<Vec<_>>()
    };
    let (one, two) = (times(1), times(2));
    assert!(one[2] > two[2] * 3 / 2, "{one:?} {two:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any losses, every message arrives, and the partitions have no effect.
    #[test]
    fn every_message_arrives(
        seed in any::<u64>(), scheduled in 1u8..5, buffer in 5_000u64..60_000, apart in 1u64..4,
        shards in 2usize..5, spray: bool, rtt in 2u32..40,
    ) {
        let fabric = builders::leaf_spine(3, 2, 4, RATE, Time::from_ns(500)).unwrap();
        let mut model = homa(&fabric, scheduled, &[1_000, 8_000], rtt);
        model.routing = if spray { Routing::Spray } else { Routing::Ecmp };
        model.switch.buffering = per_input(buffer, None);
        let flows = random_flows(seed, 60, 12);
        let mut network = Network::new(&fabric, &model, seed);
        let finished = run(&mut network, &flows);
        prop_assert_eq!(finished.len(), flows.len());
        for (finished, flow) in finished.iter().zip(&flows) {
            prop_assert_eq!(finished.bytes, flow.bytes);
            let alone = network.alone(flow.src, flow.dst, flow.bytes);
            // Packets overtake each other: a short last packet may not arrive last.
            prop_assert!(finished.completion_time() + Time::from_ns(250) > alone);
        }
        let counters = network.counters();
        prop_assert!(counters.packets_dropped == 0 || counters.timeouts > 0);
        prop_assert_eq!((network.open_flows(), network.packets_buffered()), (0, 0));
        let apart = Time::from_ns(200 * apart);
        let whole = partitioned(&fabric, &model, seed, 1, apart);
        let partitioned = partitioned(&fabric, &model, seed, shards, apart);
        let [whole, partitioned] = [whole, partitioned].map(|mut network| {
            prop_assert_eq!(run(&mut network, &flows), finished.as_slice());
            Ok(network.counters())
        });
        let (whole, partitioned) = (whole?, partitioned?);
        prop_assert_eq!(whole, partitioned);
        let events = counters.events;
        prop_assert_eq!(Counters { events, ..whole }, counters);
    }
}
