//! Captures record every packet with place and time, and change no result.

use bandwise_netsim::ethernet::packet::Kind;
use bandwise_netsim::ethernet::{
    Buffering, CaptureFilter, CaptureRecord, CapturedFrame, CapturedPacket, Classes, Counters,
    Direction, FinishedFlow, FlowSpec, HostModel, InputBuffers, Network, NetworkModel, Pfc,
    Routing, SwitchModel,
};
use bandwise_random::Stream;
use bandwise_rdma::congestion::{self, Algorithm, NotificationSettings, RedMarker};
use bandwise_rdma::transport::TransportSettings;
use bandwise_topology::{Fabric, NodeId, Port, builders};
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;
use std::collections::BTreeSet;

const RATE: BitRate = BitRate::from_gbps(40);

fn model(transport: TransportSettings, pfc: bool, dcqcn: bool) -> NetworkModel {
    // Buffers that overflow, or nearly so: 500 ns of delay in both directions hold 5 KB.
    let xoff = Bytes::new(15_000);
    let algorithm = if dcqcn { Algorithm::Dcqcn } else { Algorithm::None };
    NetworkModel {
        switch: SwitchModel {
            buffering: Buffering::PerInput(InputBuffers {
                buffer: Bytes::new(if pfc { 30_000 } else { 8_000 }),
                pfc: pfc.then_some(Pfc { xoff, xon: xoff }),
            }),
            ecn: dcqcn.then_some(RedMarker::step(Bytes::new(5_000)).into()),
        },
        thresholds: Vec::new(),
        pause_response: Time::ZERO,
        classes: Classes::ONE,
        routing: Routing::Ecmp,
        host: HostModel {
            transport,
            congestion: congestion::CongestionSettings {
                algorithm,
                ..congestion::CongestionSettings::default()
            },
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

fn rack(delay: Time) -> Fabric {
    builders::single_switch(4, RATE, delay).unwrap()
}

fn port(fabric: &Fabric, name: &str, number: u16) -> Port {
    Port { node: fabric.find(name).unwrap(), number }
}

fn all_ports(fabric: &Fabric) -> CaptureFilter {
    let nodes = (0..fabric.nodes().len() as u32).map(NodeId);
    CaptureFilter {
        ports: nodes.flat_map(|node| fabric.ports(node)).collect(),
        flows: BTreeSet::new(),
    }
}

/// Runs flows to their end, inspecting the network at the given interval.
fn run(
    fabric: &Fabric,
    model: &NetworkModel,
    flows: &[FlowSpec],
    chosen: Option<CaptureFilter>,
    slice: Time,
) -> (Vec<CaptureRecord>, Vec<FinishedFlow>, Counters) {
    let mut network = Network::new(fabric, model, 1);
    if let Some(chosen) = chosen {
        network.capture(chosen);
    }
    flows.iter().for_each(|flow| network.open(flow).unwrap());
    let (mut seen, mut finished, mut end) = (Vec::new(), Vec::new(), Time::ZERO);
    loop {
        end += slice;
        let goes_on = network.run(end);
        network.take_finished(|flow| finished.push(flow));
        network.take_records(!goes_on, |sighting| seen.push(sighting));
        if !goes_on {
            finished.sort_by_key(|flow| flow.number);
            return (seen, finished, network.counters());
        }
    }
}

#[test]
fn capture_of_one_packet_matches_hand_computed_times() {
    // 1062 B and 20 B of gap take 216.4 ns at 40 Gbps, an acknowledgement of 66 B takes 17.2 ns.
    let fabric = rack(Time::from_us(1));
    let flow =
        FlowSpec { number: 7, start: Time::from_ns(100), src: 2, dst: 0, bytes: 1000, class: 0 };
    let switch = fabric.node(fabric.switches()[0]).name.clone();
    let [h0, h2] = ["h0", "h2"].map(|name| port(&fabric, name, 1));
    let [s0, s2] = [1, 3].map(|number| port(&fabric, &switch, number));
    let chosen = all_ports(&fabric);
    let model = model(TransportSettings::irn(), false, false);
    let (seen, ..) = run(&fabric, &model, &[flow], Some(chosen), Time::from_us(1));
    let (arrived, out) = (Direction::In, Direction::Out);
    let expected = [
        (100_000, h2, out),
        (1_316_400, s2, arrived),
        (1_316_400, s0, out),
        (2_532_800, h0, arrived),
        (2_532_800, h0, out),
        (3_550_000, s0, arrived),
        (3_550_000, s2, out),
        (4_567_200, h2, arrived),
    ];
    let found: Vec<_> = seen.iter().map(|s| (s.at.as_ps(), s.port, s.direction)).collect();
    let sorted = |mut list: Vec<(u64, Port, Direction)>| {
        list.sort();
        list
    };
    assert_eq!(sorted(found.clone()), sorted(expected.to_vec()));
    assert!(found.is_sorted());
    let packets = seen.iter().map(|s| match s.frame {
        CapturedFrame::Packet(CapturedPacket { kind, seq, bytes, flow, .. }) => {
            (kind, seq, bytes, flow.number)
        }
        CapturedFrame::Pfc(_) => panic!("no sender is paused"),
    });
    let (data, acks): (Vec<_>, Vec<_>) = packets.partition(|packet| packet.0 == Kind::Data);
    assert!(data.len() == 4 && data.iter().all(|data| *data == (Kind::Data, 0, 1062, 7)));
    assert!(acks.len() == 4 && acks.iter().all(|ack| *ack == (Kind::Ack, 1, 66, 7)));
}

/// Ensures that the comparison below is not vacuous.
#[test]
fn random_flows_are_dropped_marked_and_paused() {
    let fabric = rack(Time::from_ns(200));
    let counters = |settings, pfc, dcqcn| {
        let model = model(settings, pfc, dcqcn);
        run(&fabric, &model, &random_flows(1, 40), None, Time::from_us(100)).2
    };
    let irn = counters(TransportSettings::irn(), false, false);
    assert!(irn.packets_dropped > 0 && irn.packets_retransmitted > 0);
    assert!(counters(TransportSettings::irn(), false, true).packets_marked > 0);
    assert!(counters(TransportSettings::roce_with_pfc(), true, false).pauses > 0);
}

#[test]
fn packets_in_flight_at_the_end_are_recorded_as_sent() {
    let fabric = rack(Time::from_us(1));
    let model = model(TransportSettings::irn(), false, false);
    let mut network = Network::new(&fabric, &model, 1);
    network.capture(all_ports(&fabric));
    let flow = FlowSpec { number: 0, start: Time::ZERO, src: 2, dst: 0, bytes: 5000, class: 0 };
    network.open(&flow).unwrap();
    // 4 of 5 packets have left, none has arrived at the switch.
    network.run(Time::from_ns(800));
    let mut seen = Vec::new();
    network.take_records(false, |sighting| seen.push(sighting));
    assert_eq!(seen, []);
    network.take_records(true, |sighting| seen.push(sighting));
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|sighting| sighting.direction == Direction::Out));
}

fn random_flows(seed: u64, count: u32) -> Vec<FlowSpec> {
    let mut random = Stream::new(seed, "flows", 0);
    let flow = |number| {
        let src = random.below(4) as u32;
        FlowSpec {
            number,
            start: Time::from_ns(random.below(20_000)),
            src,
            dst: (src + 1 + random.below(3) as u32) % 4,
            bytes: 1 + random.below(60_000),
            class: 0,
        }
    };
    (0..count).map(flow).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The counters are the oracle for frames sent, dropped, marked and retransmitted, and for
    /// pauses.
    #[test]
    fn every_frame_is_recorded_once_and_results_stay_equal(
        seed in any::<u64>(), transport in 0usize..4, dcqcn in any::<bool>(),
        delay in 0u64..500, slice in 300u64..100_000,
    ) {
        let (settings, pfc) = [
            (TransportSettings::irn(), false),
            (TransportSettings::roce(), false),
            (TransportSettings { timeout: bandwise_rdma::transport::Timeout::None, ..TransportSettings::irn() }, true),
            (TransportSettings::iwarp(), false),
        ][transport];
        let fabric = rack(Time::from_ns(delay));
        let model = model(settings, pfc, dcqcn);
        let flows = random_flows(seed, 12);
        // The time of an inspection decides when a flow is removed, and with it the effect of late
        // packets.
        let slice = Time::from_ns(slice);
        let (none, plain, plain_counters) = run(&fabric, &model, &flows, None, slice);
        let chosen = all_ports(&fabric);
        let (seen, finished, counters) = run(&fabric, &model, &flows, Some(chosen), slice);
        prop_assert!(none.is_empty());
        prop_assert_eq!((&finished, counters), (&plain, plain_counters));
        prop_assert!(seen.is_sorted_by_key(|s| (s.at, s.port, s.direction)));
        let is_host = |s: &&CaptureRecord| !fabric.is_switch(s.port.node);
        let is_packet = |s: &&CaptureRecord| matches!(s.frame, CapturedFrame::Packet(_));
        let count = |list: &[CaptureRecord], of: &dyn Fn(&CaptureRecord) -> bool| {
            list.iter().filter(|s| of(s)).count() as u64
        };
        let (sent, came): (Vec<CaptureRecord>, Vec<CaptureRecord>) =
            seen.iter().partition(|s| s.direction == Direction::Out);
        prop_assert_eq!(sent.len(), came.len());
        prop_assert_eq!(sent.iter().filter(is_packet).count() as u64, counters.packet_hops);
        prop_assert_eq!(
            came.iter().filter(is_host).filter(is_packet).count() as u64,
            counters.packets_delivered
        );
        let is_stop = |s: &CaptureRecord| matches!(s.frame, CapturedFrame::Pfc(frame) if frame.pause);
        prop_assert_eq!(count(&sent, &is_stop), counters.pauses);
        prop_assert_eq!(count(&sent, &|s| matches!(s.frame, CapturedFrame::Pfc(_))), 2 * counters.pauses);
        // A switch sends the frames that it received, minus those dropped.
        let at_switch = |list: &[CaptureRecord]| {
            list.iter().filter(|s| !is_host(s)).filter(is_packet).count() as u64
        };
        prop_assert_eq!(at_switch(&came) - at_switch(&sent), counters.packets_dropped);
        let is_marked_data = |s: &CaptureRecord| {
            matches!(s.frame, CapturedFrame::Packet(p) if p.kind == Kind::Data && p.marked)
                && fabric.is_switch(s.port.node)
        };
        prop_assert_eq!(count(&sent, &is_marked_data), counters.packets_marked);
        let mut first = BTreeSet::new();
        let again = sent.iter().filter(is_host).filter(|s| match s.frame {
            CapturedFrame::Packet(p) => p.kind == Kind::Data && !first.insert((p.flow.number, p.seq)),
            CapturedFrame::Pfc(_) => false,
        });
        prop_assert_eq!(again.count() as u64, counters.packets_retransmitted);

        // A capture of two flows equals their part of a full capture.
        let chosen = CaptureFilter { flows: [3, 5].into(), ..CaptureFilter::default() };
        let (of_flows, ..) = run(&fabric, &model, &flows, Some(chosen), slice);
        let is_theirs = |s: &&CaptureRecord| match s.frame {
            CapturedFrame::Packet(p) => [3, 5].contains(&p.flow.number),
            CapturedFrame::Pfc(_) => false,
        };
        let expected: Vec<CaptureRecord> = seen.iter().filter(is_theirs)
            .filter(|s| s.direction == Direction::Out || is_host(s)).copied().collect();
        prop_assert_eq!(of_flows, expected);
        // So does a capture of a port.
        let one = port(&fabric, "h1", 1);
        let chosen = CaptureFilter { ports: [one].into(), ..CaptureFilter::default() };
        let (of_port, ..) = run(&fabric, &model, &flows, Some(chosen), slice);
        let expected: Vec<CaptureRecord> = seen.iter().filter(|s| s.port == one).copied().collect();
        prop_assert_eq!(of_port, expected);
    }
}
