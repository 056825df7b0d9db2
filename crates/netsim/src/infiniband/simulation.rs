//! A simulation: a fabric of switches and hosts, with programs on the hosts.

use crate::engine::{Engine, Executor, Member, Sequential};
use crate::infiniband::cable::Net;
use crate::infiniband::checkpoint::FabricCheckpoint;
use crate::infiniband::credit_deadlock;
use crate::infiniband::host::{Host, Notify, QpSetup};
use crate::infiniband::switch::Switch;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Program, Qp, Transport};
use bandwise_topology::{NodeId, Port};
use bandwise_units::Time;

pub(crate) type Node<P> = Member<Switch, Host<P>>;

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
    TimeReached,
    /// Nothing can happen any more: nobody posts and nothing moves. With packets left in the
    /// fabric that is a deadlock, see [`Simulation::deadlock`].
    Quiet,
}

/// A fabric with programs on its hosts.
#[derive(Debug)]
pub struct Simulation<P: Program> {
    /// Switches, then hosts.
    pub(crate) engine: Engine<Node<P>>,
    pub(crate) seed: u64,
    /// For naming ports: fabric node by simulation node.
    pub(crate) names: Vec<NodeId>,
    pub(crate) switches: usize,
    /// The other way round: simulation node by fabric node.
    pub(crate) places: Vec<u32>,
    /// Data lanes in use.
    pub(crate) lanes: usize,
}

impl<P: Program> Simulation<P> {
    fn host_node(&self, host: usize) -> usize {
        self.switches + host
    }

    fn host(&self, host: usize) -> &Host<P> {
        self.engine.node(self.host_node(host)).as_host().expect("hosts come after switches")
    }

    fn host_mut(&mut self, host: usize) -> (&mut Host<P>, &mut Net) {
        let node = self.host_node(host);
        let (node, net) = self.engine.node_mut(node);
        (node.as_host_mut().expect("hosts come after switches"), net)
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
        self.host_mut(a).0.add_qp(setup(b, second));
        self.host_mut(b).0.add_qp(setup(a, first));
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
        let (state, net) = self.host_mut(host);
        let core = state.add_program(program, notify, at, seed, net);
        for qp in qps {
            state.qp_setup_mut(qp.0).core = Some(core);
        }
        usize::from(core)
    }

    /// A program, to read its results.
    pub fn program(&self, host: usize, number: usize) -> &P {
        &self.host(host).cores[number].program
    }

    /// Payload bytes that arrived at a host over its link.
    pub fn payload_delivered(&self, host: usize) -> u64 {
        self.host(host).payload_in().sum()
    }

    /// Payload bytes of those that arrived for one of its queue pairs.
    pub fn payload_arrived(&self, host: usize, qp: Qp) -> u64 {
        self.host(host).payload_in().nth(usize::from(qp.0)).expect("a connected queue pair")
    }

    /// CPU time that a program has used: all time since its start if it polls; if it sleeps, that of
    /// interrupts, of its steps and of posting, but not what leaving an idle state takes.
    pub fn cpu_time(&self, host: usize, number: usize) -> Time {
        self.host(host).cores[number].cpu_time(self.now())
    }

    /// Simulated time so far.
    pub fn now(&self) -> Time {
        self.engine.now()
    }

    /// Whether a program has what it wanted.
    pub fn is_done(&self, host: usize, number: usize) -> bool {
        self.host(host).cores[number].done
    }

    /// Runs until simulated time `end`, or until nothing can happen.
    pub fn run(&mut self, end: Time) -> Outcome {
        if self.engine.run(end, &Sequential) { Outcome::TimeReached } else { Outcome::Quiet }
    }

    /// Runs by the hands of `executor` until a time, and to the next, and so on, as `next` says: it is asked
    /// first, and whenever all before the last time is done. Between, it may tell programs and ports
    /// what to do. It ends the run with `None`. Times must not go back.
    pub fn run_in_steps(
        &mut self,
        executor: &impl Executor,
        mut next: impl FnMut(&mut FabricCheckpoint<'_, '_, '_, P>) -> Option<Time> + Send,
    ) {
        let Simulation { engine, places, switches, lanes, .. } = self;
        let (switches, lanes) = (*switches, *lanes);
        engine.run_in_steps(executor, |checkpoint| {
            next(&mut FabricCheckpoint { checkpoint, switches, lanes, places })
        });
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters { events: self.engine.handled(), ..Counters::default() };
        for node in self.engine.nodes() {
            match node {
                Member::Switch(s) => {
                    sum.packet_hops += s.crossed;
                    sum.packets_dropped += s.dropped;
                }
                Member::Host(h) => {
                    sum.packets_delivered += h.packets_in;
                    sum.packet_hops += h.packets_out;
                }
            }
        }
        sum
    }

    /// Packets in buffers and RNICs (those on links not counted).
    pub fn packets_buffered(&self) -> usize {
        self.engine
            .nodes()
            .map(|node| match node {
                Member::Switch(s) => s.buffered(),
                Member::Host(h) => h.buffered(),
            })
            .sum()
    }

    /// Output ports that wait for each other's credits for ever, in this order: each can only send
    /// on some lane once the next one does.
    pub fn deadlock(&self) -> Option<Vec<Port>> {
        let switches = self.engine.nodes().map_while(Member::as_switch);
        let name = |(switch, output): (usize, usize)| Port {
            node: self.names[switch],
            number: output as u8 + 1,
        };
        Some(
            credit_deadlock::deadlock(&switches.collect::<Vec<_>>(), &|end| {
                self.engine.links(end)
            })?
            .into_iter()
            .map(name)
            .collect(),
        )
    }
}
