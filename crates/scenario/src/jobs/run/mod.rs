//! Runs of a scenario at the level of flows: one for each policy, and one for each job alone.

mod controlled;
mod execution;
mod flows;
mod instances;
mod own_queues;
mod packets;
mod parts;
mod steering;

pub use packets::{
    PACKET_POLICIES, PacketError, PacketResults, PacketRun, PacketSettings, REACTION,
};

pub(super) use controlled::Controlled;
pub(super) use steering::Paths;

use super::timeline::Recorder;
use super::{JobsResults, JobsScenario, SharingPolicy, TooManyJobs};
use crate::{Progress, Watch};
use bandwise_flowsim::policy::{
    AppQueues, Blocking, Homa, MaxMin, Sebf, Sincronia, SmallestGroup, Srpt, WeightedQueues,
};
use bandwise_flowsim::{Links, Policy, Simulation};
use bandwise_units::{Bytes, Time};
use flows::{Drive, Driven};
use own_queues::{OwnQueues, Source};
use parts::ClassAJob;
use steering::{Steering, Unsteered};

/// Largest error of a queue's rate, in millionths. With 0.1%, averages are equal to exact ones in
/// three digits, and are calculated about ten times as fast. A single job's time was up to 3% off
/// in ten random scenarios, because links that disagree have more than one equilibrium.
const TOLERANCE: u32 = 1_000;

/// Returns Homa with the 8 priorities of its paper. One priority is for the first 10 KB of a
/// message, which are sent without a grant, as in Saba 4.6.4; receivers rank granted messages over
/// the others.
fn homa() -> Homa {
    Homa::new(Bytes::new(10_000), Vec::new(), 7)
}

/// The jobs of a scenario under a policy that can distinguish them.
#[derive(Debug, Clone, Copy)]
pub struct PolicyRun<'a> {
    scenario: &'a JobsScenario,
    policy: SharingPolicy,
}

impl JobsScenario {
    /// Returns the run of the jobs under a policy.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy can't distinguish as many jobs.
    pub fn under(&self, policy: SharingPolicy) -> Result<PolicyRun<'_>, TooManyJobs> {
        match self.jobs.len() {
            jobs if jobs > policy.most_jobs() => Err(TooManyJobs { policy, jobs }),
            _ => Ok(PolicyRun { scenario: self, policy }),
        }
    }
}

impl PolicyRun<'_> {
    /// Runs the jobs until all have ended or `watch` breaks off.
    pub fn run(self, watch: Watch<'_>) -> JobsResults {
        self.recorded(None, watch)
    }

    /// Runs the jobs and records their activities with `recorder`.
    pub(super) fn recorded(self, recorder: Option<Recorder>, watch: Watch<'_>) -> JobsResults {
        let PolicyRun { scenario, policy } = self;
        let links = Links::new(&scenario.fabric);
        let count = links.ports().len() as u32;
        let driven = match policy {
            SharingPolicy::FairFlows => self.unsteered(&links, MaxMin, recorder, watch),
            SharingPolicy::Blocking => self.unsteered(&links, Blocking, recorder, watch),
            SharingPolicy::Srpt => self.unsteered(&links, Srpt, recorder, watch),
            SharingPolicy::Homa => self.unsteered(&links, homa(), recorder, watch),
            SharingPolicy::Sebf => self.unsteered(&links, Sebf::default(), recorder, watch),
            // There are few ranks, with many flows each.
            SharingPolicy::SmallestFirst => {
                let simulation = self.over(&links, SmallestGroup::default()).rank_by_rank();
                self.driven(&links, simulation, Unsteered, recorder, watch)
            }
            SharingPolicy::Sincronia => {
                let simulation = self.over(&links, Sincronia::default()).rank_by_rank();
                self.driven(&links, simulation, Unsteered, recorder, watch)
            }
            SharingPolicy::FairJobs => {
                let simulation = self.over(&links, AppQueues::default()).with_tolerance(TOLERANCE);
                self.driven(&links, simulation, Unsteered, recorder, watch)
            }
            SharingPolicy::Saba | SharingPolicy::SabaNoFloor | SharingPolicy::EqualWeights => {
                let saba = Controlled::centralised(scenario, &links, policy);
                self.steered(&links, saba, recorder, watch)
            }
            SharingPolicy::SabaDistributed => {
                self.steered(&links, Controlled::distributed(scenario, &links), recorder, watch)
            }
            // Rates are exact, because no job's part depends on other jobs.
            SharingPolicy::Reserved => {
                let simulation = self.over(&links, parts::reservations(&scenario.jobs));
                self.driven(&links, simulation, ClassAJob, recorder, watch)
            }
            SharingPolicy::Guaranteed => {
                let parts = parts::guarantees(&scenario.jobs);
                let simulation = self.over(&links, parts).with_tolerance(TOLERANCE);
                self.driven(&links, simulation, ClassAJob, recorder, watch)
            }
            SharingPolicy::SabaUnlimited | SharingPolicy::GivenWeights => {
                let source = match policy {
                    SharingPolicy::GivenWeights => Source::Given,
                    _ => Source::Sensitivity,
                };
                self.steered(&links, OwnQueues::new(scenario, count, source), recorder, watch)
            }
        };
        let Driven { ended, flows, instants, timeline } = driven;
        let took = scenario.jobs.iter().zip(ended).map(|(job, ended)| job.took(ended)).collect();
        JobsResults { policy, took, flows, instants, timeline }
    }

    /// Returns a simulation without flows, in which policies share their part of each link.
    fn over<P: Policy>(&self, links: &Links, policy: P) -> Simulation<P> {
        Simulation::new(links.network(&self.scenario.fabric, self.scenario.queues.part), policy)
    }

    /// Runs the jobs with a policy that needs no configuration.
    fn unsteered<P: Policy>(
        &self,
        links: &Links,
        policy: P,
        recorder: Option<Recorder>,
        watch: Watch<'_>,
    ) -> Driven {
        self.driven(links, self.over(links, policy), Unsteered, recorder, watch)
    }

    /// Runs the jobs with weighted queues, which `steering` configures.
    fn steered(
        &self,
        links: &Links,
        steering: impl Steering<Simulation<WeightedQueues>>,
        recorder: Option<Recorder>,
        watch: Watch<'_>,
    ) -> Driven {
        let simulation = self.over(links, WeightedQueues).with_tolerance(TOLERANCE);
        self.driven(links, simulation, steering, recorder, watch)
    }

    fn driven<P: Policy>(
        &self,
        links: &Links,
        simulation: Simulation<P>,
        steering: impl Steering<Simulation<P>>,
        recorder: Option<Recorder>,
        watch: Watch<'_>,
    ) -> Driven {
        let drive = Drive::new(self.scenario, &self.scenario.jobs, links, simulation, steering);
        drive.recording(recorder).run(watch)
    }
}

impl JobsScenario {
    /// Returns the duration of each job alone on the fabric, with whole links; `None` for jobs that
    /// had not ended when `watch` broke.
    pub fn alone(&self, watch: Watch<'_>) -> Vec<Option<Time>> {
        let links = Links::new(&self.fabric);
        let jobs = self.jobs.len();
        let mut alone = vec![None; jobs];
        for (number, job) in self.jobs.iter().enumerate() {
            let mut of_all = |at: Progress| {
                watch(Progress { part: (number as f64 + at.part) / jobs as f64, ..at })
            };
            // Without other jobs, and without data in flight between rounds, all rounds take as
            // long as the first.
            let mut one = job.clone();
            one.job.rounds = job.job.rounds.min(1);
            let simulation = Simulation::new(links.network(&self.fabric, 1.0), MaxMin);
            let drive = Drive::new(self, std::slice::from_ref(&one), &links, simulation, Unsteered);
            let round = job.took(drive.run(&mut of_all).ended[0]);
            alone[number] = round.map(|round| round * u64::from(job.job.rounds));
            // Short runs end before they call the watch.
            let over = Progress { simulated: Time::ZERO, part: 1.0 };
            if alone[number].is_none() || of_all(over).is_break() {
                break;
            }
        }
        alone
    }
}
