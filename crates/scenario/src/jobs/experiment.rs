//! [`JobsExperiment`] and [`PacketExperiment`]: the jobs of a scenario under several policies.

use super::timeline::Recorder;
use super::{
    Comparison, JobsScenario, PacketComparison, PacketError, PacketRun, PacketSettings,
    SharingPolicy, TooManyJobs,
};
use crate::experiment::{Effort, Experiment, Progress, Stop, Watch};
use bandwise_netsim::engine::Executor;
use std::ops::ControlFlow;

/// The jobs of a scenario under several policies.
///
/// Every policy is one that [`JobsScenario::under`] accepts.
#[derive(Debug, Clone)]
pub struct JobsExperiment {
    scenario: JobsScenario,
    policies: Vec<SharingPolicy>,
    recorded: Vec<SharingPolicy>,
}

impl JobsExperiment {
    /// Returns the experiment with these policies, in this order.
    ///
    /// # Errors
    ///
    /// Returns an error if a policy can't distinguish as many jobs.
    pub fn new(
        scenario: JobsScenario,
        policies: Vec<SharingPolicy>,
    ) -> Result<JobsExperiment, TooManyJobs> {
        policies.iter().try_for_each(|&policy| scenario.under(policy).map(drop))?;
        Ok(JobsExperiment { scenario, policies, recorded: Vec::new() })
    }

    /// Records the activities of jobs over time under some of the policies.
    #[must_use]
    pub fn recording(mut self, policies: &[SharingPolicy]) -> Self {
        self.recorded = policies.to_vec();
        self
    }

    /// Returns the scenario.
    pub fn scenario(&self) -> &JobsScenario {
        &self.scenario
    }

    /// Returns the policies in the order of the results.
    pub fn policies(&self) -> &[SharingPolicy] {
        &self.policies
    }

    /// Returns the policy that runs at a part of the progress; `None` while each job runs alone.
    pub fn policy_at(&self, part: f64) -> Option<SharingPolicy> {
        Steps(self.policies.len()).policy_at(part, &self.policies)
    }

    /// Runs each job alone, and then the policies, one after another. If `watch` breaks, the
    /// current run lacks some jobs, and later policies have no results.
    pub fn compare(&self, watch: Watch<'_>) -> Comparison {
        let JobsExperiment { scenario, policies, recorded } = self;
        let steps = Steps(policies.len());
        let alone = scenario.alone(&mut steps.part_of(0, watch));
        let mut comparison = Comparison { alone, results: Vec::new() };
        let ends = scenario.jobs.iter().zip(&comparison.alone);
        let ends = ends.filter_map(|(job, alone)| Some(job.start + (*alone)?));
        // No job ends sooner than it would alone.
        let least = ends.max().unwrap_or_default();
        for (step, &policy) in (1..).zip(policies) {
            if comparison.is_whole() {
                let wanted = recorded.contains(&policy);
                let recorder = wanted.then(|| Recorder::new(scenario.jobs.len(), least));
                let run = scenario.under(policy).expect("the policy was checked");
                comparison.results.push(run.recorded(recorder, &mut steps.part_of(step, watch)));
            }
        }
        comparison
    }
}

/// The jobs of a scenario under several policies at packet level.
#[derive(Debug, Clone)]
pub struct PacketExperiment {
    scenario: JobsScenario,
    runs: Vec<PacketRun>,
}

impl PacketExperiment {
    /// Returns the experiment with these policies, in this order.
    ///
    /// # Errors
    ///
    /// Returns an error if hosts and switches can't carry out a policy.
    pub fn new(
        scenario: JobsScenario,
        policies: &[SharingPolicy],
        settings: PacketSettings,
    ) -> Result<PacketExperiment, PacketError> {
        let runs = policies.iter().map(|&policy| scenario.under_packets(policy, settings));
        Ok(PacketExperiment { runs: runs.collect::<Result<_, _>>()?, scenario })
    }

    /// Returns the policy that runs at a part of the progress; `None` while each job runs alone.
    pub fn policy_at(&self, part: f64) -> Option<SharingPolicy> {
        let policies: Vec<SharingPolicy> = self.runs.iter().map(PacketRun::policy).collect();
        Steps(policies.len()).policy_at(part, &policies)
    }

    /// Runs each job alone at flow level, and then the policies, one after another. If `watch`
    /// breaks, or after a deadlock, the current run lacks some jobs, and later policies have no
    /// results.
    pub fn compare(&self, executor: &impl Executor, watch: Watch<'_>) -> PacketComparison {
        let PacketExperiment { scenario, runs: planned } = self;
        let steps = Steps(planned.len());
        // The reference is a job alone on InfiniBand, also under Homa.
        let wire = scenario.on_the_wire(SharingPolicy::FairFlows);
        let alone = wire.alone(&mut steps.part_of(0, watch));
        let mut packets = Comparison { alone, results: Vec::new() };
        let (mut runs, mut flows) = (Vec::new(), Vec::new());
        for (step, run) in (1..).zip(planned) {
            if packets.is_whole() {
                let mut of_step = steps.part_of(step, watch);
                let mut as_packets =
                    |at: Progress| of_step(Progress { part: at.part * PACKETS_PART, ..at });
                let results = run.run(executor, &mut as_packets);
                packets.results.push(results.results.clone());
                runs.push(results);
                let wire = scenario.on_the_wire(run.policy());
                let beside = wire.under(run.policy()).expect("fewer jobs than lanes");
                let mut as_flows = |at: Progress| {
                    let part = PACKETS_PART + at.part * (1.0 - PACKETS_PART);
                    of_step(Progress { part, ..at })
                };
                flows.push(beside.run(&mut as_flows));
            }
        }
        PacketComparison { packets, flows, runs }
    }
}

/// Part of a policy's progress for the packet level; the rest is for the flow level.
const PACKETS_PART: f64 = 0.9;

/// Equal steps of the progress: the runs of each job alone, and then this number of policies.
#[derive(Clone, Copy)]
struct Steps(usize);

impl Steps {
    /// Returns a watch of one step.
    fn part_of(self, step: usize, watch: Watch<'_>) -> impl FnMut(Progress) -> ControlFlow<()> {
        let steps = self.0 as f64 + 1.0;
        move |at| watch(Progress { part: (step as f64 + at.part) / steps, ..at })
    }

    fn policy_at(self, part: f64, policies: &[SharingPolicy]) -> Option<SharingPolicy> {
        // The offset makes up for rounding errors at the begin of a step.
        let step = (part * (self.0 as f64 + 1.0) + 1e-9) as usize;
        policies.get(step.checked_sub(1)?.min(policies.len().saturating_sub(1))).copied()
    }
}

impl Experiment for JobsExperiment {
    type Results = Comparison;

    fn conduct(&self, _: &impl Executor, watch: Watch<'_>) -> Comparison {
        self.compare(watch)
    }

    fn stop(results: &Comparison) -> Stop {
        match results.is_whole() {
            true => Stop::Complete,
            false => Stop::Interrupted,
        }
    }

    fn effort(results: &Comparison) -> Effort {
        let mut effort = Effort::default();
        for results in &results.results {
            let simulated = results.took.iter().flatten().copied().max().unwrap_or_default();
            effort.add(Effort { simulated, events: results.instants, ..Effort::default() });
        }
        effort
    }
}

impl Experiment for PacketExperiment {
    type Results = PacketComparison;

    fn conduct(&self, executor: &impl Executor, watch: Watch<'_>) -> PacketComparison {
        self.compare(executor, watch)
    }

    fn stop(results: &PacketComparison) -> Stop {
        match results.runs.iter().find_map(|run| run.deadlock.clone()) {
            Some(ports) => Stop::Deadlock(ports),
            None if results.packets.is_whole() => Stop::Complete,
            None => Stop::Interrupted,
        }
    }

    fn effort(results: &PacketComparison) -> Effort {
        let mut effort = Effort::default();
        for run in &results.runs {
            effort.add(Effort {
                simulated: run.simulated,
                packets_delivered: run.counters.packets_delivered,
                packet_hops: run.counters.packet_hops,
                events: run.counters.events,
            });
        }
        effort
    }
}
