//! [`JobsSimulation`]: the jobs of a scenario over InfiniBand hosts and switches.

use super::connections::Connections;
use super::models::{Lanes, models};
use super::results::{PacketResults, REACTION, WATCH_EVERY};
use super::sender::JobSender;
use crate::Watch;
use crate::jobs::run::execution::{Carrier, Jobs};
use crate::jobs::run::steering::{Configurable, Paths, Steering};
use crate::jobs::{JobsResults, JobsScenario, SharingPolicy};
use bandwise_flowsim::Links;
use bandwise_netsim::engine::{Executor, MIN_PARTITION_LATENCY};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_netsim::infiniband::{FabricCheckpoint, PortTables, Simulation};
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Opcode, Transport, WorkRequest};
use bandwise_saba::controller::PortConfig;
use bandwise_topology::Port;
use bandwise_units::Time;
use bandwise_workload::job::{Part, Transfer};

/// Most nodes that share an event queue. In larger fabrics, and with several workers, each node has
/// its own queue although links are short.
const ONE_QUEUE: usize = 256;

/// Largest message (IBTA 9.2.8: 2^31 bytes). Larger transfers are several messages.
const MESSAGE: u64 = 1 << 31;

/// Tables of ports that are to be set, by link.
pub(super) struct Set<'a> {
    lanes: &'a Lanes,
    tables: Vec<(u32, PortTables)>,
}

impl Configurable for Set<'_> {
    fn configure(&mut self, link: u32, config: &PortConfig) {
        self.tables.push((link, self.lanes.configured(config)));
    }
}

/// Jobs over packets.
pub(super) struct JobsSimulation<'a, S> {
    policy: SharingPolicy,
    simulation: Simulation<JobSender>,
    jobs: Jobs<'a>,
    orders: Orders<'a, S>,
}

impl<'a, S: Steering<Set<'a>> + Send> JobsSimulation<'a, S> {
    /// Returns jobs that have not started, over a fabric with all their connections.
    pub(super) fn new(
        scenario: &'a JobsScenario,
        links: &'a Links,
        lanes: &'a Lanes,
        policy: SharingPolicy,
        steering: S,
        executor: &impl Executor,
    ) -> Self {
        let JobsScenario { fabric, routes, jobs, seed, .. } = scenario;
        let models = models(fabric, lanes, policy);
        let is_partitioned = executor.workers().get() > 1 || fabric.nodes().len() > ONE_QUEUE;
        let least_latency = if is_partitioned { Time::from_ps(1) } else { MIN_PARTITION_LATENCY };
        let built = Simulation::partitioned(
            fabric,
            routes,
            &models,
            *seed,
            executor.workers(),
            least_latency,
        );
        let mut simulation = built.expect("arbitration tables that every port can have");
        let mut qps = vec![Vec::new(); fabric.hosts().len()];
        let mut connections = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            let level = Sl::try_from(steering.class(number)).expect("there are as many levels");
            let mut of_job = Connections::new(job.job.instances);
            of_job.pairs(&job.job, |[a, b]| {
                let hosts = [a, b].map(|instance| job.hosts[instance as usize] as usize);
                let (near, far) = simulation.connect(hosts[0], hosts[1], Transport::Rc, level);
                qps[hosts[0]].push(near);
                qps[hosts[1]].push(far);
                (near, far)
            });
            connections.push(of_job);
        }
        for (host, qps) in qps.iter().enumerate() {
            simulation.start(host, qps, JobSender::default(), Notify::Poll, Time::ZERO);
        }
        let orders = Orders {
            scenario,
            ports: links.ports(),
            paths: jobs.iter().map(|job| Paths::new(scenario, links, job)).collect(),
            connections,
            steering,
            set: Set { lanes, tables: Vec::new() },
            requests: Vec::new(),
            outstanding: vec![0; fabric.hosts().len()],
            arrived: Vec::new(),
            transfers: 0,
        };
        JobsSimulation { policy, simulation, jobs: Jobs::new(jobs), orders }
    }

    /// Runs until all jobs have ended, or the watch breaks.
    pub(super) fn run(self, executor: &impl Executor, watch: Watch<'_>) -> PacketResults {
        let JobsSimulation { policy, mut simulation, mut jobs, mut orders } = self;
        let (mut instants, mut over) = (0, false);
        while !over {
            let mut polls = 0;
            simulation.run_in_steps(executor, |checkpoint| {
                if polls == WATCH_EVERY {
                    return None;
                }
                polls += 1;
                let next = orders.poll(checkpoint, &mut jobs);
                over = next.is_none();
                next
            });
            instants += polls;
            over |= watch(jobs.progress(simulation.now())).is_break();
        }
        let ended = orders.scenario.jobs.iter().zip(jobs.into_ended());
        let took = ended.map(|(job, ended)| job.took(ended));
        PacketResults {
            results: JobsResults {
                policy,
                took: took.collect(),
                flows: orders.transfers,
                instants,
                timeline: None,
            },
            simulated: simulation.now(),
            counters: simulation.counters(),
            deadlock: simulation.deadlock(),
        }
    }
}

/// Orders to hosts and ports, and transfers in flight.
struct Orders<'a, S> {
    scenario: &'a JobsScenario,
    /// Port of each link.
    ports: &'a [Port],
    /// Paths of each job.
    paths: Vec<Paths>,
    connections: Vec<Connections>,
    steering: S,
    set: Set<'a>,
    /// Requests to post, with their hosts.
    requests: Vec<(u32, WorkRequest)>,
    /// Number of unacknowledged transfers of each host.
    outstanding: Vec<u32>,
    /// Acknowledged transfers, by [`number`].
    arrived: Vec<u64>,
    /// Number of acknowledged transfers.
    transfers: u64,
}

/// Returns the number of a transfer's last request.
fn number(job: usize, part: Part) -> u64 {
    (job as u64) << 1 | part as u64
}

impl<'a, S: Steering<Set<'a>>> Orders<'a, S> {
    /// Polls all hosts, carries out the resulting actions, and returns the time of the next poll;
    /// `None` if no event is due, or after a deadlock.
    fn poll(
        &mut self,
        checkpoint: &mut FabricCheckpoint<'_, '_, '_, JobSender>,
        jobs: &mut Jobs<'_>,
    ) -> Option<Time> {
        let now = checkpoint.now();
        let mut arrived = std::mem::take(&mut self.arrived);
        for (host, outstanding) in self.outstanding.iter_mut().enumerate().filter(|of| *of.1 > 0) {
            let completed = &mut checkpoint.program_mut(host, 0).completed;
            *outstanding -= completed.len() as u32;
            arrived.append(completed);
        }
        self.transfers += arrived.len() as u64;
        for number in arrived.drain(..) {
            let part = if number & 1 == 0 { Part::Overlapped } else { Part::Exposed };
            jobs.delivered((number >> 1) as u32, part, now, self);
        }
        self.arrived = arrived;
        jobs.advance(now, self);
        self.carry_out(checkpoint);
        let due = jobs.next_due();
        if self.outstanding.iter().all(|&transfers| transfers == 0) {
            return due;
        }
        // A quiet network with outstanding transfers is deadlocked.
        let next = REACTION * (now.as_ps() / REACTION.as_ps() + 1);
        (!checkpoint.is_quiet()).then(|| due.map_or(next, |due| due.min(next)))
    }

    fn carry_out(&mut self, checkpoint: &mut FabricCheckpoint<'_, '_, '_, JobSender>) {
        for (link, tables) in self.set.tables.drain(..) {
            let port = self.ports[link as usize];
            checkpoint.set_tables(port, &tables).expect("all levels have lanes, all lanes a turn");
        }
        for (host, request) in self.requests.drain(..) {
            checkpoint.program_mut(host as usize, 0).orders.push(request);
            checkpoint.wake(host as usize, 0);
        }
    }
}

impl<'a, S: Steering<Set<'a>>> Carrier for Orders<'a, S> {
    fn starts(&mut self, job: usize) {
        self.steering.starts(job, &self.paths[job], &mut self.set);
    }

    fn send(&mut self, job: usize, part: Part, Transfer { from, to, bytes }: Transfer) {
        let connections = &self.connections[job];
        let qp = connections.qps[connections.of(part, from, to)].expect("connected before");
        let host = self.scenario.jobs[job].hosts[from as usize];
        self.outstanding[host as usize] += 1;
        let mut left = bytes.get();
        while left > 0 {
            let bytes = left.min(MESSAGE);
            left -= bytes;
            let request = WorkRequest {
                qp,
                id: number(job, part),
                opcode: Opcode::Write,
                bytes: bytes as u32,
                // Requests of a connection complete in order.
                signaled: left == 0,
                inline: false,
                ring: true,
            };
            self.requests.push((host, request));
        }
    }

    fn ended(&mut self, job: usize) {
        self.steering.ended(job, &self.paths[job], &mut self.set);
    }
}
