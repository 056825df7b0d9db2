//! Networks with weights, for all tests.

use bandwise_enforce_simulated::{Connection, Simulated};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_switches::{Switches, Wanted};
use bandwise_topology::{Fabric, FabricBuilder, NodeId, Port};
use bandwise_units::{BitRate, Time};
use std::num::NonZeroU8;

/// Hosts `h0`, `h1`, … with links of these rates, in Gbps, each at one of some switches `s0`, `s1`, … in a row, between
/// which there are links of such rates too.
pub(crate) fn row(hosts: &[(usize, u64)], between: &[u64]) -> Fabric {
    let mut fabric = FabricBuilder::new();
    let nodes: Vec<NodeId> =
        (0..hosts.len()).map(|host| fabric.add_host(format!("h{host}"), 1).unwrap()).collect();
    let ports = hosts.len() as u16 + 2;
    let switches: Vec<NodeId> = (0..=between.len())
        .map(|switch| fabric.add_switch(format!("s{switch}"), ports).unwrap())
        .collect();
    let mut connect = |one, other, gbps| {
        let (rate, delay) = (BitRate::from_gbps(gbps), Time::from_ns(10));
        fabric.connect(one, other, rate, delay).unwrap();
    };
    for (host, &(switch, gbps)) in hosts.iter().enumerate() {
        let port = Port { node: switches[switch], number: host as u16 + 1 };
        connect(Port { node: nodes[host], number: 1 }, port, gbps);
    }
    for (at, &gbps) in between.iter().enumerate() {
        let [left, right] = [(at, ports), (at + 1, ports - 1)];
        let port = |(switch, number): (usize, u16)| Port { node: switches[switch], number };
        connect(port(left), port(right), gbps);
    }
    fabric.build().unwrap()
}

pub(crate) fn network(fabric: Fabric) -> Simulated {
    Simulated::new(fabric, NonZeroU8::new(16).unwrap())
}

/// Level 0 in queue 0, level 1 in queue 1, …
pub(crate) fn config(weights: &[u8]) -> PortConfig {
    let table =
        (0..weights.len()).map(|at| (PriorityLevel(at as u16), at as u8)).collect::<Vec<_>>();
    PortConfig { table: table.into(), weights: weights.to_vec() }
}

/// Writes to a port as a controller does.
pub(crate) fn write(network: &mut Simulated, port: &str, config: PortConfig) {
    let id = network.named(port).unwrap();
    let plan = network.plan(id, &Wanted::Shared(config)).unwrap();
    network.apply(&plan).unwrap();
}

/// Writes one configuration to all ports.
pub(crate) fn write_all(network: &mut Simulated, config: &PortConfig) {
    for port in network.discover().unwrap() {
        write(network, &port.name, config.clone());
    }
}

pub(crate) fn connection(from: usize, to: usize, level: u16) -> Connection {
    let [from, to] = [from, to].map(|host| format!("h{host}").into());
    Connection { from, to, level: PriorityLevel(level) }
}

pub(crate) fn gbps(rates: &[BitRate]) -> Vec<f64> {
    rates.iter().map(|rate| rate.as_gbps_f64()).collect()
}

/// Returns `true` if the values differ by at most a fraction of each.
pub(crate) fn are_near(found: &[f64], expected: &[f64], part: f64) -> bool {
    let mut pairs = found.iter().zip(expected);
    found.len() == expected.len() && pairs.all(|(a, b)| (a - b).abs() <= part * b)
}
