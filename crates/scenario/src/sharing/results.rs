//! What a policy came to.

use super::controlled::Controlled;
use super::jobs::SharingWatch;
use super::links::Links;
use super::own_queues::{OwnQueues, Source};
use super::run::{Drive, Driven};
use super::steering::{Steering, Unsteered};
use super::{SharingPolicy, SharingScenario};
use bandwise_flowsim::policy::{
    AppQueues, Blocking, MaxMin, Sebf, Sincronia, SmallestGroup, Srpt, WeightedQueues,
};
use bandwise_flowsim::{Policy, Simulation};
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
    /// Runs the jobs under a policy.
    pub fn run(&self, policy: SharingPolicy, watch: SharingWatch<'_>) -> SharingResults {
        let links = Links::new(&self.fabric);
        let network = || links.network(&self.fabric);
        let count = links.ports().len() as u32;
        let driven = match policy {
            SharingPolicy::FairFlows => unsteered(self, &links, MaxMin, watch),
            SharingPolicy::Blocking => unsteered(self, &links, Blocking, watch),
            SharingPolicy::SmallestFirst => {
                unsteered(self, &links, SmallestGroup::default(), watch)
            }
            SharingPolicy::Srpt => unsteered(self, &links, Srpt, watch),
            SharingPolicy::Sebf => unsteered(self, &links, Sebf::default(), watch),
            SharingPolicy::Sincronia => unsteered(self, &links, Sincronia::default(), watch),
            SharingPolicy::FairJobs => {
                let simulation =
                    Simulation::new(network(), AppQueues::default()).with_tolerance(TOLERANCE);
                Drive::new(self, &links, simulation, Unsteered).run(watch)
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
        self.results(policy, driven)
    }

    /// Runs the jobs with weighted queues that somebody sets up.
    fn steered(
        &self,
        links: &Links,
        steering: impl Steering<Simulation<WeightedQueues>>,
        watch: SharingWatch<'_>,
    ) -> Driven {
        let network = links.network(&self.fabric);
        let simulation = Simulation::new(network, WeightedQueues).with_tolerance(TOLERANCE);
        Drive::new(self, links, simulation, steering).run(watch)
    }

    /// Whether a job was given a weight by hand.
    pub fn has_weights(&self) -> bool {
        self.jobs.iter().any(|job| job.weight != 1.0)
    }

    /// How long each job takes where no other is on the fabric.
    pub fn alone(&self) -> Vec<Time> {
        let alone = |job: &super::SharedJob| {
            let one = SharingScenario { jobs: vec![job.clone()], ..self.clone() };
            let results =
                one.run(SharingPolicy::FairFlows, &mut |_| std::ops::ControlFlow::Continue(()));
            results.took[0].expect("nobody stopped it")
        };
        self.jobs.iter().map(alone).collect()
    }

    fn results(&self, policy: SharingPolicy, driven: Driven) -> SharingResults {
        let Driven { ended, flows, instants } = driven;
        let took = self
            .jobs
            .iter()
            .zip(ended)
            .map(|(job, ended)| ended.map(|ended| ended.saturating_sub(job.start)));
        SharingResults { policy, took: took.collect(), flows, instants }
    }
}

/// Runs jobs whose sharing nobody sets up.
fn unsteered<P: Policy>(
    scenario: &SharingScenario,
    links: &Links,
    policy: P,
    watch: SharingWatch<'_>,
) -> Driven {
    let simulation = Simulation::new(links.network(&scenario.fabric), policy);
    Drive::new(scenario, links, simulation, Unsteered).run(watch)
}
