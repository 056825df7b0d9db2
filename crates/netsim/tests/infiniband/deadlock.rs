//! Credit deadlocks are found and named; without a deadlock none is reported.

use crate::common::random::config;
use crate::common::{Either, RATE, device, flood, models, sl};
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::{Outcome, Simulation};
use bandwise_topology::routes::credit_loop;
use bandwise_topology::{Fabric, FabricBuilder, NodeId, Port, Routes, builders};
use bandwise_units::{Bytes, Time};
use proptest::prelude::*;

const DELAY: Time = Time::from_ns(10);
/// Ports of a switch of the ring: its host, clockwise, anticlockwise, to the feeder.
const HOST: u16 = 1;
const NEXT: u16 = 2;
const PREVIOUS: u16 = 3;
const FEEDER: u16 = 4;

/// A ring of four switches with a host each, and a fifth switch with host 4, which feeds the first.
/// Returns the switches of the ring.
fn ring() -> (Fabric, Vec<NodeId>) {
    let mut b = FabricBuilder::new();
    let hosts: Vec<_> = (0..5).map(|i| b.add_host(format!("h{i}"), 1).unwrap()).collect();
    let feeder = b.add_switch("feeder", 2).unwrap();
    let switches: Vec<_> = (0..4).map(|i| b.add_switch(format!("s{i}"), 4).unwrap()).collect();
    let mut cable = |a: (NodeId, u16), z: (NodeId, u16)| {
        let [a, z] = [a, z].map(|(node, number)| Port { node, number });
        b.connect(a, z, RATE, DELAY).unwrap();
    };
    for (i, &node) in switches.iter().enumerate() {
        cable((hosts[i], 1), (node, HOST));
        cable((node, NEXT), (switches[(i + 1) % 4], PREVIOUS));
    }
    cable((hosts[4], 1), (feeder, 1));
    cable((feeder, 2), (switches[0], FEEDER));
    (b.build().unwrap(), switches)
}

/// Routes packets to the opposite switch clockwise, others the shortest way.
fn clockwise(fabric: &Fabric) -> Routes {
    let mut table = vec![2, 2, 2, 2, 1];
    for switch in 0..4 {
        let port = |host: usize| match (host + 4 - switch) % 4 {
            0 => HOST,
            3 => PREVIOUS,
            _ => NEXT,
        };
        table.extend((0..4).map(port));
        table.push(if switch == 0 { FEEDER } else { NEXT });
    }
    Routes::from_tables(fabric, table).unwrap()
}

#[test]
fn a_ring_of_full_buffers_is_a_deadlock() {
    let (fabric, switches) = ring();
    let routes = clockwise(&fabric);
    assert!(credit_loop(&fabric, &routes).is_some());
    // By age, packets on the ring precede those that enter it, so that only buffers of one packet
    // fill up permanently. The other rules have no such effect.
    for (scheduling, packets) in
        [(Scheduling::Age, 1), (Scheduling::Fcfs, 4), (Scheduling::RoundRobin, 4)]
    {
        let mut models = models(device(), 1);
        models.switch.scheduling = scheduling;
        models.switch.buffer = Bytes::new(packets * 65 * 64);
        let mut sim = Simulation::<Either>::new(&fabric, &routes, &models, 1).unwrap();
        for host in 0..4 {
            flood(&mut sim, (host, (host + 2) % 4), sl(0), 4096, 64);
        }
        // This port waits for the cycle but is not part of it.
        flood(&mut sim, (4, 2), sl(0), 4096, 64);
        let outcome = sim.run(Time::from_ms(5));
        assert_eq!(outcome, Outcome::Quiet, "no packet can move");
        assert!(sim.packets_buffered() > 0);
        let ports: Vec<_> = switches.iter().map(|&node| Port { node, number: NEXT }).collect();
        assert_eq!(sim.deadlock(), Some(ports));
    }
}

#[test]
fn deadlocked_lane_does_not_stop_another_lane() {
    let (fabric, switches) = ring();
    let mut models = models(device(), 2);
    models.switch.scheduling = Scheduling::RoundRobin;
    models.switch.buffer = Bytes::new(4 * 65 * 64);
    let mut sim = Simulation::<Either>::new(&fabric, &clockwise(&fabric), &models, 1).unwrap();
    for host in 0..4 {
        flood(&mut sim, (host, (host + 2) % 4), sl(0), 4096, 64);
        flood(&mut sim, (host, (host + 1) % 4), sl(1), 4096, 64);
    }
    assert_eq!(sim.run(Time::from_ms(1)), Outcome::TimeReached, "lane 1 still flows");
    let ports: Vec<_> = switches.iter().map(|&node| Port { node, number: NEXT }).collect();
    assert_eq!(sim.deadlock(), Some(ports));
}

#[test]
fn one_hop_routes_on_a_ring_do_not_deadlock() {
    // The same ring and routes, but no packet needs two of its links.
    let (fabric, _) = ring();
    let mut models = models(device(), 1);
    models.switch.buffer = Bytes::new(65 * 64);
    let mut sim = Simulation::<Either>::new(&fabric, &clockwise(&fabric), &models, 1).unwrap();
    for host in 0..4 {
        flood(&mut sim, (host, (host + 1) % 4), sl(0), 4096, 64);
    }
    for i in 1..100 {
        assert_eq!(sim.run(Time::from_us(10) * i), Outcome::TimeReached);
        assert_eq!(sim.deadlock(), None);
    }
}

proptest! {
    #![proptest_config(config(24))]

    /// Leaf and spine without a cycle: for any senders and receivers, with buffers of one packet,
    /// traffic never stops.
    #[test]
    fn fabrics_without_cycles_never_deadlock(
        pairs in prop::collection::vec((0usize..9, 0usize..9), 4..24), packets in 1u64..4,
    ) {
        let fabric = builders::leaf_spine(3, 2, 3, RATE, DELAY).unwrap();
        let routes = Routes::shortest(&fabric);
        prop_assert_eq!(credit_loop(&fabric, &routes), None);
        let mut models = models(device(), 1);
        models.switch.buffer = Bytes::new(packets * 65 * 64);
        models.device.rx_buffer = models.switch.buffer;
        let mut sim = Simulation::<Either>::new(&fabric, &routes, &models, 1).unwrap();
        for &(from, to) in pairs.iter().filter(|(from, to)| from != to) {
            flood(&mut sim, (from, to), sl(0), 16_384, 16);
        }
        let mut delivered = 0;
        for i in 1..=10 {
            sim.run(Time::from_us(50) * i);
            prop_assert_eq!(sim.deadlock(), None);
            let before = std::mem::replace(&mut delivered, sim.counters().packets_delivered);
            prop_assert!(delivered > before || pairs.iter().all(|(a, b)| a == b));
        }
    }
}
