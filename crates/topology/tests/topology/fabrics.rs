//! Fabrics for tests.

use bandwise_topology::{Fabric, FabricBuilder, NodeId, NodeKind, Port};
use bandwise_units::{BitRate, Time};
use proptest::prelude::*;

/// The rate and delay of a usual cable.
pub(crate) fn cable() -> (BitRate, Time) {
    (BitRate::from_gbps(100), Time::from_ns(10))
}

/// The first port of a node without a cable.
fn free_port(builder: &FabricBuilder, node: NodeId) -> Option<Port> {
    let ports = (1..=builder.port_count(node)).map(|number| Port { node, number });
    ports.into_iter().find(|&p| builder.peer(p).is_none())
}

/// The parameters of a random fabric.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    switches: usize,
    /// The switch of each host.
    hosts: Vec<usize>,
    /// Further cables between switches.
    extra: Vec<(usize, usize)>,
    /// Rates and delays, used in rotation.
    speeds: Vec<(u64, u64)>,
    names: Vec<String>,
    host_ports: u8,
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
            let switch = builder.add(name(i), NodeKind::Switch, 48).unwrap();
            if i > 0 {
                let parent = switches[self.extra.get(i).map_or(0, |e| e.0 % i)];
                let ends = (free_port(&builder, switch), free_port(&builder, parent));
                connect(&mut builder, ends.0, ends.1);
            }
            switches.push(switch);
        }
        for (i, at) in self.hosts.iter().enumerate() {
            let host = name(self.switches + i);
            let host = builder.add(host, NodeKind::Host, self.host_ports).unwrap();
            // The highest port, so that port 1 is not always the one in use.
            let from = Port { node: host, number: self.host_ports };
            let to = free_port(&builder, switches[at % switches.len()]);
            connect(&mut builder, Some(from), to);
        }
        for (a, b) in &self.extra {
            let (a, b) = (switches[a % switches.len()], switches[b % switches.len()]);
            if a != b {
                let ends = (free_port(&builder, a), free_port(&builder, b));
                connect(&mut builder, ends.0, ends.1);
            }
        }
        builder.build().unwrap()
    }
}

/// Random connected fabrics of up to 8 switches and 12 hosts.
pub(crate) fn random() -> impl Strategy<Value = Fabric> {
    let speed = prop_oneof![
        Just((8_000_000_000, 10_000)),
        Just((32_000_000_000, 10_000)),
        Just((100_000_000_000, 5_000)),
        (10_000_000u64..1 << 50, 0u64..=1_000_000_000_000),
    ];
    let name = prop_oneof![Just("sw".to_owned()), "[ -~]{0,20}[!-~]", "\\PC{0,8}[:#@\"é]"]
        .prop_map(|n| n.replace(char::REPLACEMENT_CHARACTER, "?").trim_start().to_owned());
    let plan = (
        1usize..8,
        prop::collection::vec(0usize..100, 1..12),
        prop::collection::vec((0usize..100, 0usize..100), 0..12),
        prop::collection::vec(speed, 1..6),
        prop::collection::vec(name, 0..20),
        1u8..4,
    );
    plan.prop_map(|(switches, hosts, extra, speeds, names, host_ports)| {
        Plan { switches, hosts, extra, speeds, names, host_ports }.build()
    })
}
