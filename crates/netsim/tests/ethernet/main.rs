//! RDMA flows over Ethernet: alone, sharing, with losses, with priority flow control.

mod capture;
mod classes;
mod equal_senders;
mod homa;
mod hpcc;
mod large_switches;
mod md1;
mod pfc_deadlock;
mod polls;
mod ports;
mod shared;
mod spray;
mod timeouts;

use bandwise_netsim::ethernet::{
    Buffering, Classes, Counters, FinishedFlow, FlowSpec, HostModel, InputBuffers, Network,
    NetworkModel, Pfc, Routing, SwitchModel, bdp_packets,
};
use bandwise_random::Stream;
use bandwise_rdma::congestion::{self, Algorithm, NotificationSettings, RedMarker};
use bandwise_rdma::transport::{Acks, Recovery, Timeout, TransportSettings};
use bandwise_topology::{Fabric, FabricBuilder, Port, builders};
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;
use std::num::{NonZeroU32, NonZeroUsize};

const RATE: BitRate = BitRate::from_gbps(40);
const DELAY: Time = Time::from_us(2);

fn fat_tree() -> Fabric {
    builders::fat_tree(6, RATE, DELAY).unwrap()
}

/// A model with buffers of 240 KB; flow control pauses when all but [`headroom`] is full.
fn model(transport: TransportSettings, pfc: bool) -> NetworkModel {
    let xoff = Bytes::new(240_000 - headroom(20_000));
    let pfc = pfc.then_some(Pfc { xoff, xon: xoff });
    NetworkModel {
        switch: SwitchModel { buffering: per_input(240_000, pfc), ecn: None },
        thresholds: Vec::new(),
        pause_response: Time::ZERO,
        classes: Classes::ONE,
        routing: Routing::Ecmp,
        host: HostModel {
            transport,
            congestion: congestion::CongestionSettings::default(),
            notification: NotificationSettings::default(),
            mtu: 1000,
            extra_header: 0,
            poll: None,
            ack_class: None,
            cnp_class: None,
            homa: None,
        },
    }
}

fn per_input(buffer: u64, pfc: Option<Pfc>) -> Buffering {
    Buffering::PerInput(InputBuffers { buffer: Bytes::new(buffer), pfc })
}

/// Bytes that arrive after a pause: those on the link in both directions, the packet that exceeded
/// the threshold, those being transmitted at both ends, and the PFC frame.
fn headroom(link: u64) -> u64 {
    link + 3 * 1_082 + 84
}

fn flow(number: u32, start: Time, src: u32, dst: u32, bytes: u64) -> FlowSpec {
    FlowSpec { number, start, src, dst, bytes, class: 0 }
}

/// Runs until nothing remains due, in slices.
fn run(network: &mut Network, flows: &[FlowSpec]) -> Vec<FinishedFlow> {
    flows.iter().for_each(|flow| network.open(flow).unwrap());
    let mut finished = Vec::new();
    let mut end = Time::ZERO;
    loop {
        end += Time::from_us(100);
        assert!(end < Time::from_ms(5_000), "does not terminate");
        let goes_on = network.run(end);
        network.take_finished(|f| finished.push(f));
        if !goes_on {
            finished.sort_by_key(|f| f.number);
            return finished;
        }
    }
}

/// Builds the same network in `shards` shards, with links of at least `min_latency` between partitions.
fn partitioned(
    fabric: &Fabric,
    model: &NetworkModel,
    seed: u64,
    shards: usize,
    min_latency: Time,
) -> Network {
    Network::partitioned(fabric, model, seed, NonZeroUsize::new(shards).unwrap(), min_latency)
}

/// IRN with the cap of the default network.
fn irn() -> TransportSettings {
    let cap = bdp_packets(&fat_tree(), &model(TransportSettings::irn(), false).host);
    TransportSettings { window: NonZeroU32::new(cap), ..TransportSettings::irn() }
}

fn all_transports() -> Vec<(&'static str, TransportSettings, bool)> {
    let irn = irn();
    vec![
        ("RoCE with PFC", TransportSettings::roce_with_pfc(), true),
        ("RoCE", TransportSettings::roce(), false),
        ("IRN", irn, false),
        ("IRN with PFC", irn, true),
        ("IRN with go-back-N", TransportSettings { recovery: Recovery::GoBackN, ..irn }, false),
        ("IRN without BDP-FC", TransportSettings { window: None, ..irn }, false),
        ("no SACK", TransportSettings { recovery: Recovery::SelectiveWithoutSack, ..irn }, false),
        ("dynamic timeout", TransportSettings { timeout: Timeout::DYNAMIC, ..irn }, false),
        ("iWARP", TransportSettings::iwarp(), false),
    ]
}

#[test]
fn a_single_flow_has_a_slowdown_of_one() {
    for (name, transport, pfc) in all_transports() {
        for (dst, bytes) in [(1, 64), (4, 1000), (53, 1001), (53, 100_000), (30, 3_000_000)] {
            let mut network = Network::new(&fat_tree(), &model(transport, pfc), 1);
            let finished = run(&mut network, &[flow(0, Time::from_us(3), 0, dst, bytes)]);
            let alone = network.alone(0, dst, bytes);
            // TCP starts with a few packets and waits for their acknowledgements.
            if name == "iWARP" && bytes > 4000 {
                assert!(finished[0].completion_time() > alone, "{name}, {bytes} B");
            } else {
                assert_eq!(finished[0].completion_time(), alone, "{name}, {bytes} B");
            }
            let counters = network.counters();
            assert_eq!(counters.packets_dropped + counters.packets_retransmitted, 0);
            assert_eq!(network.open_flows(), 0);
        }
    }
}

#[test]
fn a_switch_may_have_ports_without_a_cable() {
    let mut fabric = FabricBuilder::new();
    let switch = fabric.add_switch("s", 5).unwrap();
    for (name, number) in [("a", 2), ("b", 4)] {
        let host = Port { node: fabric.add_host(name, 1).unwrap(), number: 1 };
        fabric.connect(host, Port { node: switch, number }, RATE, DELAY).unwrap();
    }
    let mut network = Network::new(&fabric.build().unwrap(), &model(irn(), false), 1);
    let finished = run(&mut network, &[flow(0, Time::ZERO, 0, 1, 3000)]);
    assert_eq!(finished[0].completion_time(), network.alone(0, 1, 3000));
}

#[test]
fn two_flows_share_a_link_equally() {
    for (name, transport, pfc) in all_transports() {
        let fabric = builders::single_switch(3, RATE, DELAY).unwrap();
        let mut network = Network::new(&fabric, &model(transport, pfc), 1);
        let flows = [0, 1].map(|src| flow(src, Time::ZERO, src, 2, 4_000_000));
        let finished = run(&mut network, &flows);
        let alone = network.alone(0, 2, 8_000_000);
        let last = finished.iter().map(FinishedFlow::completion_time).max().unwrap();
        let first = finished.iter().map(FinishedFlow::completion_time).min().unwrap();
        // Without losses both end when all bytes have crossed the shared link.
        if pfc {
            assert_eq!(last, alone, "{name}");
        }
        if transport.recovery == Recovery::GoBackN && !pfc {
            // RoCE without flow control loses the same packet repeatedly and detects it by
            // timeouts.
            continue;
        }
        assert!(last >= alone && last < alone * 2, "{name}: {last} for {alone}");
        assert!(first > last * 9 / 10, "{name}: {first} and {last}");
    }
}

#[test]
fn an_incast_with_flow_control_ends_when_the_line_rate_allows() {
    let fabric = fat_tree();
    let mut network = Network::new(&fabric, &model(TransportSettings::roce_with_pfc(), true), 1);
    let senders: Vec<u32> = (1..54).step_by(3).collect();
    let each = 1_000_000;
    let flows: Vec<FlowSpec> =
        (0..).zip(&senders).map(|(number, &src)| flow(number, Time::ZERO, src, 0, each)).collect();
    let finished = run(&mut network, &flows);
    let last = finished.iter().map(|f| f.at).max().unwrap();
    let bound = network.alone(53, 0, each * senders.len() as u64);
    let counters = network.counters();
    assert_eq!(counters.packets_dropped, 0);
    assert!(counters.pauses > 0);
    assert!(last.as_ps() as f64 / bound.as_ps() as f64 <= 1.02, "{last} for {bound}");
}

#[test]
fn congestion_control_does_not_slow_a_single_flow_and_keeps_queues_short() {
    let dropped = |algorithm| {
        let mut model = model(irn(), false);
        model.host.congestion.algorithm = algorithm;
        model.switch.ecn = algorithm.needs_marks().then_some(RedMarker::DCQCN.into());
        let mut network = Network::new(&fat_tree(), &model, 1);
        let finished = run(&mut network, &[flow(0, Time::ZERO, 0, 53, 2_000_000)]);
        let alone = network.alone(0, 53, 2_000_000);
        let slowdown = finished[0].completion_time().as_ps() as f64 / alone.as_ps() as f64;
        // HPCC fills 95% of a link (HPCC 3.3).
        let most = if algorithm == Algorithm::Hpcc { 1.06 } else { 1.01 };
        assert!(slowdown < most, "{algorithm:?}: {slowdown}");
        // Two flows to one host.
        let mut network = Network::new(&fat_tree(), &model, 1);
        let flows = [5, 20].map(|src| flow(src, Time::ZERO, src, 53, 20_000_000));
        let finished = run(&mut network, &flows);
        let last = finished.iter().map(FinishedFlow::completion_time).max().unwrap();
        let bound = network.alone(5, 53, 40_000_000);
        assert!(last < bound * 3, "{algorithm:?}: {last} for {bound}");
        let counters = network.counters();
        assert_eq!(counters.packets_marked > 0, algorithm.needs_marks(), "{algorithm:?}");
        counters.packets_dropped
    };
    let without = dropped(Algorithm::None);
    for algorithm in Algorithm::ALL.into_iter().skip(1) {
        assert!(dropped(algorithm) <= without, "{algorithm:?}");
    }
}

#[test]
fn a_lossless_network_needs_its_headroom() {
    // All other hosts send to one: without headroom packets are dropped.
    let incast = |xoff: u64| {
        let mut model = model(TransportSettings::roce_with_pfc(), true);
        let xoff = Bytes::new(xoff);
        model.switch.buffering = per_input(240_000, Some(Pfc { xoff, xon: xoff }));
        let mut network = Network::new(&fat_tree(), &model, 1);
        let flows: Vec<FlowSpec> =
            (1..54).map(|src| flow(src, Time::ZERO, src, 0, 300_000)).collect();
        flows.iter().for_each(|flow| network.open(flow).unwrap());
        network.run(Time::from_ms(20));
        network.counters()
    };
    let enough = incast(240_000 - headroom(20_000));
    assert_eq!(enough.packets_dropped, 0);
    assert!(enough.peak_buffer > Bytes::new(220_000), "{}", enough.peak_buffer);
    assert!(incast(240_000).packets_dropped > 0);
}

/// Random flows through small buffers.
fn random_flows(seed: u64, count: u32, hosts: u32) -> Vec<FlowSpec> {
    let mut stream = Stream::new(seed, "flows", 0);
    let mut flow = |number| {
        let src = stream.below(hosts.into()) as u32;
        let dst = (src + 1 + stream.below(u64::from(hosts) - 1) as u32) % hosts;
        let size = stream.below(14);
        let bytes = 1 + stream.below(64 << size);
        flow(number, stream.time_below(Time::from_us(200)), src, dst, bytes)
    };
    (0..count).map(&mut flow).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any losses, every flow arrives. With flow control no packet is lost. The partitions have
    /// no effect.
    #[test]
    fn every_flow_arrives(
        seed in any::<u64>(), which in 0usize..9, buffer in 5_000u64..60_000, min_latency in 1u64..4,
        shards in 2usize..5,
        algorithm in prop::sample::select(Algorithm::ALL.to_vec()),
    ) {
        let (name, transport, pfc) = all_transports()[which];
        let fabric = builders::leaf_spine(3, 2, 4, RATE, Time::from_ns(500)).unwrap();
        let mut model = model(transport, pfc);
        model.switch.buffering = per_input(buffer, None);
        model.host.congestion.algorithm = algorithm;
        if algorithm != Algorithm::None && transport.acks == Acks::OnCompletion {
            // Windows and round trips need acknowledgements.
            model.host.transport.acks = Acks::EveryPacket;
        }
        model.switch.ecn = Some(RedMarker::DCQCN.into());
        if pfc {
            // Two delays of 500 ns hold 5 KB.
            let xoff = Bytes::new(buffer);
            let pfc = Pfc { xoff, xon: xoff };
            model.switch.buffering = per_input(buffer + headroom(5_000), Some(pfc));
        }
        let flows = random_flows(seed, 60, 12);
        let mut network = Network::new(&fabric, &model, seed);
        let finished = run(&mut network, &flows);
        prop_assert_eq!(finished.len(), flows.len(), "{}", name);
        for (finished, flow) in finished.iter().zip(&flows) {
            prop_assert_eq!(finished.bytes, flow.bytes);
            let alone = network.alone(flow.src, flow.dst, flow.bytes);
            prop_assert!(finished.completion_time() >= alone);
        }
        let counters = network.counters();
        prop_assert!(!pfc || counters.packets_dropped == 0, "{}", name);
        prop_assert_eq!((network.open_flows(), network.packets_buffered()), (0, 0));
        let min_latency = Time::from_ns(200 * min_latency);
        let whole = partitioned(&fabric, &model, seed, 1, min_latency);
        let partitioned = partitioned(&fabric, &model, seed, shards, min_latency);
        let [whole, partitioned] = [whole, partitioned].map(|mut network| {
            prop_assert_eq!(run(&mut network, &flows), finished.as_slice());
            Ok((network.counters(), network.ports().collect::<Vec<_>>()))
        });
        let ((whole, ports), (partitioned, of_parted)) = (whole?, partitioned?);
        prop_assert_eq!(&ports, &of_parted);
        prop_assert_eq!(ports, network.ports().collect::<Vec<_>>());
        prop_assert_eq!(whole, partitioned);
        let events = counters.events;
        prop_assert_eq!(Counters { events, ..whole }, counters);
    }
}
