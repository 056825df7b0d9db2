//! Fabrics for tests.

use bandwise_input::is_printable;
use bandwise_topology::{Fabric, FabricBuilder, NodeId, NodeKind, Port};
use bandwise_units::{BitRate, Time};
use proptest::prelude::*;

/// The rate and delay of a usual cable.
pub(crate) fn cable() -> (BitRate, Time) {
    (BitRate::from_gbps(100), Time::from_ns(10))
}

/// Returns the first port of a node without a cable, cyclically from a port that depends on `seed`.
fn free_port(builder: &FabricBuilder, node: NodeId, seed: usize) -> Option<Port> {
    let count = builder.port_count(node);
    let first = (seed * 37 % usize::from(count)) as u16;
    let ports = (0..count).map(|i| Port { node, number: (first + i) % count + 1 });
    ports.into_iter().find(|&p| builder.peer(p).is_none())
}

/// The parameters of a random fabric.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    switches: usize,
    /// The ports of a switch, used in rotation.
    ports: Vec<u16>,
    /// The switch of each host.
    hosts: Vec<usize>,
    /// Further cables between switches.
    extra: Vec<(usize, usize)>,
    /// Rates and delays, used in rotation.
    speeds: Vec<(u64, u64)>,
    names: Vec<String>,
    host_ports: u16,
}

impl Plan {
    /// Builds a random tree of switches with further cables, so that all hosts reach each other.
    pub(crate) fn build(&self) -> Fabric {
        let mut builder = FabricBuilder::new();
        let mut speeds = self.speeds.iter().cycle();
        let mut connect = |b: &mut FabricBuilder, from: Option<Port>, to: Option<Port>| {
            let &(bps, ps) = speeds.next().unwrap();
            if let (Some(from), Some(to)) = (from, to) {
                b.connect(from, to, BitRate::from_bps(bps), Time::from_ps(ps)).unwrap();
            }
        };
        let name = |i: usize| match self.names.get(i) {
            Some(name) => format!("{name}{i}"),
            None => format!("n{i}"),
        };
        let mut switches = Vec::new();
        for i in 0..self.switches {
            let ports = self.ports[i % self.ports.len()];
            let switch = builder.add(name(i), NodeKind::Switch, ports).unwrap();
            if i > 0 {
                let parent = switches[self.extra.get(i).map_or(0, |e| e.0 % i)];
                let ends = (free_port(&builder, switch, i), free_port(&builder, parent, i));
                connect(&mut builder, ends.0, ends.1);
            }
            switches.push(switch);
        }
        for (i, at) in self.hosts.iter().enumerate() {
            let host = name(self.switches + i);
            let host = builder.add(host, NodeKind::Host, self.host_ports).unwrap();
            // The highest port, so that port 1 is not always the one in use.
            let from = Port { node: host, number: self.host_ports };
            let to = free_port(&builder, switches[at % switches.len()], i + at);
            connect(&mut builder, Some(from), to);
        }
        for &(i, j) in &self.extra {
            let (a, b) = (switches[i % switches.len()], switches[j % switches.len()]);
            if a != b {
                let ends = (free_port(&builder, a, j), free_port(&builder, b, i));
                connect(&mut builder, ends.0, ends.1);
            }
        }
        builder.build().unwrap()
    }
}

/// Returns whether names of nodes may have this character.
fn is_allowed(c: char) -> bool {
    is_printable(c) && c != char::REPLACEMENT_CHARACTER
}

/// Random connected fabrics of up to 8 switches and 12 hosts, with up to `most_ports` ports a switch.
pub(crate) fn random(most_ports: u16) -> impl Strategy<Value = Fabric> {
    // A byte holds the port numbers of some, a word of 64 bits the set of all ports.
    let ports = [48, 64, 65, 81, 128, 129, 254, 255, 256, 257, 512];
    let ports: Vec<u16> = ports.into_iter().filter(|&ports| ports <= most_ports).collect();
    let speed = prop_oneof![
        Just((8_000_000_000, 10_000)),
        Just((32_000_000_000, 10_000)),
        Just((100_000_000_000, 5_000)),
        (10_000_000u64..1 << 50, 0u64..=1_000_000_000_000),
    ];
    let name = prop_oneof![Just("sw".to_owned()), "[ -~]{0,20}[!-~]", "\\PC{0,8}[:#@\"é]"]
        .prop_map(|n| n.replace(|c| !is_allowed(c), "?").trim_start().to_owned());
    let plan = (
        1usize..8,
        prop::collection::vec(prop::sample::select(ports), 1..3),
        prop::collection::vec(0usize..100, 1..12),
        prop::collection::vec((0usize..100, 0usize..100), 0..12),
        prop::collection::vec(speed, 1..6),
        prop::collection::vec(name, 0..20),
        1u16..4,
    );
    plan.prop_map(|(switches, ports, hosts, extra, speeds, names, host_ports)| {
        Plan { switches, ports, hosts, extra, speeds, names, host_ports }.build()
    })
}
