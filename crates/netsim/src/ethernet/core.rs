//! A network with given features: [`Core`].

use super::capture::{Capture, CaptureFilter, CaptureRecord};
use super::features::Features;
use super::flow::{FinishedFlow, FlowSpec, alone, frame_time};
use super::host_model::HostModel;
use super::host_node::HostNode;
use super::network::{Counters, NetworkModel, PathTooLong};
use super::output::{Net, Output};
use super::packet::{GAP, LEAST, PortBits, path};
use super::pfc_deadlock;
use super::routing::{Routing, Spray};
use super::switch::{Buffering, Pfc, PortCounters, Switch, SwitchModel};
use crate::engine::{self, Engine, Executor, LinkEnd, Member};
use bandwise_random::Stream;
use bandwise_rdma::congestion::{self, Algorithm, Congestion};
use bandwise_topology::routes::{EqualPaths, farthest_hosts};
use bandwise_topology::{Fabric, Link, NodeId, Port};
use bandwise_units::{BitRate, Bytes, Time};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The nodes of a network.
pub(super) type Nodes<F> = Engine<Member<Switch<F>, <F as Features>::Host>>;

/// A network with flows. Methods are documented at [`Network`](super::Network).
#[derive(Debug)]
pub(super) struct Core<F: Features> {
    engine: Nodes<F>,
    fabric: Fabric,
    paths: Arc<EqualPaths>,
    bits: PortBits,
    model: NetworkModel,
    seed: u64,
    switches: usize,
    /// Link ends by their ports.
    ends: BTreeMap<Port, LinkEnd>,
    capture: Option<Box<Capture>>,
}

impl<F: Features> Core<F> {
    pub(super) fn partitioned(
        fabric: &Fabric,
        model: &NetworkModel,
        seed: u64,
        shards: NonZeroUsize,
        min_latency: Time,
    ) -> Self {
        let nodes: Vec<NodeId> = fabric.switches().iter().chain(fabric.hosts()).copied().collect();
        let switches = fabric.switches().len();
        let index =
            |node: NodeId| fabric.rank(node) + if fabric.is_switch(node) { 0 } else { switches };
        let links = fabric.links().iter().map(|link| {
            let [a, b] = link.ends;
            (index(a.node), index(b.node), latency(link))
        });
        let partition_of = engine::partitions(nodes.len(), links, min_latency);
        let partitions = partition_of.iter().map(|&p| p as usize + 1).max().unwrap_or(0);
        let between = fabric.links().iter().map(|link| {
            let [a, b] = link.ends.map(|port| partition_of[index(port.node)] as usize);
            (a, b)
        });
        let shard_of = engine::shards(partitions, between, shards.get());
        let mut engine: Nodes<F> = Engine::new(&partition_of, &shard_of);
        let mut ends: BTreeMap<Port, LinkEnd> = BTreeMap::new();
        for link in fabric.links() {
            for port in link.ends {
                let object = if fabric.is_switch(port.node) { port.number - 1 } else { 0 };
                ends.insert(port, engine.add_port(index(port.node), object));
            }
            let [a, b] = link.ends.map(|port| ends[&port]);
            engine.join(a, b, latency(link));
        }
        // No path contains a port without a cable.
        let output = |port: Port| match fabric.peer(port) {
            Some((_, link)) => {
                Output::new(ends[&port], link.rate, link.delay, model.pause_response)
            }
            None => Output::new(LinkEnd::MAX, BitRate::from_bps(1), Time::ZERO, Time::ZERO),
        };
        let (paths, bits) = (Arc::new(EqualPaths::new(fabric)), PortBits::of(fabric));
        let classes = &model.classes;
        for (place, &node) in nodes.iter().enumerate() {
            let rank = fabric.rank(node) as u32;
            engine.push(if fabric.is_switch(node) {
                let port = |number| Port { node, number };
                let outputs = (1..=fabric.port_count(node)).map(|number| output(port(number)));
                let pfc = |place: usize| {
                    let other = |(at, _): &&(Port, Pfc)| *at == port(place as u16 + 1);
                    model.thresholds.iter().find(other).map(|&(_, pfc)| pfc)
                };
                let headrooms: Vec<Bytes> = match &model.switch.buffering {
                    Buffering::Shared(shared) => {
                        shared.headrooms(fabric, node, model.after_pause()).collect()
                    }
                    Buffering::PerInput(_) => Vec::new(),
                };
                let stream = |name: &str| Stream::new(seed, name, rank.into());
                let (model, outputs) = (&model.switch, outputs.collect());
                let switch = Switch::new(model, classes, outputs, bits, &headrooms, pfc, stream);
                Member::Switch(Box::new(switch))
            } else {
                let output = output(fabric.host_port(node));
                let spray = match model.routing {
                    Routing::Ecmp => None,
                    Routing::Spray => Some(Spray::new(Arc::clone(&paths), bits, rank, seed)),
                };
                let number = engine.number(place);
                Member::Host(Box::new(F::Host::new(number, &model.host, classes, spray, output)))
            });
        }
        Core {
            engine,
            paths,
            bits,
            fabric: fabric.clone(),
            model: model.clone(),
            seed,
            switches,
            ends,
            capture: None,
        }
    }

    pub(super) fn capture(&mut self, filter: CaptureFilter) {
        self.capture = Some(Box::new(Capture::new(filter, &self.fabric, &self.ends)));
    }

    pub(super) fn end_capture(&mut self) {
        self.capture = None;
    }

    pub(super) fn take_records(&mut self, ended: bool, take: impl FnMut(CaptureRecord)) {
        if let Some(capture) = &mut self.capture {
            capture.take(&self.engine, &self.fabric, ended, take);
        }
    }

    fn host_mut(&mut self, host: u32) -> (&mut F::Host, &mut Net<F::Frame>) {
        let (node, net) = self.engine.node_mut(self.switches + host as usize);
        (node.as_host_mut().expect("hosts come after switches"), net)
    }

    fn hosts(&self) -> impl Iterator<Item = &F::Host> {
        self.engine.nodes().filter_map(Member::as_host)
    }

    fn host(&self, host: u32) -> &F::Host {
        let node = self.engine.node(self.switches + host as usize);
        node.as_host().expect("hosts come after switches")
    }

    pub(super) fn open(&mut self, flow: &FlowSpec) -> Result<(), PathTooLong> {
        assert!(flow.class < self.model.classes.count, "there is no class {}", flow.class);
        let (src, dst) = (flow.src as usize, flow.dst as usize);
        // The reverse path is hashed separately, since addresses and ports are swapped.
        let hash = |direction: u64| (self.seed << 1 | direction) ^ u64::from(flow.number) << 32;
        let bits = self.bits;
        let too_long = PathTooLong { most: bits.max_switches() };
        let there = path(self.paths.path(src, dst, hash(0)), bits).ok_or(too_long)?;
        let back = path(self.paths.path(dst, src, hash(1)), bits).ok_or(too_long)?;
        let expected = self.host_mut(flow.dst).0.open_incoming(flow, back);
        let congestion = self.congestion(flow);
        let (host, net) = self.host_mut(flow.src);
        let slot = host.open(flow, expected, there, congestion, net);
        self.host_mut(flow.dst).0.set_sender_key(expected, slot);
        if let Some(capture) = &mut self.capture {
            capture.open(flow, slot, expected);
        }
        Ok(())
    }

    /// Creates a flow's congestion control, which depends on the flow's path if it is enabled.
    fn congestion(&self, flow: &FlowSpec) -> Congestion {
        let host = &self.model.host;
        if host.congestion.algorithm == Algorithm::None {
            return Congestion::None;
        }
        let links = links(&self.fabric, &self.paths, flow.src as usize, flow.dst as usize);
        let path = congestion::Path {
            line_rate: links[0].0,
            base_rtt: round_trip(host, &links),
            packet: Bytes::new((host.full_frame() + GAP).into()),
        };
        Congestion::new(&host.congestion, &path, flow.start)
    }

    pub(super) fn run_by(&mut self, executor: &impl Executor, end: Time) -> bool {
        let has_events = match &mut self.capture {
            None => self.engine.run(end, executor),
            Some(capture) => capture.run(&mut self.engine, executor, &self.fabric, end),
        };
        self.remove_ended();
        has_events
    }

    /// Removes flows that have ended at both ends.
    fn remove_ended(&mut self) {
        for src in 0..self.fabric.hosts().len() as u32 {
            let mut ended = std::mem::take(&mut self.host_mut(src).0.report_mut().ended);
            ended.retain(|&slot| {
                let (dst, expected) = self.host(src).far_end(slot);
                let complete = self.host(dst).is_complete(expected);
                if complete {
                    self.host_mut(src).0.remove_sent(slot);
                    self.host_mut(dst).0.remove_received(expected);
                }
                !complete
            });
            self.host_mut(src).0.report_mut().ended = ended;
        }
    }

    pub(super) fn take_finished(&mut self, mut take: impl FnMut(FinishedFlow)) {
        for host in 0..self.fabric.hosts().len() as u32 {
            self.host_mut(host).0.report_mut().finished.drain(..).for_each(&mut take);
        }
    }

    pub(super) fn alone(&self, src: u32, dst: u32, bytes: u64) -> Time {
        let (mtu, extra) = (self.model.host.mtu, self.model.host.extra_bytes());
        let links = links(&self.fabric, &self.paths, src as usize, dst as usize);
        alone(bytes, mtu, extra, &links)
    }

    pub(super) fn now(&self) -> Time {
        self.engine.now()
    }

    pub(super) fn open_flows(&self) -> usize {
        self.hosts().map(HostNode::open_flows).sum()
    }

    pub(super) fn packets_buffered(&self) -> usize {
        self.switches().map(Switch::buffered).sum()
    }

    fn switches(&self) -> impl Iterator<Item = &Switch<F>> {
        self.engine.nodes().map_while(Member::as_switch)
    }

    pub(super) fn ports(&self) -> impl Iterator<Item = (Port, PortCounters)> + '_ {
        let of_switch = |(switch, &node): (&Switch<F>, &NodeId)| -> Vec<_> {
            let ports = (1..).map(|number| Port { node, number });
            ports.zip(switch.counters(self.now())).collect()
        };
        let of_host = |(host, &node): (&F::Host, &NodeId)| {
            let counters = PortCounters { sent: host.sent(), ..PortCounters::default() };
            (self.fabric.host_port(node), counters)
        };
        let switches = self.switches().zip(self.fabric.switches()).flat_map(of_switch);
        let hosts = self.hosts().zip(self.fabric.hosts()).map(of_host);
        switches.chain(hosts).filter(|&(port, _)| self.fabric.peer(port).is_some())
    }

    pub(super) fn deadlock(&self) -> Option<Vec<Port>> {
        pfc_deadlock::find(&self.fabric, &self.switches().collect::<Vec<_>>())
    }

    pub(super) fn counters(&self) -> Counters {
        let mut sum = Counters { events: self.engine.handled(), ..Counters::default() };
        for (_, port) in self.ports() {
            sum.packet_hops += port.sent;
            sum.packets_dropped += port.dropped;
            sum.packets_marked += port.marked;
            sum.pauses += port.pauses;
            sum.paused += port.paused;
        }
        sum.peak_buffer = self.switches().map(Switch::peak_buffer).max().unwrap_or(Bytes::ZERO);
        for report in self.hosts().map(HostNode::report) {
            sum.packets_delivered += report.packets_in;
            sum.packets_retransmitted += report.retransmitted;
            sum.timeouts += report.timeouts;
        }
        sum
    }
}

/// Returns the smallest time between a packet's departure and its effect at a link's far end.
pub(super) fn latency(link: &Link) -> Time {
    link.delay + frame_time(link.rate, LEAST)
}

/// Returns rates and delays along a shortest path between two hosts.
fn links(fabric: &Fabric, paths: &EqualPaths, src: usize, dst: usize) -> Vec<(BitRate, Time)> {
    let mut port = fabric.host_port(fabric.hosts()[src]);
    let mut links = Vec::with_capacity(6);
    let mut ports = paths.path(src, dst, 0);
    loop {
        let (far, link) = fabric.peer(port).expect("a path crosses cables");
        links.push((link.rate, link.delay));
        let Some(number) = ports.next() else { return links };
        port = Port { node: far.node, number };
    }
}

/// Returns the time from the start of a full packet to its acknowledgement on an empty path.
fn round_trip(host: &HostModel, links: &[(BitRate, Time)]) -> Time {
    let there = alone(host.mtu.into(), host.mtu, host.extra_bytes(), links);
    there
        + links
            .iter()
            .map(|&(rate, delay)| frame_time(rate, host.ack_bytes()) + delay)
            .sum::<Time>()
}

/// Returns the bandwidth-delay product of the longest path in packets: the packets that a sender,
/// at the rate of the slowest link, has in flight when the first acknowledgement arrives in an empty network (IRN 3.2). IRN 4.1
/// counts propagation delays only (110 packets). This value includes each link's transmission time;
/// with less, a single flow would not fill its link.
pub fn bdp_packets(fabric: &Fabric, host: &HostModel) -> u32 {
    let Some(ends) = farthest_hosts(fabric) else { return 1 };
    let [a, b] = ends.map(|host| fabric.rank(host));
    let links = links(fabric, &EqualPaths::new(fabric), a, b);
    // The slowest link is the one to fill.
    let rate = links.iter().map(|(rate, _)| *rate).min().expect("a path has a link");
    let packet = frame_time(rate, host.full_frame());
    (round_trip(host, &links).as_ps().div_ceil(packet.as_ps()) + 1) as u32
}

/// Returns the round trip of a full packet on the longest path of an empty network; zero without two
/// hosts.
pub fn longest_round_trip(fabric: &Fabric, host: &HostModel) -> Time {
    let Some(ends) = farthest_hosts(fabric) else { return Time::ZERO };
    let [a, b] = ends.map(|host| fabric.rank(host));
    round_trip(host, &links(fabric, &EqualPaths::new(fabric), a, b))
}

/// Returns the longest round trip with one congested link, RTO_high of IRN 4.1: the round trip of a
/// full packet on the longest path, plus its wait at a switch whose buffers are all full for one
/// output. Like [`bdp_packets`] and unlike IRN 4.1 (~320 us in its default case), the round trip
/// includes transmission times and the wait includes inter-frame gaps: 318.8 us.
pub fn congested_round_trip(fabric: &Fabric, switch: &SwitchModel, host: &HostModel) -> Time {
    let Some(ends) = farthest_hosts(fabric) else { return Time::ZERO };
    let [a, b] = ends.map(|host| fabric.rank(host));
    let empty = round_trip(host, &links(fabric, &EqualPaths::new(fabric), a, b));
    let packets = switch.buffering.buffer().get().div_ceil(host.full_frame().into());
    let wait = |port: Port| {
        let rate = fabric.peer(port).map(|(_, link)| link.rate)?;
        let buffers = match switch.buffering {
            Buffering::PerInput(_) => fabric.ports(port.node).count() as u64,
            Buffering::Shared(_) => 1,
        };
        Some(frame_time(rate, host.full_frame()) * packets * buffers)
    };
    let ports = fabric.switches().iter().flat_map(|&switch| fabric.ports(switch));
    empty + ports.filter_map(wait).max().unwrap_or(Time::ZERO)
}
