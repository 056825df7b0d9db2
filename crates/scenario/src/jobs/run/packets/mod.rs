//! Jobs at packet level: the same scenario over an InfiniBand fabric of hosts, switches, lanes and
//! credits in place of rates; with Homa over Ethernet.
//!
//! A stage's transfer is a WRITE. Each two instances that send to each other have a reliable connection
//! for each part of stages. A transfer has arrived when its sender has found the completion. The next
//! actions begin when all hosts are polled, once every [`REACTION`].
//!
//! Volumes and computing times are divided by the same [`PacketSettings::scale`], so that their ratios
//! remain, and resulting times are multiplied by it. Latencies, packets and buffers are not scaled: a
//! stage has to last much longer than some microseconds.
//!
//! | policy | at packet level |
//! |---|---|
//! | fair-flows | one lane, with congestion control (FECN and BECN, IBTA A10): the baseline of Saba 4.6.1 |
//! | blocking | one lane without |
//! | fair-jobs, given-weights | a lane a job, with equal or given weights in all arbitration tables |
//! | saba, saba-no-floor, saba-distributed, equal-weights | the controller's tables (SL2VL and arbitration) at every port |
//! | homa | messages in place of WRITEs, which receivers grant, over switches that send by priority |
//!
//! The rate of a link counts payload at flow level and whole packets here.
//! [`JobsScenario::on_the_wire`] returns the same scenario at flow level with headers counted in.

mod connections;
mod error;
mod messages;
mod models;
mod payload;
mod results;
mod sender;
mod simulation;

pub use error::{PACKET_POLICIES, PacketError};
pub use results::{PacketResults, PacketSettings, REACTION};

use super::controlled::Controlled;
use super::steering::{Steering, Unsteered};
use crate::Watch;
use crate::jobs::{JobsScenario, SharingPolicy};
use bandwise_flowsim::Links;
use bandwise_netsim::engine::Executor;
use bandwise_units::{Bytes, Time};
use bandwise_workload::job::Stage;
use models::Lanes;
use simulation::{JobsSimulation, Set};
use std::num::NonZeroU32;

/// The jobs of a scenario under a policy that hosts and switches can carry out.
#[derive(Debug, Clone)]
pub struct PacketRun {
    /// Scenario with the volumes and times of the simulation.
    scaled: JobsScenario,
    policy: SharingPolicy,
    settings: PacketSettings,
    carrier: CarrierKind,
}

/// The network that carries a job's data.
#[derive(Debug, Clone)]
enum CarrierKind {
    /// WRITEs over the lanes of an InfiniBand fabric.
    Writes(Lanes),
    /// Messages of Homa over Ethernet.
    Messages,
}

impl JobsScenario {
    /// Returns the run of the jobs under a policy at packet level.
    ///
    /// # Errors
    ///
    /// The policy does not exist at packet level, or hosts, lanes or paths don't suffice.
    pub fn under_packets(
        &self,
        policy: SharingPolicy,
        settings: PacketSettings,
    ) -> Result<PacketRun, PacketError> {
        let carrier = match policy {
            SharingPolicy::Homa => {
                messages::check(self)?;
                CarrierKind::Messages
            }
            _ => CarrierKind::Writes(Lanes::of(self, policy)?),
        };
        let scaled = self.scaled_down(settings.scale);
        if let CarrierKind::Writes(_) = carrier {
            connections::check(&scaled)?;
        }
        Ok(PacketRun { scaled, policy, settings, carrier })
    }

    /// Returns the scenario with volumes, computing times and starts divided by a factor. Volumes above
    /// 0 stay above 0.
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

    /// Returns the scenario with the bytes that full packets take on a link for all payload, under a
    /// policy. At flow level, links then carry payload at the rate at which they do at packet level.
    pub fn on_the_wire(&self, policy: SharingPolicy) -> JobsScenario {
        let wire = match policy {
            SharingPolicy::Homa => messages::full_packet().get(),
            _ => payload::full_packet(),
        };
        let mtu = u128::from(payload::mtu());
        self.with_jobs(|job| {
            for Stage { overlapped, exposed, .. } in &mut job.job.stages {
                for bytes in [overlapped, exposed] {
                    let all = u128::from(bytes.get()) * u128::from(wire) / mtu;
                    *bytes = Bytes::new(all as u64);
                }
            }
        })
    }
}

impl PacketRun {
    /// Policy.
    pub fn policy(&self) -> SharingPolicy {
        self.policy
    }

    /// Runs the jobs until all have ended, `watch` breaks off, or ports deadlock. `watch` is called
    /// between polls of all hosts. The executor changes no result.
    pub fn run(&self, executor: &impl Executor, watch: Watch<'_>) -> PacketResults {
        let PacketRun { scaled, policy, settings, carrier } = self;
        let results = match carrier {
            CarrierKind::Messages => messages::run(scaled, *policy, executor, watch),
            CarrierKind::Writes(lanes) => self.writes(lanes, executor, watch),
        };
        results.scaled_up(settings.scale)
    }

    fn writes(&self, lanes: &Lanes, executor: &impl Executor, watch: Watch<'_>) -> PacketResults {
        let (scaled, policy) = (&self.scaled, self.policy);
        let links = Links::new(&scaled.fabric);
        match policy {
            SharingPolicy::Saba | SharingPolicy::SabaNoFloor | SharingPolicy::EqualWeights => {
                let steering = Controlled::centralised(scaled, &links, policy);
                JobsSimulation::new(scaled, &links, lanes, policy, steering, executor)
                    .run(executor, watch)
            }
            SharingPolicy::SabaDistributed => {
                let steering = Controlled::distributed(scaled, &links);
                JobsSimulation::new(scaled, &links, lanes, policy, steering, executor)
                    .run(executor, watch)
            }
            SharingPolicy::FairJobs | SharingPolicy::GivenWeights => {
                JobsSimulation::new(scaled, &links, lanes, policy, LevelPerJob, executor)
                    .run(executor, watch)
            }
            _ => JobsSimulation::new(scaled, &links, lanes, policy, Unsteered, executor)
                .run(executor, watch),
        }
    }
}

/// A level for each job, in the order of jobs.
struct LevelPerJob;

impl Steering<Set<'_>> for LevelPerJob {
    fn class(&self, job: usize) -> u8 {
        job as u8
    }
}
