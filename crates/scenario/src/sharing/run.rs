//! [`Drive`]: the jobs of a scenario over a flow simulation, from event to event.

use super::links::Links;
use super::timeline::{Recorder, Timeline};
use super::{SharedJob, SharingPolicy, SharingScenario};
use bandwise_flowsim::{Ended, FlowId, FlowSpec, Policy, Simulation};
use bandwise_units::{Bytes, Time};
use bandwise_workload::job::{Action, JobRun, Part, Transfer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// Who sets up the network while jobs come and go.
pub(super) trait Steering<P: Policy> {
    /// The class of a job's flows, before it starts.
    fn class(&self, job: usize) -> u8;
    /// A job starts: it will send over these paths.
    fn starts(&mut self, _job: usize, _paths: &Paths, _simulation: &mut Simulation<P>) {}
    /// A job has ended.
    fn ended(&mut self, _job: usize, _paths: &Paths, _simulation: &mut Simulation<P>) {}
}

/// Nobody: all flows are of one class, and links share as they did at the beginning.
pub(super) struct Unsteered;

impl<P: Policy> Steering<P> for Unsteered {
    fn class(&self, _job: usize) -> u8 {
        0
    }
}

/// The paths among the instances of a job.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    instances: u32,
    /// By sender times instances plus receiver: where in `links` its path begins.
    begin: Vec<u32>,
    links: Vec<u32>,
}

impl Paths {
    pub(super) fn new(scenario: &SharingScenario, links: &Links, job: &SharedJob) -> Paths {
        let instances = job.job.instances;
        let mut paths = Paths { instances, begin: vec![0], links: Vec::new() };
        for &from in &job.hosts {
            for &to in &job.hosts {
                if from != to {
                    paths.links.extend(links.path(&scenario.fabric, &scenario.routes, from, to));
                }
                paths.begin.push(paths.links.len() as u32);
            }
        }
        paths
    }

    fn path(&self, from: u32, to: u32) -> &[u32] {
        let pair = (from * self.instances + to) as usize;
        &self.links[self.begin[pair] as usize..self.begin[pair + 1] as usize]
    }

    /// The links of all paths among instances that send to each other, each once.
    pub(super) fn links(&self) -> Vec<u32> {
        let mut links = self.links.clone();
        links.sort_unstable();
        links.dedup();
        links
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharingProgress {
    /// Under which policy; none while each job runs alone.
    pub policy: Option<SharingPolicy>,
    /// Simulated time.
    pub now: Time,
    /// Jobs that are over.
    pub jobs_over: usize,
    /// The part of all stages that are over, from 0 to 1.
    pub part: f64,
}

/// Called now and then; the run stops when it says so.
pub type SharingWatch<'a> = &'a mut dyn FnMut(SharingProgress) -> ControlFlow<()>;

/// When jobs started and ended, and what that took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Driven {
    /// By job: when it ended; not, if the run was stopped.
    pub(super) ended: Vec<Option<Time>>,
    /// Flows that ended.
    pub(super) flows: u64,
    /// Instants at which something happened.
    pub(super) instants: u64,
    /// What jobs did when, if that was asked for.
    pub(super) timeline: Option<Timeline>,
}

/// Whose flow it is.
#[derive(Debug, Clone, Copy)]
struct Owner {
    flow: FlowId,
    job: u32,
    part: Part,
}

/// Something that happens to a job, by time: of those at one instant, jobs in their order.
type Due = Reverse<(Time, u32)>;

/// Jobs on their way.
pub(super) struct Drive<'a, P: Policy, S> {
    simulation: Simulation<P>,
    steering: S,
    paths: Vec<Paths>,
    runs: Vec<JobRun<'a>>,
    /// Jobs that start, or whose instances have computed.
    due: BinaryHeap<Due>,
    /// By index of a flow: whose it is, or was.
    owners: Vec<Option<Owner>>,
    actions: Vec<Action>,
    driven: Driven,
    recorder: Option<Recorder>,
}

/// Instants between two looks at the clock of whoever watches.
const WATCH_EVERY: u64 = 64;

impl<'a, P: Policy, S: Steering<P>> Drive<'a, P, S> {
    /// Jobs of a scenario, all or some, that have not started yet.
    pub(super) fn new(
        scenario: &'a SharingScenario,
        jobs: &'a [SharedJob],
        links: &Links,
        simulation: Simulation<P>,
        steering: S,
    ) -> Self {
        let due = (0u32..).zip(jobs).map(|(job, shared)| Reverse((shared.start, job)));
        Drive {
            simulation: simulation.with_recurring_flows().with_grain(scenario.grain),
            steering,
            paths: jobs.iter().map(|job| Paths::new(scenario, links, job)).collect(),
            runs: jobs.iter().map(|job| JobRun::new(&job.job)).collect(),
            due: due.collect(),
            owners: Vec::new(),
            actions: Vec::new(),
            driven: Driven { ended: vec![None; jobs.len()], flows: 0, instants: 0, timeline: None },
            recorder: None,
        }
    }

    /// The same, and what jobs do is taken down.
    pub(super) fn recording(mut self, recorder: Option<Recorder>) -> Self {
        self.recorder = recorder;
        self
    }

    /// Runs until all jobs are over, or until it is told to stop.
    pub(super) fn run(mut self, watch: SharingWatch<'_>) -> Driven {
        let mut ended: Vec<Ended> = Vec::new();
        let mut landed = Vec::new();
        let mut started = vec![false; self.runs.len()];
        loop {
            let due = self.due.peek().map(|&Reverse((at, _))| at);
            let Some(now) = due.into_iter().chain(self.simulation.next_event()).min() else {
                break;
            };
            self.record(now);
            self.simulation.advance(now, &mut ended);
            self.driven.instants += 1;
            self.driven.flows += ended.len() as u64;
            // All owners first: what a job starts may take the index of a flow that has ended too.
            landed.extend(ended.drain(..).filter_map(|flow| self.owners[flow.flow.index()]));
            for Owner { job, part, .. } in landed.drain(..) {
                if let Some(recorder) = &mut self.recorder {
                    recorder.arrives(job as usize);
                }
                self.runs[job as usize].delivered(part, &mut self.actions);
                self.act(job, now);
            }
            while let Some(&Reverse((_, job))) = self.due.peek().filter(|due| due.0.0 <= now) {
                self.due.pop();
                let index = job as usize;
                if std::mem::replace(&mut started[index], true) {
                    self.runs[index].computed(&mut self.actions);
                } else {
                    self.steering.starts(index, &self.paths[index], &mut self.simulation);
                    self.runs[index].start(&mut self.actions);
                }
                self.act(job, now);
            }
            if self.driven.instants.is_multiple_of(WATCH_EVERY) && watch(self.progress()).is_break()
            {
                break;
            }
        }
        if let Some(recorder) = self.recorder.take() {
            self.driven.timeline = Some(recorder.finish(&self.left()));
        }
        self.driven
    }

    /// Takes down what jobs do until `now`, which is no later than the next event.
    fn record(&mut self, now: Time) {
        let Some(mut recorder) = self.recorder.take() else { return };
        while recorder.due() < now {
            let due = recorder.due();
            // No flow ends before `now`: this is to know how much of each has arrived.
            self.simulation.advance(due, &mut Vec::new());
            recorder.advance(due);
            recorder.end_step(&self.left());
        }
        recorder.advance(now);
        self.recorder = Some(recorder);
    }

    /// What of each job is on its way.
    fn left(&self) -> Vec<Bytes> {
        let mut left = vec![Bytes::ZERO; self.runs.len()];
        for owner in self.owners.iter().flatten() {
            left[owner.job as usize] += self.simulation.left(owner.flow);
        }
        left
    }

    /// What a job begins.
    fn act(&mut self, job: u32, now: Time) {
        let index = job as usize;
        for action in self.actions.drain(..) {
            match action {
                Action::Compute(time) => self.due.push(Reverse((now + time, job))),
                Action::Send(part, Transfer { from, to, bytes }) => {
                    let path = self.paths[index].path(from, to);
                    let class = self.steering.class(index);
                    let flow = FlowSpec { path, bytes, class, group: job, cap: None };
                    let flow = self.simulation.start(flow);
                    if self.owners.len() <= flow.index() {
                        self.owners.resize(flow.index() + 1, None);
                    }
                    self.owners[flow.index()] = Some(Owner { flow, job, part });
                    if let Some(recorder) = &mut self.recorder {
                        recorder.starts(index, bytes);
                    }
                }
                Action::End => {
                    self.driven.ended[index] = Some(now);
                    self.steering.ended(index, &self.paths[index], &mut self.simulation);
                }
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.computes(index, self.runs[index].is_computing());
        }
    }

    fn progress(&self) -> SharingProgress {
        let (done, all) = self
            .runs
            .iter()
            .map(JobRun::progress)
            .fold((0, 0), |sum, job| (sum.0 + job.0, sum.1 + job.1));
        let jobs_over = self.driven.ended.iter().filter(|ended| ended.is_some()).count();
        let now = self.simulation.now();
        let part = done as f64 / all.max(1) as f64;
        SharingProgress { policy: None, now, jobs_over, part }
    }
}
