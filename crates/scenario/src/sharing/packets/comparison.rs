//! [`PacketComparison`]: policies at packet level side by side, and the same at flow level.

use super::{PacketResults, PacketSettings, PacketsError};
use crate::sharing::jobs::SharingWatch;
use crate::sharing::{Comparison, SharingPolicy, SharingResults, SharingScenario};
use bandwise_netsim::engine::Crew;
use bandwise_units::Time;

/// The same jobs under several policies, as packets and as flows.
#[derive(Debug, Clone, PartialEq)]
pub struct PacketComparison {
    /// At packet level. What jobs take alone is that of the flow level with headers counted in.
    pub packets: Comparison,
    /// The same policies at flow level, with headers counted in.
    pub flows: Vec<SharingResults>,
    /// By policy: what there is to say of its run besides.
    pub runs: Vec<PacketResults>,
}

impl PacketComparison {
    /// Runs the policies, one after the other. Stops when `watch` says so; the last policy then lacks
    /// some jobs, as it does after a deadlock.
    pub fn run(
        scenario: &SharingScenario,
        policies: &[SharingPolicy],
        settings: PacketSettings,
        crew: &impl Crew,
        watch: SharingWatch<'_>,
    ) -> Result<PacketComparison, PacketsError> {
        let on_the_wire = scenario.on_the_wire();
        let (mut runs, mut flows): (Vec<PacketResults>, _) = (Vec::new(), Vec::new());
        for &policy in policies {
            if runs.last().is_none_or(|last| last.results.is_whole()) {
                runs.push(scenario.run_packets(policy, settings, crew, watch)?);
                flows.push(on_the_wire.run(policy, &mut |_| std::ops::ControlFlow::Continue(())));
            }
        }
        let results = runs.iter().map(|run| run.results.clone()).collect();
        let packets = Comparison { alone: on_the_wire.alone(), results };
        Ok(PacketComparison { packets, flows, runs })
    }

    /// By policy and job: the time that it took at packet level over that at flow level, less 1; none for
    /// a job that had not ended.
    pub fn differences(&self) -> Vec<Vec<Option<f64>>> {
        let difference = |(packets, flows): (&Option<Time>, &Option<Time>)| {
            let (packets, flows) = (packets.as_ref()?.as_ps(), flows.as_ref()?.as_ps());
            Some(if flows == 0 { 0.0 } else { packets as f64 / flows as f64 - 1.0 })
        };
        let of_policy = |(packets, flows): (&SharingResults, &SharingResults)| {
            packets.took.iter().zip(&flows.took).map(difference).collect()
        };
        self.packets.results.iter().zip(&self.flows).map(of_policy).collect()
    }
}
