//! A simulation: a fabric of switches and hosts.
//!
//! Nothing that a node does at time t matters to another before t plus the *lookahead*, the least
//! latency of any link. So the node whose event comes first runs alone, its state in cache, up to
//! a lookahead beyond the earliest time at which any other could act; then what it sent is handed
//! over. Where links are short such a window holds an event or two and this becomes an ordinary
//! event loop; where they are long there is hardly any global order left to keep.

use crate::clock::Clock;
use crate::deadlock;
use crate::egress::{Egress, Scheduling};
use crate::host::{DeviceModel, Host, Notify, QpSetup};
use crate::link::{Cable, Outbox, Receiver};
use crate::random::Stream;
use crate::switch::{Switch, SwitchModel, SwitchPort};
use bandwise_rdma::qos::{Sl, Sl2Vl, VlArbError, VlArbTable};
use bandwise_rdma::verbs::{Program, Qp, Transport};
use bandwise_topology::{Fabric, NodeId, Port, Routes};
use bandwise_units::Time;

/// Tables of quality of service: those of every port, and the ports that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qos {
    /// Service level to lane.
    pub sl2vl: Sl2Vl,
    /// How lanes share a link.
    pub vlarb: VlArbTable,
    /// Ports with tables of their own; later ones win.
    pub ports: Vec<PortQos>,
}

/// Tables of some ports of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortQos {
    /// The node.
    pub node: NodeId,
    /// Packets that came in at this port of a switch; `None` for any, and for hosts.
    pub input: Option<u8>,
    /// The output port; `None` for all.
    pub output: Option<u8>,
    /// Service level to lane for them.
    pub sl2vl: Option<Sl2Vl>,
    /// How lanes share the output's link.
    pub vlarb: Option<VlArbTable>,
}

impl Qos {
    /// The table for packets from `input` (`None` at a host) to `output` of a node.
    pub fn sl2vl(&self, node: NodeId, input: Option<u8>, output: u8) -> Sl2Vl {
        let own = self.of(node, output).filter(|p| p.input.is_none_or(|i| Some(i) == input));
        own.filter_map(|p| p.sl2vl).last().unwrap_or(self.sl2vl)
    }

    /// The arbitration table of a port.
    pub fn vlarb(&self, node: NodeId, output: u8) -> &VlArbTable {
        self.of(node, output).filter_map(|p| p.vlarb.as_ref()).last().unwrap_or(&self.vlarb)
    }

    /// The set of lanes that any table maps a level to, as bits.
    pub fn vls(&self) -> u16 {
        let own = self.ports.iter().filter_map(|p| p.sl2vl).map(|t| t.vls());
        own.fold(self.sl2vl.vls(), |set, vls| set | vls)
    }

    fn of(&self, node: NodeId, output: u8) -> impl Iterator<Item = &PortQos> {
        let ports = self.ports.iter();
        ports.filter(move |p| p.node == node && p.output.is_none_or(|o| o == output))
    }
}

/// How parts behave: the switches, the hosts, the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// Every switch.
    pub switch: SwitchModel,
    /// Every host.
    pub device: DeviceModel,
    /// Every port.
    pub qos: Qos,
}

/// A node by what it is.
#[derive(Debug)]
enum Node<P> {
    Switch(Box<Switch>),
    Host(Box<Host<P>>),
}

/// What a run counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that arrived at a host.
    pub packets_delivered: u64,
    /// Links crossed by packets.
    pub packet_hops: u64,
    /// Packets dropped (a service level without a lane).
    pub packets_dropped: u64,
    /// Events handled.
    pub events: u64,
}

impl Counters {
    /// Adds another run's.
    pub fn add(&mut self, other: &Counters) {
        self.packets_delivered += other.packets_delivered;
        self.packet_hops += other.packet_hops;
        self.packets_dropped += other.packets_dropped;
        self.events += other.events;
    }
}

/// Why [`Simulation::run`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The given time was reached.
    Paused,
    /// Nothing can happen any more: nobody posts and nothing moves. With packets left in the
    /// fabric that is a deadlock, see [`Simulation::deadlock`].
    Quiet,
}

/// A fabric with programs on its hosts.
#[derive(Debug)]
pub struct Simulation<P> {
    nodes: Vec<Node<P>>,
    clock: Clock,
    lookahead: Time,
    now: Time,
    seed: u64,
    outbox: Outbox,
    /// For naming ports: fabric node by simulation node.
    names: Vec<NodeId>,
    switches: usize,
}

impl<P: Program> Simulation<P> {
    /// Builds the fabric. Hosts are known by their rank among `fabric.hosts()`.
    pub fn new(
        fabric: &Fabric,
        routes: &Routes,
        models: &Models,
        seed: u64,
    ) -> Result<Self, VlArbError> {
        let lanes = (16 - models.qos.vls().leading_zeros()).max(1) as usize;
        let names: Vec<NodeId> = fabric.switches().iter().chain(fabric.hosts()).copied().collect();
        let index = |node: NodeId| -> u32 {
            let base = if fabric.is_switch(node) { 0 } else { fabric.switches().len() };
            (base + fabric.rank(node)) as u32
        };
        let cable = |from: Port| -> Option<(Cable, Port)> {
            let (peer, link) = fabric.peer(from)?;
            let receiver = if fabric.is_switch(peer.node) {
                let rates = fabric.ports(peer.node).filter_map(|p| fabric.peer(p));
                let fastest = rates.map(|(_, l)| l.rate).max().filter(|&r| r > link.rate);
                Receiver::Switch { latency: models.switch.latency, fastest }
            } else {
                Receiver::Host { latency: models.device.rx }
            };
            let cable = Cable {
                to: index(peer.node),
                to_port: if fabric.is_switch(peer.node) { peer.number - 1 } else { 0 },
                rate: link.rate,
                delay: link.delay,
                receiver,
                credit_delay: models.switch.credit_delay,
            };
            Some((cable, peer))
        };
        let buffer_behind = |peer: Port| {
            if fabric.is_switch(peer.node) { models.switch.buffer } else { models.device.rx_buffer }
        };

        let mut nodes = Vec::with_capacity(names.len());
        let mut lookahead = Time::MAX;
        for (rank, &node) in fabric.switches().iter().enumerate() {
            let ports = usize::from(fabric.port_count(node));
            let forwarding: Vec<u8> = fabric
                .hosts()
                .iter()
                .map(|&host| routes.out_port(node, host).wrapping_sub(1))
                .collect();
            let mut switch = Switch::new(
                models.switch.clone(),
                ports,
                lanes,
                forwarding,
                (1..=ports)
                    .flat_map(|input| (1..=ports).map(move |output| (input as u8, output as u8)))
                    .map(|(input, output)| models.qos.sl2vl(node, Some(input), output))
                    .collect(),
                Stream::new(seed, "switch", rank as u64),
            );
            for port in fabric.ports(node) {
                let Some((cable, peer)) = cable(port) else { continue };
                lookahead = lookahead.min(cable.lookahead());
                let egress = Egress::new(
                    cable,
                    switch.slots(),
                    buffer_behind(peer),
                    models.qos.vlarb(node, port.number),
                    models.switch.scheduling,
                )?;
                let upstream = (cable.to, cable.to_port);
                switch.cable(usize::from(port.number - 1), SwitchPort::new(upstream, egress));
            }
            nodes.push(Node::Switch(Box::new(switch)));
        }
        for (rank, &node) in fabric.hosts().iter().enumerate() {
            let (cable, peer) = cable(fabric.host_port(node)).expect("a host has a link");
            lookahead = lookahead.min(cable.lookahead());
            let egress = Egress::new(
                cable,
                2 * lanes,
                buffer_behind(peer),
                models.qos.vlarb(node, fabric.host_port(node).number),
                Scheduling::RoundRobin,
            )?;
            let upstream = (cable.to, cable.to_port);
            nodes.push(Node::Host(Box::new(Host::new(
                rank as u16,
                models.device.clone(),
                models.qos.sl2vl(node, None, fabric.host_port(node).number),
                lanes,
                egress,
                upstream,
            ))));
        }
        Ok(Simulation {
            clock: Clock::new(nodes.len()),
            nodes,
            lookahead,
            now: Time::ZERO,
            seed,
            outbox: Outbox::default(),
            names,
            switches: fabric.switches().len(),
        })
    }

    fn host_node(&self, host: usize) -> usize {
        self.switches + host
    }

    fn host(&self, host: usize) -> &Host<P> {
        match &self.nodes[self.host_node(host)] {
            Node::Host(h) => h,
            Node::Switch(_) => unreachable!("hosts come after switches"),
        }
    }

    fn host_mut(&mut self, host: usize) -> &mut Host<P> {
        let node = self.host_node(host);
        match &mut self.nodes[node] {
            Node::Host(h) => h,
            Node::Switch(_) => unreachable!("hosts come after switches"),
        }
    }

    /// Connects a queue pair of host `a` with one of host `b` (which may be the same host, for
    /// loopback). Returns their numbers. Panics if the service level has no lane.
    pub fn connect(&mut self, a: usize, b: usize, transport: Transport, sl: Sl) -> (Qp, Qp) {
        for host in [a, b] {
            assert!(self.host(host).has_lane(sl), "{sl} has no lane at host {host}");
        }
        let setup = |peer: usize, peer_qp: u16| QpSetup {
            transport,
            sl,
            peer: peer as u16,
            peer_qp,
            core: None,
        };
        let first = self.host(a).qp_count() as u16;
        let second = if a == b { first + 1 } else { self.host(b).qp_count() as u16 };
        self.host_mut(a).add_qp(setup(b, second));
        self.host_mut(b).add_qp(setup(a, first));
        (Qp(first), Qp(second))
    }

    /// Starts a program on a core of its own at `host`; it gets the completions of `qps`.
    /// Returns the number by which [`Simulation::program`] knows it there.
    pub fn start(
        &mut self,
        host: usize,
        qps: &[Qp],
        program: P,
        notify: Notify,
        at: Time,
    ) -> usize {
        let seed = self.seed;
        let state = self.host_mut(host);
        let core = state.add_program(program, notify, at, seed);
        for qp in qps {
            state.qp_setup_mut(qp.0).core = Some(core);
        }
        let node = self.host_node(host);
        self.clock.lower(node, at);
        usize::from(core)
    }

    /// A program, to read its results.
    pub fn program(&self, host: usize, number: usize) -> &P {
        &self.host(host).cores[number].program
    }

    /// Payload bytes that arrived at a host over its link.
    pub fn payload_delivered(&self, host: usize) -> u64 {
        self.host(host).payload_in
    }

    /// Simulated time so far.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether a program has what it wanted.
    pub fn is_done(&self, host: usize, number: usize) -> bool {
        self.host(host).cores[number].done
    }

    /// Makes the lookahead shorter than the links allow (a longer one is ignored, 1 ps is the
    /// least). That only costs time; tests use it to show that results don't depend on it.
    pub fn set_lookahead(&mut self, lookahead: Time) {
        self.lookahead = self.lookahead.min(lookahead.max(Time::from_ps(1)));
    }

    /// Runs until simulated time `end`, or until nothing can happen.
    pub fn run(&mut self, end: Time) -> Outcome {
        loop {
            let (node, first, others) = self.clock.first();
            if first >= end {
                break;
            }
            // Nobody else does anything before `others`, nor sees what this node does before
            // `first + lookahead`: what they send in answer comes a lookahead after that.
            let heard = others.min(first.saturating_add(self.lookahead));
            // Where links take no time at all, windows are single instants.
            let instant = first.saturating_add(Time::from_ps(1));
            let horizon = heard.saturating_add(self.lookahead).max(instant).min(end);
            let next = match &mut self.nodes[node] {
                Node::Switch(s) => s.run(horizon, &mut self.outbox),
                Node::Host(h) => h.run(horizon, &mut self.outbox),
            };
            self.clock.set(node, next);
            self.deliver();
        }
        self.now = end;
        if self.clock.first().1 == Time::MAX { Outcome::Quiet } else { Outcome::Paused }
    }

    /// Hands over what the last node sent.
    #[inline]
    fn deliver(&mut self) {
        for (to, port, flight) in self.outbox.packets.drain(..) {
            let woken = match &mut self.nodes[to as usize] {
                Node::Switch(s) => s.receive(port, flight),
                Node::Host(h) => h.receive(flight),
            };
            if woken {
                self.clock.lower(to as usize, flight.at);
            }
        }
        for (to, port, credit) in self.outbox.credits.drain(..) {
            let woken = match &mut self.nodes[to as usize] {
                Node::Switch(s) => s.receive_credit(port, credit),
                Node::Host(h) => h.receive_credit(credit),
            };
            if woken {
                self.clock.lower(to as usize, credit.at);
            }
        }
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for node in &self.nodes {
            match node {
                Node::Switch(s) => {
                    sum.packet_hops += s.crossed;
                    sum.packets_dropped += s.dropped;
                    sum.events += s.handled;
                }
                Node::Host(h) => {
                    sum.packets_delivered += h.packets_in;
                    sum.packet_hops += h.packets_out;
                    sum.events += h.handled;
                }
            }
        }
        sum
    }

    /// Packets in buffers and RNICs (those on links not counted).
    pub fn packets_buffered(&self) -> usize {
        self.nodes
            .iter()
            .map(|node| match node {
                Node::Switch(s) => s.buffered(),
                Node::Host(h) => h.buffered(),
            })
            .sum()
    }

    /// Output ports that wait for each other's credits for ever, in this order: each can only send
    /// on some lane once the next one does.
    pub fn deadlock(&self) -> Option<Vec<Port>> {
        let switches = self.nodes.iter().map_while(|node| match node {
            Node::Switch(switch) => Some(&**switch),
            Node::Host(_) => None,
        });
        let name = |(switch, output): (usize, usize)| Port {
            node: self.names[switch],
            number: output as u8 + 1,
        };
        Some(deadlock::find(&switches.collect::<Vec<_>>())?.into_iter().map(name).collect())
    }
}
