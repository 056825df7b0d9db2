//! PFC deadlocks are found and named; without a deadlock none is reported.

use super::{DELAY, RATE, fat_tree, flow, headroom, model, per_input};
use bandwise_netsim::ethernet::{
    Buffering, Classes, FlowSpec, Headroom, Network, NetworkModel, Pfc, SharedBuffer, SharedPfc,
};
use bandwise_rdma::transport::TransportSettings;
use bandwise_topology::{Fabric, FabricBuilder, NodeId, Port};
use bandwise_units::{Bytes, Time};

/// Ports of a switch of the ring: its hosts, clockwise, anticlockwise.
const HOSTS: u32 = 2;
const NEXT: u16 = 3;
const PREVIOUS: u16 = 4;

/// A ring of switches with two hosts each.
fn ring(switches: usize) -> (Fabric, Vec<NodeId>) {
    let mut b = FabricBuilder::new();
    let name = |i: usize| format!("s{i}");
    let ring: Vec<_> = (0..switches).map(|i| b.add_switch(name(i), 4).unwrap()).collect();
    for (i, &node) in ring.iter().enumerate() {
        for number in 1..=HOSTS as u16 {
            let host = b.add_host(format!("h{i}-{number}"), 1).unwrap();
            let [a, z] = [Port { node: host, number: 1 }, Port { node, number }];
            b.connect(a, z, RATE, DELAY).unwrap();
        }
    }
    for (i, &node) in ring.iter().enumerate() {
        let next = Port { node: ring[(i + 1) % switches], number: PREVIOUS };
        b.connect(Port { node, number: NEXT }, next, RATE, DELAY).unwrap();
    }
    (b.build().unwrap(), ring)
}

/// Flows from every host to the host `on` switches further.
fn around(switches: u32, on: u32, class: u8) -> Vec<FlowSpec> {
    let hosts = switches * HOSTS;
    let to = |host: u32| (host + on * HOSTS) % hosts;
    (0..hosts)
        .map(|host| FlowSpec { class, ..flow(host, Time::ZERO, host, to(host), 20_000_000) })
        .collect()
}

fn small_buffers() -> NetworkModel {
    let mut model = model(TransportSettings::roce_with_pfc(), true);
    let xoff = Bytes::new(30_000);
    model.switch.buffering = per_input(30_000 + headroom(20_000), Some(Pfc { xoff, xon: xoff }));
    model
}

/// Returns when traffic stopped, and the ports of the deadlock.
fn deadlock(network: &mut Network) -> Option<(Time, Vec<Port>)> {
    (1..=200).find_map(|i| {
        let now = Time::from_us(20) * i;
        network.run(now);
        network.deadlock().map(|ports| (now, ports))
    })
}

fn clockwise(ring: &[NodeId]) -> Vec<Port> {
    ring.iter().map(|&node| Port { node, number: NEXT }).collect()
}

#[test]
fn shortest_paths_on_a_ring_of_five_deadlock() {
    let (fabric, ring) = ring(5);
    let mut shared = small_buffers();
    let (buffer, slack) = (Bytes::new(4 * headroom(20_000) + 90_000), Bytes::new(2_000));
    let pfc = Some(SharedPfc { headroom: Headroom::Fixed(Bytes::new(headroom(20_000))), slack });
    shared.switch.buffering =
        Buffering::Shared(SharedBuffer { buffer, alpha: 1.0, reserve: Bytes::ZERO, pfc });
    for model in [small_buffers(), shared] {
        let mut network = Network::new(&fabric, &model, 1);
        for flow in around(5, 2, 0) {
            network.open(&flow).unwrap();
        }
        let (_, ports) = deadlock(&mut network).expect("they pause each other");
        assert_eq!(ports, clockwise(&ring));
        // The deadlock is permanent: no packet in the cycle ever moves.
        let sent = |network: &Network| -> Vec<u64> {
            let of_loop = network.ports().filter(|(port, _)| ports.contains(port));
            of_loop.map(|(_, counters)| counters.sent).collect()
        };
        let before = sent(&network);
        network.run(network.now() + Time::from_ms(20));
        assert_eq!((sent(&network), network.counters().packets_dropped), (before, 0));
    }
}

#[test]
fn deadlocked_class_does_not_stop_another_class() {
    let (fabric, ring) = ring(5);
    let mut model = small_buffers();
    model.classes = Classes { count: 2, ..Classes::ONE };
    let mut network = Network::new(&fabric, &model, 1);
    for flow in around(5, 2, 0) {
        network.open(&flow).unwrap();
    }
    let (at, ports) = deadlock(&mut network).expect("they pause each other");
    assert_eq!(ports, clockwise(&ring));
    let other = FlowSpec { class: 1, ..flow(99, at, 0, 2, 1_000_000) };
    network.open(&other).unwrap();
    network.run(at + Time::from_ms(5));
    let mut finished = Vec::new();
    network.take_finished(|f| finished.push(f));
    let other = finished.iter().find(|f| f.number == 99).expect("its class is not paused");
    assert_eq!(other.completion_time(), network.alone(0, 2, 1_000_000));
}

#[test]
fn neighbours_on_a_ring_and_trees_never_deadlock() {
    let (fabric, _) = ring(5);
    let mut network = Network::new(&fabric, &small_buffers(), 1);
    for flow in around(5, 1, 0) {
        network.open(&flow).unwrap();
    }
    assert_eq!(deadlock(&mut network), None);
    let mut network = Network::new(&fat_tree(), &small_buffers(), 1);
    for src in 1..54 {
        network.open(&flow(src, Time::ZERO, src, src % 3, 2_000_000)).unwrap();
    }
    assert_eq!(deadlock(&mut network), None);
    assert!(network.counters().pauses > 0);
}
