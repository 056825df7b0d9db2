//! A simulation: a fabric of switches and hosts.
//!
//! Nothing that a node does at time t matters to another before t plus the *lookahead*, the least
//! latency of any link. So the node whose event comes first runs alone, its state in cache, up to
//! a lookahead beyond the earliest time at which any other could act; then what it sent is handed
//! over. Where links are short such a window holds an event or two and this becomes an ordinary
//! event loop; where they are long there is hardly any global order left to keep.

use crate::clock::Clock;
use crate::deadlock;
use crate::host::{Host, Notify, QpSetup};
use crate::link::Outbox;
use crate::switch::Switch;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Program, Qp, Transport};
use bandwise_topology::{NodeId, Port};
use bandwise_units::Time;

/// A node by what it is.
#[derive(Debug)]
pub(crate) enum Node<P> {
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
    pub(crate) nodes: Vec<Node<P>>,
    pub(crate) clock: Clock,
    pub(crate) lookahead: Time,
    pub(crate) now: Time,
    pub(crate) seed: u64,
    pub(crate) outbox: Outbox,
    /// For naming ports: fabric node by simulation node.
    pub(crate) names: Vec<NodeId>,
    pub(crate) switches: usize,
}

impl<P: Program> Simulation<P> {
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
        let Simulation { nodes, clock, outbox, .. } = self;
        for &(to, port, flight) in &outbox.packets {
            let woken = match &mut nodes[to as usize] {
                Node::Switch(s) => s.receive(port, flight),
                Node::Host(h) => h.receive(flight),
            };
            if woken {
                clock.lower(to as usize, flight.at);
            }
        }
        outbox.packets.clear();
        for &(to, port, credit) in &outbox.credits {
            let woken = match &mut nodes[to as usize] {
                Node::Switch(s) => s.receive_credit(port, credit),
                Node::Host(h) => h.receive_credit(credit),
            };
            if woken {
                clock.lower(to as usize, credit.at);
            }
        }
        outbox.credits.clear();
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
