//! Refusals of connections that can't be simulated.

use crate::fabrics::*;
use bandwise_enforce_simulated::{Connection, Simulated};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_topology::{FabricBuilder, Port};
use bandwise_units::{BitRate, Time};
use std::num::NonZeroU8;

fn reason(network: &Simulated, connection: Connection) -> String {
    network.traffic(&[connection]).unwrap_err().to_string()
}

#[test]
fn unknown_hosts_paths_and_levels_are_refused() {
    let network = network(row(&[(0, 100), (0, 100)], &[]));
    assert_eq!(reason(&network, connection(0, 2, 0)), "there is no host \"h2\"");
    assert_eq!(reason(&network, connection(1, 1, 0)), "no path leads from h1 to h1");
    let of_level = |level| Connection { level: PriorityLevel(level), ..connection(0, 1, 0) };
    assert_eq!(
        reason(&network, of_level(16)),
        "a connection of level 16: packets carry levels 0 to 15"
    );
    assert_eq!(
        reason(&network, of_level(256)),
        "a connection of level 256: packets carry levels 0 to 15"
    );
    assert!(network.traffic(&[of_level(15)]).is_ok());
}

#[test]
fn too_fast_links_are_refused() {
    let network = network(row(&[(0, 100), (0, 20_000)], &[]));
    let wanted = "h1:1 has a link of 20 Tbps: at most 10 Tbps can be simulated";
    assert_eq!(reason(&network, connection(0, 1, 0)), wanted);
}

#[test]
fn more_queues_than_lanes_are_refused() {
    let fabric = row(&[(0, 100), (0, 100)], &[]);
    let mut network = Simulated::new(fabric, NonZeroU8::new(16).unwrap());
    write(&mut network, "s0:2", config(&[1; 16]));
    let traffic = network.traffic(&[connection(0, 1, 0)]).unwrap();
    assert_eq!(gbps(&traffic.flows().rates), [100.0]);
    let reason = traffic.packets(traffic.times()).unwrap_err().to_string();
    assert_eq!(reason, "s0:2 has 16 queues: InfiniBand has 15 lanes");
}

/// Seven switches form a ring, each with four hosts that send two or three switches on, all in one direction. Behind
/// one slower link the buffers fill around the whole ring.
#[test]
fn deadlocked_packets_are_reported() {
    let mut fabric = FabricBuilder::new();
    let port = |node, number| Port { node, number };
    let (fast, slow, delay) = (BitRate::from_gbps(25), BitRate::from_gbps(10), Time::from_ns(10));
    let switches: Vec<_> = (0..7).map(|n| fabric.add_switch(format!("s{n}"), 6).unwrap()).collect();
    for (n, &switch) in switches.iter().enumerate() {
        for k in 0..4 {
            let host = fabric.add_host(format!("h{}", 4 * n + k), 1).unwrap();
            fabric.connect(port(host, 1), port(switch, k as u16 + 1), fast, delay).unwrap();
        }
        let rate = if n == 1 { slow } else { fast };
        fabric.connect(port(switch, 5), port(switches[(n + 1) % 7], 6), rate, delay).unwrap();
    }
    let network = network(fabric.build().unwrap());
    let to = |host: usize| (host + 4 * if host % 4 == 3 { 2 } else { 3 }) % 28;
    let all: Vec<_> = (0..28).map(|host| connection(host, to(host), 0)).collect();
    let traffic = network.traffic(&all).unwrap();
    assert!(traffic.flows().rates.iter().all(|rate| rate.as_bps() > 0));
    let reason = traffic.packets(traffic.times()).unwrap_err().to_string();
    let ports = "s0:5, s1:5, s2:5, s3:5, s4:5, s5:5, s6:5";
    assert_eq!(reason, format!("deadlock: {ports} wait for each other's buffers"));
}
