//! What a policy came to.

use super::controlled::Controlled;
use super::links::Links;
use super::own_queues::{OwnQueues, Source};
use super::run::{Drive, Driven, SharingProgress, SharingWatch, Steering, Unsteered};
use super::{SharedJob, SharingPolicy, SharingScenario};
use bandwise_flowsim::policy::{
    AppQueues, Blocking, MaxMin, Sebf, Sincronia, SmallestGroup, Srpt, WeightedQueues,
};
use bandwise_flowsim::{Network, Policy, Simulation};
use bandwise_saba::controller::Weighting;
use bandwise_units::Time;

/// What a queue's rate may be too low by, in millionths. With 0.1% averages are the same to three digits as
/// with none and are found some ten times as fast; a single job's time was up to 3% off in ten random
/// scenarios, as links that disagree have more than one equilibrium.
const TOLERANCE: u32 = 1_000;

/// When jobs ended under a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharingResults {
    /// The policy.
    pub policy: SharingPolicy,
    /// By job: from its start to its end; none for one that had not ended when the run was stopped.
    pub took: Vec<Option<Time>>,
    /// Flows that ended.
    pub flows: u64,
    /// Instants at which something happened.
    pub instants: u64,
}

impl SharingResults {
    /// Whether all jobs ended.
    pub fn is_whole(&self) -> bool {
        self.took.iter().all(Option::is_some)
    }
}

impl SharingScenario {
    /// Runs the jobs under a policy. Stops when `watch` says so.
    pub fn run(&self, policy: SharingPolicy, watch: SharingWatch<'_>) -> SharingResults {
        let links = Links::new(&self.fabric);
        let count = links.ports().len() as u32;
        let watch: SharingWatch<'_> =
            &mut |at| watch(SharingProgress { policy: Some(policy), ..at });
        let driven = match policy {
            SharingPolicy::FairFlows => self.unsteered(&links, MaxMin, watch),
            SharingPolicy::Blocking => self.unsteered(&links, Blocking, watch),
            SharingPolicy::SmallestFirst => self.unsteered(&links, SmallestGroup::default(), watch),
            SharingPolicy::Srpt => self.unsteered(&links, Srpt, watch),
            SharingPolicy::Sebf => self.unsteered(&links, Sebf::default(), watch),
            SharingPolicy::Sincronia => self.unsteered(&links, Sincronia::default(), watch),
            SharingPolicy::FairJobs => {
                let simulation = Simulation::new(self.network(&links), AppQueues::default());
                let simulation = simulation.with_tolerance(TOLERANCE);
                Drive::new(self, &self.jobs, &links, simulation, Unsteered).run(watch)
            }
            SharingPolicy::Saba => {
                self.steered(&links, Controlled::new(self, count, Weighting::Sensitivity), watch)
            }
            SharingPolicy::EqualWeights => {
                self.steered(&links, Controlled::new(self, count, Weighting::EqualQueues), watch)
            }
            SharingPolicy::SabaUnlimited => {
                self.steered(&links, OwnQueues::new(self, count, Source::Sensitivity), watch)
            }
            SharingPolicy::GivenWeights => {
                self.steered(&links, OwnQueues::new(self, count, Source::Given), watch)
            }
        };
        let Driven { ended, flows, instants } = driven;
        let took = self.jobs.iter().zip(ended).map(|(job, ended)| took(job, ended)).collect();
        SharingResults { policy, took, flows, instants }
    }

    /// What of the links is shared by policies.
    fn network(&self, links: &Links) -> Network {
        links.network(&self.fabric, self.queues.part)
    }

    /// Runs jobs whose sharing nobody sets up.
    fn unsteered<P: Policy>(&self, links: &Links, policy: P, watch: SharingWatch<'_>) -> Driven {
        let simulation = Simulation::new(self.network(links), policy);
        Drive::new(self, &self.jobs, links, simulation, Unsteered).run(watch)
    }

    /// Runs the jobs with weighted queues that somebody sets up.
    fn steered(
        &self,
        links: &Links,
        steering: impl Steering<WeightedQueues>,
        watch: SharingWatch<'_>,
    ) -> Driven {
        let simulation = Simulation::new(self.network(links), WeightedQueues);
        let simulation = simulation.with_tolerance(TOLERANCE);
        Drive::new(self, &self.jobs, links, simulation, steering).run(watch)
    }

    /// Whether a job was given a weight by hand.
    pub fn has_weights(&self) -> bool {
        self.jobs.iter().any(|job| job.weight != 1.0)
    }

    /// How long each job takes where no other is on the fabric, and all of each link is its own. None
    /// for those that were not over when `watch` said to stop.
    pub fn alone(&self, watch: SharingWatch<'_>) -> Vec<Option<Time>> {
        let links = Links::new(&self.fabric);
        let jobs = self.jobs.len();
        let mut alone = vec![None; jobs];
        for (number, job) in self.jobs.iter().enumerate() {
            let mut of_all = |at: SharingProgress| {
                let part = (number as f64 + at.part) / jobs as f64;
                watch(SharingProgress { part, jobs_over: number + at.jobs_over, ..at })
            };
            let simulation = Simulation::new(links.network(&self.fabric, 1.0), MaxMin);
            let drive = Drive::new(self, std::slice::from_ref(job), &links, simulation, Unsteered);
            alone[number] = took(job, drive.run(&mut of_all).ended[0]);
            // Short runs are over before they have asked.
            let over = SharingProgress { policy: None, now: Time::ZERO, jobs_over: 1, part: 1.0 };
            if alone[number].is_none() || of_all(over).is_break() {
                break;
            }
        }
        alone
    }
}

/// How long a job took that ended then.
fn took(job: &SharedJob, ended: Option<Time>) -> Option<Time> {
    ended.map(|ended| ended.saturating_sub(job.start))
}
