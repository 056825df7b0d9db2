//! [`Drive`]: the jobs of a scenario over a flow simulation, from event to event.

use super::execution::{Carrier, Jobs};
use super::steering::{Paths, Steering};
use crate::Watch;
use crate::jobs::timeline::{Recorder, Timeline};
use crate::jobs::{JobsScenario, SharedJob};
use bandwise_flowsim::{FinishedFlow, FlowId, FlowSpec, Links, Policy, Simulation};
use bandwise_units::{Bytes, Time};
use bandwise_workload::job::{Part, Transfer};

/// The ends of jobs, and the effort of the simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Driven {
    /// End of each job; `None` if the run was stopped before.
    pub(super) ended: Vec<Option<Time>>,
    /// Number of flows that ended.
    pub(super) flows: u64,
    /// Number of instants with an event.
    pub(super) instants: u64,
    /// Activities of jobs over time, if they were recorded.
    pub(super) timeline: Option<Timeline>,
}

/// Jobs in execution over links.
pub(super) struct Drive<'a, P: Policy, S> {
    jobs: Jobs<'a>,
    flows: Flows<P, S>,
}

/// The jobs' transfers as flows.
struct Flows<P: Policy, S> {
    simulation: Simulation<P>,
    steering: S,
    paths: Vec<Paths>,
    /// Owner of each flow, by index; ended flows included.
    owners: Vec<Option<Owner>>,
    recorder: Option<Recorder>,
}

/// The owner of a flow.
#[derive(Debug, Clone, Copy)]
struct Owner {
    flow: FlowId,
    job: u32,
    part: Part,
}

/// Instants between two calls of the watch.
const WATCH_EVERY: u64 = 64;

impl<'a, P: Policy, S: Steering<Simulation<P>>> Drive<'a, P, S> {
    /// Returns some or all jobs of a scenario, not yet started.
    pub(super) fn new(
        scenario: &'a JobsScenario,
        jobs: &'a [SharedJob],
        links: &Links,
        simulation: Simulation<P>,
        steering: S,
    ) -> Self {
        let paths = jobs.iter().map(|job| Paths::new(scenario, links, job)).collect();
        let simulation = simulation.with_recurring_flows().with_grain(scenario.grain);
        Drive {
            jobs: Jobs::new(jobs),
            flows: Flows { simulation, steering, paths, owners: Vec::new(), recorder: None },
        }
    }

    /// Records the activities of jobs.
    pub(super) fn recording(mut self, recorder: Option<Recorder>) -> Self {
        self.flows.recorder = recorder;
        self
    }

    /// Runs until all jobs have ended, or the watch breaks off.
    pub(super) fn run(self, watch: Watch<'_>) -> Driven {
        let Drive { mut jobs, mut flows } = self;
        let mut ended: Vec<FinishedFlow> = Vec::new();
        let mut landed = Vec::new();
        let (mut count, mut instants) = (0, 0u64);
        loop {
            let next_event = flows.simulation.next_event();
            let Some(now) = jobs.next_due().into_iter().chain(next_event).min() else { break };
            flows.record(now);
            flows.simulation.advance(now, &mut ended);
            instants += 1;
            count += ended.len() as u64;
            // Owners are collected first, because a started job may reuse the index of an ended
            // flow.
            landed.extend(ended.drain(..).filter_map(|flow| flows.owners[flow.flow.index()]));
            for Owner { job, part, .. } in landed.drain(..) {
                if let Some(recorder) = &mut flows.recorder {
                    recorder.arrives(job as usize);
                }
                jobs.delivered(job, part, now, &mut flows);
            }
            jobs.advance(now, &mut flows);
            if instants.is_multiple_of(WATCH_EVERY) && watch(jobs.progress(now)).is_break() {
                break;
            }
        }
        let timeline = flows.recorder.take().map(|recorder| recorder.finish(&flows.left()));
        Driven { ended: jobs.into_ended(), flows: count, instants, timeline }
    }
}

impl<P: Policy, S> Flows<P, S> {
    /// Records the activities of jobs until `now`, which is no later than the next event.
    fn record(&mut self, now: Time) {
        let Some(mut recorder) = self.recorder.take() else { return };
        while recorder.due() < now {
            let due = recorder.due();
            // No flow ends before `now`; the call updates the bytes left of each flow.
            self.simulation.advance(due, &mut Vec::new());
            recorder.advance(due);
            recorder.end_step(&self.left());
        }
        recorder.advance(now);
        self.recorder = Some(recorder);
    }

    /// Returns the bytes of each job that have not arrived.
    fn left(&self) -> Vec<Bytes> {
        let mut left = vec![Bytes::ZERO; self.paths.len()];
        for owner in self.owners.iter().flatten() {
            left[owner.job as usize] += self.simulation.left(owner.flow);
        }
        left
    }
}

impl<P: Policy, S: Steering<Simulation<P>>> Carrier for Flows<P, S> {
    fn starts(&mut self, job: usize) {
        self.steering.starts(job, &self.paths[job], &mut self.simulation);
    }

    fn send(&mut self, job: usize, part: Part, Transfer { from, to, bytes }: Transfer) {
        let path = self.paths[job].path(from, to);
        let class = self.steering.class(job);
        let flow = FlowSpec { path, bytes, class, group: job as u32, cap: None };
        let flow = self.simulation.start(flow);
        if self.owners.len() <= flow.index() {
            self.owners.resize(flow.index() + 1, None);
        }
        self.owners[flow.index()] = Some(Owner { flow, job: job as u32, part });
        if let Some(recorder) = &mut self.recorder {
            recorder.starts(job, bytes);
        }
    }

    fn ended(&mut self, job: usize) {
        self.steering.ended(job, &self.paths[job], &mut self.simulation);
    }

    fn computes(&mut self, job: usize, is_computing: bool) {
        if let Some(recorder) = &mut self.recorder {
            recorder.computes(job, is_computing);
        }
    }
}
