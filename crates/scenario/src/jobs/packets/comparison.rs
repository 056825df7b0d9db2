//! [`PacketComparison`]: policies at packet level side by side, and the same at flow level.

use super::{PacketResults, PacketSettings, PacketsError};
use crate::jobs::execution::{JobsProgress, JobsWatch};
use crate::jobs::{Comparison, JobsResults, JobsScenario, SharingPolicy};
use bandwise_netsim::engine::Executor;
use bandwise_units::Time;

/// The same jobs under several policies, as packets and as flows.
#[derive(Debug, Clone, PartialEq)]
pub struct PacketComparison {
    /// At packet level. What jobs take alone is that of the flow level with headers counted in.
    pub packets: Comparison,
    /// The same policies at flow level, with headers counted in.
    pub flows: Vec<JobsResults>,
    /// By policy: what there is to say of its run besides.
    pub runs: Vec<PacketResults>,
}

impl PacketComparison {
    /// Runs each job alone, as flows, and then the policies, one after the other. Stops when `watch` says
    /// so; what was run last then lacks some jobs, as it does after a deadlock.
    pub fn run(
        scenario: &JobsScenario,
        policies: &[SharingPolicy],
        settings: PacketSettings,
        executor: &impl Executor,
        watch: JobsWatch<'_>,
    ) -> Result<PacketComparison, PacketsError> {
        // Whoever carries it, a job is compared with itself alone on InfiniBand.
        let alone = scenario.on_the_wire(SharingPolicy::FairFlows).alone(watch);
        let mut packets = Comparison { alone, results: Vec::new() };
        let (mut runs, mut flows) = (Vec::new(), Vec::new());
        for &policy in policies {
            if packets.is_whole() {
                let run = scenario.run_packets(policy, settings, executor, watch)?;
                packets.results.push(run.results.clone());
                runs.push(run);
                // The policy is nearly over then.
                let mut beside = |at| watch(JobsProgress { part: 1.0, ..at });
                flows.push(scenario.on_the_wire(policy).run(policy, &mut beside));
            }
        }
        Ok(PacketComparison { packets, flows, runs })
    }

    /// By policy and job: the time that it took at packet level over that at flow level, less 1; none for
    /// a job that had not ended.
    pub fn differences(&self) -> Vec<Vec<Option<f64>>> {
        let difference = |(packets, flows): (&Option<Time>, &Option<Time>)| {
            let (packets, flows) = (packets.as_ref()?.as_ps(), flows.as_ref()?.as_ps());
            Some(if flows == 0 { 0.0 } else { packets as f64 / flows as f64 - 1.0 })
        };
        let of_policy = |(packets, flows): (&JobsResults, &JobsResults)| {
            packets.took.iter().zip(&flows.took).map(difference).collect()
        };
        self.packets.results.iter().zip(&self.flows).map(of_policy).collect()
    }
}
