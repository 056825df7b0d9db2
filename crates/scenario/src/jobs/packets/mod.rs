//! Jobs at packet level: the same scenario over an InfiniBand fabric of hosts, switches, lanes and
//! credits in place of rates; with Homa over Ethernet.
//!
//! A stage's transfer is a WRITE of a reliable connection, of which each two instances that send to each
//! other have one for each part of stages. It has arrived when its sender has found the completion; what then begins, begins
//! at the next look at all hosts, of which there is one every [`REACTION`].
//!
//! Volumes and computing times are divided by the same [`PacketSettings::scale`], so that their ratios
//! remain, and the times that come out are multiplied by it. What does not shrink with them are
//! latencies, packets and buffers: a stage has to last long beside some microseconds.
//!
//! | policy | at packet level |
//! |---|---|
//! | fair-flows | one lane, with congestion control (FECN and BECN, IBTA A10): the baseline of Saba 4.6.1 |
//! | blocking | one lane without |
//! | fair-jobs, given-weights | a lane a job, with equal or given weights in all arbitration tables |
//! | saba, saba-no-floor, saba-distributed, equal-weights | the controller's tables (SL2VL and arbitration) at every port |
//! | homa | messages in place of WRITEs, which receivers grant, over switches that send by priority |
//!
//! What is said of a link is its rate of payload: [`JobsScenario::on_the_wire`] is the same scenario
//! at flow level with the headers counted in.

mod comparison;
mod messages;
mod models;
mod sender;
mod simulation;

use super::controlled::Controlled;
use super::execution::JobsWatch;
use super::steering::{Steering, Unsteered};
use super::{JobsResults, JobsScenario, SharedJob, SharingPolicy};
use bandwise_flowsim::Links;
use bandwise_netsim::engine::Executor;
use bandwise_netsim::infiniband::Counters;
use bandwise_netsim::infiniband::cable;
use bandwise_netsim::infiniband::host::DeviceModel;
use bandwise_rdma::wire::{self, PacketKind, Segment};
use bandwise_topology::Port;
use bandwise_units::{Bytes, Time};
use bandwise_workload::job::Stage;
use models::Lanes;
use simulation::{JobsSimulation, Set};
use std::num::NonZeroU32;

pub use comparison::PacketComparison;
pub use simulation::REACTION;

/// How jobs are run at packet level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketSettings {
    /// By what volumes and computing times are divided.
    pub scale: NonZeroU32,
}

/// What came of jobs at packet level.
#[derive(Debug, Clone, PartialEq)]
pub struct PacketResults {
    /// When jobs ended, in times of the scenario: those that were simulated times the scale.
    pub results: JobsResults,
    /// Simulated time, as it was.
    pub simulated: Time,
    /// What was counted.
    pub counters: Counters,
    /// Ports that wait for each other's credits for ever, if that is why the run ended.
    pub deadlock: Option<Vec<Port>>,
}

/// Why jobs can't be run at packet level.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PacketsError {
    /// There is no such policy at packet level.
    #[error("{} has no counterpart among packets: hosts and switches of InfiniBand don't do that", .0.as_str())]
    Policy(SharingPolicy),
    /// A lane a job, and too many jobs.
    #[error("{jobs} jobs: {} has a lane for each, and a link has 15 for data", policy.as_str())]
    Jobs {
        /// The policy.
        policy: SharingPolicy,
        /// How many jobs there are.
        jobs: usize,
    },
    /// Ports of more queues than there are lanes.
    #[error("{0} queues a port: a link has 15 lanes for data")]
    Queues(u8),
    /// A part of links only, which lanes can't keep to.
    #[error("part = {0}: lanes share all of a link")]
    Part(f64),
    /// A path that a packet of Ethernet can't tell.
    #[error("a path over {0} switches: packets of homa have room for 8")]
    Path(usize),
    /// More connections than a host can have.
    #[error("{connections} connections of {host}: at most 65535 are possible")]
    Connections {
        /// The host's name.
        host: String,
        /// How many it would have.
        connections: usize,
    },
}

/// Policies that exist at packet level.
pub const PACKET_POLICIES: [SharingPolicy; 9] = [
    SharingPolicy::FairFlows,
    SharingPolicy::Blocking,
    SharingPolicy::FairJobs,
    SharingPolicy::Saba,
    SharingPolicy::SabaNoFloor,
    SharingPolicy::SabaDistributed,
    SharingPolicy::EqualWeights,
    SharingPolicy::GivenWeights,
    SharingPolicy::Homa,
];

/// Payload of a full packet, bytes.
fn mtu() -> u32 {
    DeviceModel::connectx4_56g().mtu.get()
}

impl JobsScenario {
    /// Whether the jobs could be run under a policy at packet level.
    pub fn check_packets(&self, policy: SharingPolicy) -> Result<(), PacketsError> {
        match policy {
            SharingPolicy::Homa => messages::check(self),
            _ => Lanes::of(self, policy).map(|_| ()),
        }
    }

    /// Runs the jobs under a policy at packet level. Stops when `watch` says so, which is asked
    /// between the looks at all hosts. How many hands `executor` has changes no result.
    pub fn run_packets(
        &self,
        policy: SharingPolicy,
        settings: PacketSettings,
        executor: &impl Executor,
        watch: JobsWatch<'_>,
    ) -> Result<PacketResults, PacketsError> {
        let scaled = self.scaled_down(settings.scale);
        if policy == SharingPolicy::Homa {
            messages::check(&scaled)?;
            let results = messages::run(&scaled, policy, executor, watch);
            return Ok(results.scaled_up(settings.scale));
        }
        let links = Links::new(&scaled.fabric);
        let lanes = Lanes::of(&scaled, policy)?;
        let results = match policy {
            SharingPolicy::Saba | SharingPolicy::SabaNoFloor | SharingPolicy::EqualWeights => {
                let steering = Controlled::centralised(&scaled, &links, policy);
                JobsSimulation::new(&scaled, &links, lanes, policy, steering, executor)?
                    .run(executor, watch)
            }
            SharingPolicy::SabaDistributed => {
                let steering = Controlled::distributed(&scaled, &links);
                JobsSimulation::new(&scaled, &links, lanes, policy, steering, executor)?
                    .run(executor, watch)
            }
            SharingPolicy::FairJobs | SharingPolicy::GivenWeights => {
                JobsSimulation::new(&scaled, &links, lanes, policy, LevelPerJob, executor)?
                    .run(executor, watch)
            }
            _ => JobsSimulation::new(&scaled, &links, lanes, policy, Unsteered, executor)?
                .run(executor, watch),
        };
        Ok(results.scaled_up(settings.scale))
    }

    /// The same with volumes, computing times and starts divided by a factor. What there was, is at
    /// least a byte.
    pub fn scaled_down(&self, by: NonZeroU32) -> JobsScenario {
        let by = u64::from(by.get());
        let time = |time: Time| time / by;
        self.with_jobs(|job| {
            job.start = time(job.start);
            for Stage { compute, overlapped, exposed, .. } in &mut job.job.stages {
                *compute = time(*compute);
                for bytes in [overlapped, exposed] {
                    *bytes = Bytes::new(bytes.get().div_ceil(by));
                }
            }
        })
    }

    /// The same with what packets of an MTU of payload take on a link for all payload, under a policy:
    /// at flow level links then carry payload at the rate at which they do at packet level.
    pub fn on_the_wire(&self, policy: SharingPolicy) -> JobsScenario {
        let wire = match policy {
            SharingPolicy::Homa => messages::full_packet().get(),
            _ => {
                let middle = Segment { payload: mtu(), first: false, last: false };
                cable::on_the_wire(wire::packet_bytes(PacketKind::Write, middle)).get()
            }
        };
        self.with_jobs(|job| {
            for Stage { overlapped, exposed, .. } in &mut job.job.stages {
                for bytes in [overlapped, exposed] {
                    let all = u128::from(bytes.get()) * u128::from(wire) / u128::from(mtu());
                    *bytes = Bytes::new(all as u64);
                }
            }
        })
    }

    fn with_jobs(&self, change: impl FnMut(&mut SharedJob)) -> JobsScenario {
        let mut other = self.clone();
        other.jobs.iter_mut().for_each(change);
        other
    }
}

impl PacketResults {
    fn scaled_up(mut self, by: NonZeroU32) -> Self {
        for took in self.results.took.iter_mut().flatten() {
            *took = *took * u64::from(by.get());
        }
        self
    }
}

/// A level a job, in the order of jobs.
struct LevelPerJob;

impl Steering<Set> for LevelPerJob {
    fn class(&self, job: usize) -> u8 {
        job as u8
    }
}
