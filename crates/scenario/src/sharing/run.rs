//! [`Drive`]: the jobs of a scenario over a flow simulation, from event to event.

use super::SharingScenario;
use super::jobs::{Carrier, Jobs, SharingWatch};
use super::links::Links;
use super::steering::{Paths, Steering};
use bandwise_flowsim::{Ended, FlowSpec, Policy, Simulation};
use bandwise_units::Time;
use bandwise_workload::job::{Part, Transfer};

/// When jobs ended, and what that took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Driven {
    /// By job: when it ended; not, if the run was stopped.
    pub(super) ended: Vec<Option<Time>>,
    /// Flows that ended.
    pub(super) flows: u64,
    /// Instants at which something happened.
    pub(super) instants: u64,
}

/// Jobs on their way over links.
pub(super) struct Drive<'a, P: Policy, S> {
    jobs: Jobs<'a>,
    flows: Flows<P, S>,
}

/// What jobs send, as flows.
struct Flows<P: Policy, S> {
    simulation: Simulation<P>,
    steering: S,
    paths: Vec<Paths>,
    /// By index of a flow: its job and part.
    owners: Vec<(u32, Part)>,
}

/// Instants between two looks at the clock of whoever watches.
const WATCH_EVERY: u64 = 64;

impl<'a, P: Policy, S: Steering<Simulation<P>>> Drive<'a, P, S> {
    /// Jobs that have not started yet.
    pub(super) fn new(
        scenario: &'a SharingScenario,
        links: &Links,
        simulation: Simulation<P>,
        steering: S,
    ) -> Self {
        let paths = scenario.jobs.iter().map(|job| Paths::new(scenario, links, job)).collect();
        let simulation = simulation.with_recurring_flows();
        Drive {
            jobs: Jobs::new(&scenario.jobs),
            flows: Flows { simulation, steering, paths, owners: Vec::new() },
        }
    }

    /// Runs until all jobs are over, or until it is told to stop.
    pub(super) fn run(self, watch: SharingWatch<'_>) -> Driven {
        let Drive { mut jobs, mut flows } = self;
        let mut ended: Vec<Ended> = Vec::new();
        let mut landed = Vec::new();
        let (mut count, mut instants) = (0, 0u64);
        loop {
            let next_event = flows.simulation.next_event();
            let Some(now) = jobs.next_due().into_iter().chain(next_event).min() else { break };
            flows.simulation.advance(now, &mut ended);
            instants += 1;
            count += ended.len() as u64;
            // All owners first: what a job starts may take the index of a flow that has ended too.
            landed.extend(ended.drain(..).map(|flow| flows.owners[flow.flow.index()]));
            for (job, part) in landed.drain(..) {
                jobs.delivered(job, part, now, &mut flows);
            }
            jobs.advance(now, &mut flows);
            if instants.is_multiple_of(WATCH_EVERY) && watch(jobs.progress(now)).is_break() {
                break;
            }
        }
        Driven { ended: jobs.into_ended(), flows: count, instants }
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
        let slot = self.simulation.start(flow).index();
        if self.owners.len() <= slot {
            self.owners.resize(slot + 1, (0, Part::Exposed));
        }
        self.owners[slot] = (job as u32, part);
    }

    fn ended(&mut self, job: usize) {
        self.steering.ended(job, &self.paths[job], &mut self.simulation);
    }
}
