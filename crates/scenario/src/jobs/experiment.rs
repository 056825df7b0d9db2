//! [`JobsExperiment`] and [`PacketExperiment`]: the jobs of a scenario under several policies.

use super::timeline::Recorder;
use super::{
    Comparison, JobsProgress, JobsScenario, JobsWatch, PacketComparison, PacketError, PacketRun,
    PacketSettings, SharingPolicy, TooManyJobs,
};
use bandwise_netsim::engine::Executor;

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
    /// A policy can't tell so many jobs apart.
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

    /// Scenario.
    pub fn scenario(&self) -> &JobsScenario {
        &self.scenario
    }

    /// Policies in the order of the results.
    pub fn policies(&self) -> &[SharingPolicy] {
        &self.policies
    }

    /// Runs each job alone, and then the policies, one after the other. If `watch` breaks off, the run
    /// at that moment lacks some jobs, and the policies after it have no results.
    pub fn compare(&self, watch: JobsWatch<'_>) -> Comparison {
        let JobsExperiment { scenario, policies, recorded } = self;
        let mut comparison = Comparison { alone: scenario.alone(watch), results: Vec::new() };
        let ends = scenario.jobs.iter().zip(&comparison.alone);
        let ends = ends.filter_map(|(job, alone)| Some(job.start + (*alone)?));
        // No job is over sooner than it would be alone.
        let least = ends.max().unwrap_or_default();
        for &policy in policies {
            if comparison.is_whole() {
                let wanted = recorded.contains(&policy);
                let recorder = wanted.then(|| Recorder::new(scenario.jobs.len(), least));
                let run = scenario.under(policy).expect("the policy was checked");
                comparison.results.push(run.recorded(recorder, watch));
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
    /// Hosts and switches can't carry out a policy.
    pub fn new(
        scenario: JobsScenario,
        policies: &[SharingPolicy],
        settings: PacketSettings,
    ) -> Result<PacketExperiment, PacketError> {
        let runs = policies.iter().map(|&policy| scenario.under_packets(policy, settings));
        Ok(PacketExperiment { runs: runs.collect::<Result<_, _>>()?, scenario })
    }

    /// Runs each job alone, as flows, and then the policies, one after the other. If `watch` breaks off,
    /// or after a deadlock, the run at that moment lacks some jobs, and the policies after it have no
    /// results.
    pub fn compare(&self, executor: &impl Executor, watch: JobsWatch<'_>) -> PacketComparison {
        let PacketExperiment { scenario, runs: planned } = self;
        // Under Homa too, a job is compared with itself alone on InfiniBand.
        let alone = scenario.on_the_wire(SharingPolicy::FairFlows).alone(watch);
        let mut packets = Comparison { alone, results: Vec::new() };
        let (mut runs, mut flows) = (Vec::new(), Vec::new());
        for run in planned {
            if packets.is_whole() {
                let results = run.run(executor, watch);
                packets.results.push(results.results.clone());
                runs.push(results);
                // The policy is nearly over then.
                let mut beside = |at| watch(JobsProgress { part: 1.0, ..at });
                let wire = scenario.on_the_wire(run.policy());
                let beside_packets = wire.under(run.policy()).expect("fewer jobs than lanes");
                flows.push(beside_packets.run(&mut beside));
            }
        }
        PacketComparison { packets, flows, runs }
    }
}
