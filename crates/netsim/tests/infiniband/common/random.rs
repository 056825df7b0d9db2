//! Random experiments: a tree of switches, random models, random traffic.

use super::{Script, request, sl};
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::host::DeviceModel;
use bandwise_netsim::infiniband::host::Notify;
use bandwise_netsim::infiniband::switch::{Hiccup, Queueing, SwitchModel, SwitchPreset};
use bandwise_netsim::infiniband::{Models, Qos, Simulation};
use bandwise_rdma::ib_congestion::{MarkerSettings, SourceSettings, Victims, linear_table};
use bandwise_rdma::qos::{Sl2Vl, VlArbEntry, VlArbTable};
use bandwise_rdma::verbs::{Opcode, Qp, Transport, WorkRequest};
use bandwise_rdma::wire::Mtu;
use bandwise_topology::{Fabric, FabricBuilder, NodeId, Port, Routes};
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;
use proptest::sample::select;
use std::num::NonZeroUsize;

/// Runs `cases` cases, or as many as `PROPTEST_CASES` states; failures leave no file.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases, ..default },
    }
}

/// A request posted by an end of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub at: Time,
    pub opcode: Opcode,
    pub bytes: u32,
    pub signaled: bool,
    pub inline: bool,
    pub ring: bool,
}

/// A pair of queue pairs, and the requests of each end.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    pub hosts: [usize; 2],
    pub transport: Transport,
    pub sl: u8,
    pub posts: [Vec<Post>; 2],
}

#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub fabric: Fabric,
    pub models: Models,
    pub connections: Vec<Connection>,
    pub seed: u64,
}

impl Case {
    pub(crate) fn build(&self) -> Simulation<Script> {
        self.build_partitioned(Time::MAX)
    }

    /// Builds with links of at least `min_latency` between partitions.
    pub(crate) fn build_partitioned(&self, min_latency: Time) -> Simulation<Script> {
        self.build_sharded(NonZeroUsize::MIN, min_latency)
    }

    /// Builds in `shards` shards.
    pub(crate) fn build_sharded(
        &self,
        shards: NonZeroUsize,
        min_latency: Time,
    ) -> Simulation<Script> {
        let routes = Routes::shortest(&self.fabric);
        let Case { fabric, models, seed, .. } = self;
        let mut sim =
            Simulation::partitioned(fabric, &routes, models, *seed, shards, min_latency).unwrap();
        for c in &self.connections {
            let [a, b] = c.hosts;
            let (first, second) = sim.connect(a, b, c.transport, sl(c.sl));
            for (host, qp, posts) in [(a, first, &c.posts[0]), (b, second, &c.posts[1])] {
                sim.start(host, &[qp], Script::new(requests(qp, posts)), Notify::Poll, Time::ZERO);
            }
        }
        sim
    }

    /// Returns the program of an end of a connection: its host, and its number there.
    pub(crate) fn place(&self, connection: usize, end: usize) -> (usize, usize) {
        let host = self.connections[connection].hosts[end];
        let ends = self.connections.iter().enumerate();
        let ends = ends.flat_map(|(c, of)| [(of.hosts[0], (c, 0)), (of.hosts[1], (c, 1))]);
        let number = ends.filter(|&(h, _)| h == host).position(|(_, e)| e == (connection, end));
        (host, number.unwrap())
    }
}

fn requests(qp: Qp, posts: &[Post]) -> Vec<(Time, WorkRequest)> {
    let request = |(p, id): (&Post, u64)| {
        let Post { signaled, inline, ring, .. } = *p;
        (p.at, WorkRequest { signaled, inline, ring, ..request(qp, id, p.opcode, p.bytes) })
    };
    posts.iter().zip(0..).map(request).collect()
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let shape = (fabrics(), select(vec![256, 512, 1024, 2048, 4096]), 1u8..=3);
    shape.prop_flat_map(|(fabric, mtu, lanes)| {
        let hosts = fabric.hosts().len();
        let mtu = Mtu::try_from(mtu).unwrap();
        let connections = prop::collection::vec(connections(hosts, mtu), 1..7);
        (Just(fabric), models(mtu, lanes), connections, any::<u64>()).prop_map(
            |(fabric, models, connections, seed)| Case { fabric, models, connections, seed },
        )
    })
}

fn rates() -> impl Strategy<Value = BitRate> {
    select(vec![10_000_000_000, 54_545_454_545, 100_000_000_000]).prop_map(BitRate::from_bps)
}

/// Links and switches may have no latency at all.
fn often_zero(bound: u64) -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0..bound]
}

/// 1 to 4 switches in a tree, with 2 to 8 hosts. Some have more than 64 or 128 ports, and cables in
/// any of them.
fn fabrics() -> impl Strategy<Value = Fabric> {
    let trunks =
        prop::collection::vec((any::<prop::sample::Index>(), rates(), often_zero(50)), 0..4);
    let hosts =
        prop::collection::vec((any::<prop::sample::Index>(), rates(), often_zero(50)), 2..9);
    let ports = prop_oneof![3 => Just(16), 1 => select(vec![65, 100, 129, 254])];
    (ports, trunks, hosts).prop_map(|(ports, trunks, hosts)| {
        let mut b = FabricBuilder::new();
        let switches: Vec<NodeId> =
            (0..=trunks.len()).map(|i| b.add_switch(format!("s{i}"), ports).unwrap()).collect();
        let mut used = vec![0; switches.len()];
        let mut port = |i: usize| {
            used[i] += 1;
            // 37 has no factor in common with the numbers of ports, so no number repeats.
            Port { node: switches[i], number: used[i] * 37 % ports + 1 }
        };
        for (i, (parent, rate, ns)) in trunks.into_iter().enumerate() {
            let (up, down) = (port(parent.index(i + 1)), port(i + 1));
            b.connect(up, down, rate, Time::from_ns(ns)).unwrap();
        }
        for (i, (switch, rate, ns)) in hosts.into_iter().enumerate() {
            let host = Port { node: b.add_host(format!("h{i}"), 1).unwrap(), number: 1 };
            b.connect(host, port(switch.index(switches.len())), rate, Time::from_ns(ns)).unwrap();
        }
        b.build().unwrap()
    })
}

/// Buffers hold at least the largest packet; every lane is served.
fn models(mtu: Mtu, lanes: u8) -> impl Strategy<Value = Models> {
    let largest = (mtu.get() + 54).next_multiple_of(64);
    let buffer = (u64::from(largest)..4 * u64::from(largest)).prop_map(Bytes::new);
    let entry = (0..lanes, 1u8..=255)
        .prop_map(|(vl, weight)| VlArbEntry { vl: vl.try_into().unwrap(), weight });
    let entries = || prop::collection::vec(entry.clone(), 0..5);
    let tables = (entries(), entries(), select(vec![0u8, 1, 4, 255]))
        .prop_map(|(high, low, high_limit)| VlArbTable { high, low, high_limit })
        .prop_filter("every lane is served", move |t| t.unserved((1 << lanes) - 1) == 0);
    let victims = select(vec![Victims::None, Victims::AtHosts, Victims::All]);
    let marking = (select(vec![false, true]), victims, select(vec![0, 3]), select(vec![0, 512]));
    let marking = marking.prop_map(|(marks, victims, marking_rate, packet_size)| {
        let threshold = Bytes::from_kib(1);
        marks.then_some(MarkerSettings { threshold, marking_rate, packet_size, victims })
    });
    let throttle = SourceSettings::new(linear_table(16), 1, 4, 0).unwrap();
    let switch = (
        select(vec![Scheduling::Fcfs, Scheduling::Age, Scheduling::RoundRobin]),
        select(vec![Queueing::Fifo, Queueing::Voq]),
        select(vec![None, Some(Hiccup { one_in: 4, up_to: Time::from_ns(200) })]),
        (buffer.clone(), often_zero(100), often_zero(300)),
        marking,
    );
    let device = (
        buffer,
        select(vec![true, false]),
        select(vec![4u64, 32]),
        select(vec![None, Some(throttle)]),
    );
    (switch, device, tables).prop_map(
        move |(
            (scheduling, queueing, hiccup, (buffer, credit, latency), marking),
            device,
            vlarb,
        )| {
            let switch = SwitchModel {
                preset: SwitchPreset::GENERIC.name,
                latency: Time::from_ns(latency),
                buffer,
                scheduling,
                queueing,
                hiccup,
                credit_delay: Time::from_ns(credit),
                marking,
            };
            let device = DeviceModel {
                rx_buffer: device.0,
                mtu,
                tx_buffer: Bytes::from_kib(device.2),
                cpu_poll: if device.1 { Time::ZERO } else { Time::from_ns(30) },
                congestion_control: device.3,
                ..DeviceModel::connectx4_56g()
            };
            let qos = Qos { sl2vl: Sl2Vl::modulo(lanes), vlarb, ports: Vec::new() };
            Models::alike(switch, device, qos)
        },
    )
}

fn connections(hosts: usize, mtu: Mtu) -> impl Strategy<Value = Connection> {
    select(vec![Transport::Rc, Transport::Rc, Transport::Ud]).prop_flat_map(move |transport| {
        let posts = || prop::collection::vec(posts(transport, mtu), 0..12).prop_map(finish);
        (0..hosts, 0..hosts, 0u8..16, posts(), posts()).prop_map(move |(a, b, sl, here, there)| {
            Connection { hosts: [a, b], transport, sl, posts: [here, there] }
        })
    })
}

fn posts(transport: Transport, mtu: Mtu) -> BoxedStrategy<Post> {
    use Opcode::*;
    let sizes = prop_oneof![0u32..300, 0u32..40_000];
    let shape = match transport {
        Transport::Ud => (Just(Send), 0..=mtu.get()).boxed(),
        Transport::Rc => (select(vec![Send, Write, WriteImm, Read, Atomic]), sizes).boxed(),
    };
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), 0u64..20_000);
    (shape, flags)
        .prop_map(|((opcode, bytes), (signaled, inline, ring, ns))| {
            let bytes = if opcode == Atomic { 8 } else { bytes };
            let inline = inline && bytes <= 236 && !matches!(opcode, Read | Atomic);
            Post { at: Time::from_ns(ns), opcode, bytes, signaled, inline, ring }
        })
        .boxed()
}

/// Sorts by time; the last request rings the doorbell, so that none remains.
fn finish(mut posts: Vec<Post>) -> Vec<Post> {
    posts.sort_by_key(|p| p.at);
    if let Some(last) = posts.last_mut() {
        last.ring = true;
    }
    posts
}
