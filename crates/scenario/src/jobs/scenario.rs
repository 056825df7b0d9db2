//! [`JobsScenario`]: an experiment with jobs on a fabric that can be run.

use super::{JobsBuilder, Queues, SharedJob, SharingPolicy};
use bandwise_saba::sensitivity::Kind;
use bandwise_saba::table::Table;
use bandwise_topology::{Fabric, Routes};
use bandwise_units::Time;

/// An experiment with jobs on a fabric that can be run.
///
/// [`JobsBuilder::build`] has checked every value; [`into_builder`] returns a builder to change
/// some.
///
/// [`into_builder`]: JobsScenario::into_builder
#[derive(Debug, Clone)]
pub struct JobsScenario {
    pub(super) title: String,
    pub(super) fabric: Fabric,
    pub(super) routes: Routes,
    pub(super) jobs: Vec<SharedJob>,
    pub(super) queues: Queues,
    pub(super) model: Kind,
    pub(super) seed: u64,
    pub(super) grain: Time,
}

impl JobsScenario {
    /// Returns a builder with the defaults of a scenario file, without jobs.
    pub fn builder(fabric: Fabric) -> JobsBuilder {
        JobsBuilder::new(fabric)
    }

    /// Returns a builder that starts from this scenario.
    pub fn into_builder(self) -> JobsBuilder {
        JobsBuilder::from_scenario(self)
    }

    /// Returns the title, one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the hosts, switches and links.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// Returns the shortest paths between hosts, by destination.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns the jobs in the order of the results.
    pub fn jobs(&self) -> &[SharedJob] {
        &self.jobs
    }

    /// Returns the queues of every port.
    pub fn queues(&self) -> Queues {
        self.queues
    }

    /// Returns the kind of the sensitivity models that Saba fits to the jobs' times.
    pub fn model(&self) -> Kind {
        self.model
    }

    /// Returns the seed of all random streams.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the shortest time between two calculations of all rates, unless flows start; zero
    /// for exact rates.
    pub fn grain(&self) -> Time {
        self.grain
    }

    /// Returns the sensitivity table of the applications whose models jobs use.
    pub fn models(&self) -> Table {
        let mut table = Table::new();
        for job in &self.jobs {
            table.insert(job.application.clone(), job.profile.clone());
        }
        table
    }

    /// Returns whether a job has a weight other than 1.
    pub fn has_weights(&self) -> bool {
        self.jobs.iter().any(|job| job.weight != 1.0)
    }

    /// Returns whether switches with the scenario's queues can carry out a policy: today's behaviour,
    /// or queues with weights by job or by application. The others need new hosts or switches, or
    /// are controls.
    pub fn is_deployable(&self, policy: SharingPolicy) -> bool {
        let has_a_queue_a_job = self.jobs.len() <= usize::from(self.queues.queues);
        match policy {
            SharingPolicy::FairFlows
            | SharingPolicy::Blocking
            | SharingPolicy::Saba
            | SharingPolicy::EqualWeights => true,
            SharingPolicy::FairJobs => has_a_queue_a_job,
            SharingPolicy::GivenWeights => has_a_queue_a_job && self.has_weights(),
            SharingPolicy::SabaNoFloor
            | SharingPolicy::SabaDistributed
            | SharingPolicy::SabaUnlimited
            | SharingPolicy::Reserved
            | SharingPolicy::Guaranteed
            | SharingPolicy::SmallestFirst
            | SharingPolicy::Srpt
            | SharingPolicy::Homa
            | SharingPolicy::Sebf
            | SharingPolicy::Sincronia => false,
        }
    }

    /// Returns the scenario with changed jobs, which must stay valid.
    pub(super) fn with_jobs(&self, change: impl FnMut(&mut SharedJob)) -> JobsScenario {
        let mut other = self.clone();
        other.jobs.iter_mut().for_each(change);
        other
    }
}
