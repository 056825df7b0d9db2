//! What a policy came to.

use super::controlled::Controlled;
use super::execution::{JobsProgress, JobsWatch};
use super::own_queues::{OwnQueues, Source};
use super::parts::ClassAJob;
use super::run::{Drive, Driven};
use super::steering::{Steering, Unsteered};
use super::timeline::{Recorder, Timeline};
use super::{JobsScenario, SharedJob, SharingPolicy, parts};
use bandwise_flowsim::policy::{
    AppQueues, Blocking, Homa, MaxMin, Sebf, Sincronia, SmallestGroup, Srpt, WeightedQueues,
};
use bandwise_flowsim::{Links, Policy, Simulation};
use bandwise_units::{Bytes, Time};

/// What a queue's rate may be too low by, in millionths. With 0.1% averages are the same to three digits as
/// with none and are found some ten times as fast; a single job's time was up to 3% off in ten random
/// scenarios, as links that disagree have more than one equilibrium.
const TOLERANCE: u32 = 1_000;

/// When jobs ended under a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobsResults {
    /// The policy.
    pub policy: SharingPolicy,
    /// By job: from its start to its end; none for one that had not ended when the run was stopped.
    pub took: Vec<Option<Time>>,
    /// Flows that ended.
    pub flows: u64,
    /// Instants at which something happened.
    pub instants: u64,
    /// What jobs did when, if that was asked for.
    pub timeline: Option<Timeline>,
}

impl JobsResults {
    /// Whether all jobs ended.
    pub fn is_whole(&self) -> bool {
        self.took.iter().all(Option::is_some)
    }
}

/// The most queues of a link (`bandwise_flowsim::LinkConfig`), and so of jobs with a queue each.
const MOST_QUEUES: usize = 256;

/// How many jobs a policy can tell apart.
fn most_jobs(policy: SharingPolicy) -> usize {
    match policy {
        SharingPolicy::SabaUnlimited | SharingPolicy::GivenWeights => MOST_QUEUES,
        SharingPolicy::Reserved | SharingPolicy::Guaranteed => parts::MOST,
        _ => usize::MAX,
    }
}

/// Homa with the 8 priorities of its paper. One is for the 10 KB of a message that are sent without a grant,
/// as Saba 4.6.4 has them; receivers rank the messages they grant over the others.
fn homa() -> Homa {
    Homa::new(Bytes::new(10_000), Vec::new(), 7)
}

/// More jobs than a policy can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} has a queue for each job, and there are {jobs} jobs", .policy.as_str())]
pub struct TooManyJobs {
    /// The policy.
    pub policy: SharingPolicy,
    /// How many jobs there are.
    pub jobs: usize,
}

impl TooManyJobs {
    /// What would be allowed instead.
    pub fn allowed(&self) -> String {
        format!("up to {} jobs with this policy, or other policies", most_jobs(self.policy))
    }
}

impl JobsScenario {
    /// Whether the jobs can be run under a policy.
    pub fn check(&self, policy: SharingPolicy) -> Result<(), TooManyJobs> {
        match self.jobs.len() {
            jobs if jobs > most_jobs(policy) => Err(TooManyJobs { policy, jobs }),
            _ => Ok(()),
        }
    }

    /// Runs the jobs under a policy. Stops when `watch` says so. Panics for a policy that
    /// [`JobsScenario::check`] refuses.
    pub fn run(&self, policy: SharingPolicy, watch: JobsWatch<'_>) -> JobsResults {
        self.recorded(policy, None, watch)
    }

    /// The same, and takes down what jobs do, if there is something to do so with.
    pub(super) fn recorded(
        &self,
        policy: SharingPolicy,
        recorder: Option<Recorder>,
        watch: JobsWatch<'_>,
    ) -> JobsResults {
        self.check(policy).expect("whoever asks has checked");
        let links = Links::new(&self.fabric);
        let count = links.ports().len() as u32;
        let watch: JobsWatch<'_> = &mut |at| watch(JobsProgress { policy: Some(policy), ..at });
        let driven = match policy {
            SharingPolicy::FairFlows => self.unsteered(&links, MaxMin, recorder, watch),
            SharingPolicy::Blocking => self.unsteered(&links, Blocking, recorder, watch),
            SharingPolicy::Srpt => self.unsteered(&links, Srpt, recorder, watch),
            SharingPolicy::Homa => self.unsteered(&links, homa(), recorder, watch),
            SharingPolicy::Sebf => self.unsteered(&links, Sebf::default(), recorder, watch),
            // Few ranks, of many flows each.
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
                let saba = Controlled::centralised(self, &links, policy);
                self.steered(&links, saba, recorder, watch)
            }
            SharingPolicy::SabaDistributed => {
                self.steered(&links, Controlled::distributed(self, &links), recorder, watch)
            }
            // Exactly: no job's part depends on what others do.
            SharingPolicy::Reserved => {
                let simulation = self.over(&links, parts::reservations(&self.jobs));
                self.driven(&links, simulation, ClassAJob, recorder, watch)
            }
            SharingPolicy::Guaranteed => {
                let parts = parts::guarantees(&self.jobs);
                let simulation = self.over(&links, parts).with_tolerance(TOLERANCE);
                self.driven(&links, simulation, ClassAJob, recorder, watch)
            }
            SharingPolicy::SabaUnlimited | SharingPolicy::GivenWeights => {
                let source = match policy {
                    SharingPolicy::GivenWeights => Source::Given,
                    _ => Source::Sensitivity,
                };
                self.steered(&links, OwnQueues::new(self, count, source), recorder, watch)
            }
        };
        let Driven { ended, flows, instants, timeline } = driven;
        let took = self.jobs.iter().zip(ended).map(|(job, ended)| took(job, ended)).collect();
        JobsResults { policy, took, flows, instants, timeline }
    }

    /// Links without flows, of which policies share a part.
    fn over<P: Policy>(&self, links: &Links, policy: P) -> Simulation<P> {
        Simulation::new(links.network(&self.fabric, self.queues.part), policy)
    }

    /// Runs jobs whose sharing nobody sets up.
    fn unsteered<P: Policy>(
        &self,
        links: &Links,
        policy: P,
        recorder: Option<Recorder>,
        watch: JobsWatch<'_>,
    ) -> Driven {
        self.driven(links, self.over(links, policy), Unsteered, recorder, watch)
    }

    /// Runs the jobs with weighted queues that somebody sets up.
    fn steered(
        &self,
        links: &Links,
        steering: impl Steering<Simulation<WeightedQueues>>,
        recorder: Option<Recorder>,
        watch: JobsWatch<'_>,
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
        watch: JobsWatch<'_>,
    ) -> Driven {
        let drive = Drive::new(self, &self.jobs, links, simulation, steering);
        drive.recording(recorder).run(watch)
    }

    /// Whether a job was given a weight by hand.
    pub fn has_weights(&self) -> bool {
        self.jobs.iter().any(|job| job.weight != 1.0)
    }

    /// How long each job takes where no other is on the fabric, and all of each link is its own. None
    /// for those that were not over when `watch` said to stop.
    pub fn alone(&self, watch: JobsWatch<'_>) -> Vec<Option<Time>> {
        let links = Links::new(&self.fabric);
        let jobs = self.jobs.len();
        let mut alone = vec![None; jobs];
        for (number, job) in self.jobs.iter().enumerate() {
            let mut of_all = |at: JobsProgress| {
                let part = (number as f64 + at.part) / jobs as f64;
                watch(JobsProgress { part, jobs_over: number + at.jobs_over, ..at })
            };
            // Nothing is on its way between two rounds, and nobody else: all take as long as the first.
            let mut one = job.clone();
            one.job.rounds = job.job.rounds.min(1);
            let simulation = Simulation::new(links.network(&self.fabric, 1.0), MaxMin);
            let drive = Drive::new(self, std::slice::from_ref(&one), &links, simulation, Unsteered);
            let round = took(job, drive.run(&mut of_all).ended[0]);
            alone[number] = round.map(|round| round * u64::from(job.job.rounds));
            // Short runs are over before they have asked.
            let over = JobsProgress { policy: None, now: Time::ZERO, jobs_over: 1, part: 1.0 };
            if alone[number].is_none() || of_all(over).is_break() {
                break;
            }
        }
        alone
    }
}

/// How long a job took that ended then.
pub(super) fn took(job: &SharedJob, ended: Option<Time>) -> Option<Time> {
    ended.map(|ended| ended.saturating_sub(job.start))
}
