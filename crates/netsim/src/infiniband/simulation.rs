//! A simulation of a fabric of switches and hosts, with programs on the hosts.

use crate::engine::{Engine, Executor, Member, Sequential};
use crate::infiniband::cable::Net;
use crate::infiniband::checkpoint::FabricCheckpoint;
use crate::infiniband::credit_deadlock;
use crate::infiniband::host::{Host, MAX_RD_ATOMIC, Notify, QpSetup};
use crate::infiniband::switch::Switch;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Program, Qp, Transport};
use bandwise_topology::{NodeId, Port};
use bandwise_units::Time;

pub(crate) type Node<P> = Member<Switch, Host<P>>;

/// Counters of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that arrived at a host.
    pub packets_delivered: u64,
    /// Links crossed by packets.
    pub packet_hops: u64,
    /// Packets dropped because their service level has no lane.
    pub packets_dropped: u64,
    /// Events handled.
    pub events: u64,
}

impl Counters {
    /// Adds the counters of another run.
    pub fn add(&mut self, other: &Counters) {
        self.packets_delivered += other.packets_delivered;
        self.packet_hops += other.packet_hops;
        self.packets_dropped += other.packets_dropped;
        self.events += other.events;
    }
}

/// Reason why [`Simulation::run`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The given time was reached.
    TimeReached,
    /// Nothing remains due: no program posts and no packet moves. Packets left in the fabric then
    /// indicate a deadlock, see [`Simulation::deadlock`].
    Quiet,
}

/// A simulated fabric with programs on its hosts.
#[derive(Debug)]
pub struct Simulation<P: Program> {
    /// Switches, then hosts.
    pub(crate) engine: Engine<Node<P>>,
    pub(crate) seed: u64,
    /// Fabric node of each simulation node, to name ports.
    pub(crate) fabric_nodes: Vec<NodeId>,
    pub(crate) switches: usize,
    /// Simulation node of each fabric node.
    pub(crate) node_of: Vec<u32>,
    /// Number of data lanes in use.
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

    /// Connects a queue pair of host `a` with one of host `b`, which may be the same host
    /// (loopback). Returns the numbers of both.
    ///
    /// # Panics
    ///
    /// If the service level has no lane at either host.
    pub fn connect(&mut self, a: usize, b: usize, transport: Transport, sl: Sl) -> (Qp, Qp) {
        for host in [a, b] {
            assert!(self.host(host).has_lane(sl), "{sl} has no lane at host {host}");
        }
        let mtu = self.host(a).mtu().min(self.host(b).mtu());
        let setup = |peer: usize, peer_qp: u16| QpSetup {
            transport,
            sl,
            mtu,
            peer: peer as u16,
            peer_qp,
            max_rd_atomic: MAX_RD_ATOMIC,
            core: None,
        };
        let first = self.host(a).qp_count() as u16;
        let second = if a == b { first + 1 } else { self.host(b).qp_count() as u16 };
        self.host_mut(a).0.add_qp(setup(b, second));
        self.host_mut(b).0.add_qp(setup(a, first));
        (Qp(first), Qp(second))
    }

    /// Sets the most READs and atomics that a queue pair of `host` has outstanding; [`MAX_RD_ATOMIC`]
    /// without a call.
    ///
    /// # Panics
    ///
    /// If the host does not have the queue pair, or `most` is 0.
    pub fn set_max_rd_atomic(&mut self, host: usize, qp: Qp, most: u8) {
        assert!(most > 0, "no READ could ever be sent");
        self.host_mut(host).0.qp_setup_mut(qp.0).max_rd_atomic = most;
    }

    /// Starts a program on its own core of `host`, which gets the completions of `qps`. Returns the
    /// program's number at that host, as used by [`Simulation::program`].
    ///
    /// # Panics
    ///
    /// If the host does not have one of the queue pairs.
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

    /// Returns a program, to read its results.
    ///
    /// # Panics
    ///
    /// If the host has no such program.
    pub fn program(&self, host: usize, number: usize) -> &P {
        &self.host(host).cores[number].program
    }

    /// Returns the payload bytes that arrived at a host over its link.
    pub fn payload_delivered(&self, host: usize) -> u64 {
        self.host(host).payload_in().sum()
    }

    /// Returns the payload bytes that arrived over the link for a queue pair of a host.
    ///
    /// # Panics
    ///
    /// If the host does not have the queue pair.
    pub fn payload_arrived(&self, host: usize, qp: Qp) -> u64 {
        self.host(host).payload_in().nth(usize::from(qp.0)).expect("a connected queue pair")
    }

    /// Returns the CPU time that a program has used. A polling program uses all time since its
    /// start. A sleeping one uses the time of interrupts, steps and posting, but not the exit
    /// latency of idle states.
    ///
    /// # Panics
    ///
    /// If the host has no such program.
    pub fn cpu_time(&self, host: usize, number: usize) -> Time {
        self.host(host).cores[number].cpu_time(self.now())
    }

    /// Returns the simulated time.
    pub fn now(&self) -> Time {
        self.engine.now()
    }

    /// Returns whether a program has finished.
    ///
    /// # Panics
    ///
    /// If the host has no such program.
    pub fn is_done(&self, host: usize, number: usize) -> bool {
        self.host(host).cores[number].done
    }

    /// Runs until simulated time `end`, or until nothing remains due.
    pub fn run(&mut self, end: Time) -> Outcome {
        if self.engine.run(end, &Sequential) { Outcome::TimeReached } else { Outcome::Quiet }
    }

    /// Runs on an executor up to a sequence of times that `next` returns. `next` is called first,
    /// and again whenever all events before its last time have been handled. It may control
    /// programs and ports, and ends the run with `None`. Times must not decrease.
    pub fn run_in_steps(
        &mut self,
        executor: &impl Executor,
        mut next: impl FnMut(&mut FabricCheckpoint<'_, '_, '_, P>) -> Option<Time> + Send,
    ) {
        let Simulation { engine, node_of, switches, lanes, .. } = self;
        let (switches, lanes) = (*switches, *lanes);
        engine.run_in_steps(executor, |checkpoint| {
            next(&mut FabricCheckpoint { checkpoint, switches, lanes, node_of })
        });
    }

    /// Returns the counters so far.
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

    /// Returns the number of packets in buffers and RNICs, without those on links.
    pub fn packets_buffered(&self) -> usize {
        self.engine
            .nodes()
            .map(|node| match node {
                Member::Switch(s) => s.buffered(),
                Member::Host(h) => h.buffered(),
            })
            .sum()
    }

    /// Returns output ports in a credit deadlock, in order: each can send on some lane only after
    /// the next one does. Returns `None` if there is no deadlock.
    pub fn deadlock(&self) -> Option<Vec<Port>> {
        let switches = self.engine.nodes().map_while(Member::as_switch);
        let name = |(switch, output): (usize, usize)| Port {
            node: self.fabric_nodes[switch],
            number: output as u16 + 1,
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
