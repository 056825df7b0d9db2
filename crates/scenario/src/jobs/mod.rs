//! An experiment on sharing: jobs that compute and communicate on one fabric, and policies by which
//! its links are shared among them.
//!
//! A [`JobsScenario`] is read from TOML; it can only be one that makes sense. "Saba" is M. R. S.
//! Katebzadeh, *Application-Centric Bandwidth Allocation in Datacenters* (thesis, 2022), of which
//! chapters 3 and 4 are about Saba; the number after it is the section.

mod comparison;
mod controlled;
mod doubts;
mod execution;
mod instances;
mod models;
mod outlook;
mod own_queues;
mod packets;
mod parts;
mod policy;
mod results;
mod run;
mod spec;
mod steering;
mod timeline;

pub use comparison::{Comparison, LOSS, Summary};
pub use doubts::Doubt;
pub use execution::{JobsProgress, JobsWatch};
pub use models::Models;
pub use outlook::{JobOutlook, Outlook, Promise};
pub use packets::{
    PACKET_POLICIES, PacketComparison, PacketResults, PacketSettings, PacketsError, REACTION,
};
pub use policy::SharingPolicy;
pub use results::{JobsResults, TooManyJobs};
pub use spec::profile;
pub use timeline::{Doing, Timeline};

use bandwise_input::InputError;
use bandwise_saba::sensitivity::{Kind, Model, Monotone, Samples};
use bandwise_saba::table::{Application, Entry, Table};
use bandwise_topology::{Fabric, Routes};
use bandwise_units::Time;
use bandwise_workload::job::Job;

/// Jobs on a fabric.
#[derive(Debug, Clone)]
pub struct JobsScenario {
    /// What it is about, in a line.
    pub title: String,
    /// Hosts, switches and links.
    pub fabric: Fabric,
    /// How packets find their way: by destination, as in InfiniBand.
    pub routes: Routes,
    /// Who computes and communicates where.
    pub jobs: Vec<SharedJob>,
    /// How ports can share a link.
    pub queues: Queues,
    /// What Saba makes of jobs' times.
    pub model: Kind,
    /// What every random stream is made from.
    pub seed: u64,
    /// Rates are worked out no sooner than that after the last time, unless flows start; zero for exact ones.
    pub grain: Time,
    /// What is allowed, and most likely not meant.
    pub warnings: Vec<InputError>,
}

/// A job of a sharing scenario.
#[derive(Debug, Clone)]
pub struct SharedJob {
    /// Its name, which no other job has.
    pub name: String,
    /// The workload that it is of; its own name if that has none.
    pub workload: String,
    /// What it does.
    pub job: Job,
    /// Times the data that its model was measured with.
    pub data: f64,
    /// Where its instances are: ranks of hosts, all different.
    pub hosts: Vec<u32>,
    /// When it starts.
    pub start: Time,
    /// Its weight where weights are given by hand; 1 if nobody gave one.
    pub weight: f64,
    /// The application whose model it has. Jobs with one application have one profile.
    pub application: Application,
    /// How long that takes with parts of the bandwidth, as it was measured or as its stages have it.
    pub profile: Entry,
}

impl SharedJob {
    /// What a share of the bandwidth does to it, as a model of that kind; a monotone one where there
    /// are too few shares for a polynomial.
    pub fn model(&self, kind: Kind) -> Model {
        fitted(&self.profile.samples, kind)
    }
}

impl JobsScenario {
    /// The sensitivity table of all applications that jobs have the models of.
    pub fn models(&self) -> Table {
        let mut table = Table::new();
        for job in &self.jobs {
            table.insert(job.application.clone(), job.profile.clone());
        }
        table
    }
}

/// A model of that kind; a monotone one where there are too few shares for a polynomial.
fn fitted(samples: &Samples, kind: Kind) -> Model {
    Model::fit(samples, kind).unwrap_or_else(|_| Model::Monotone(Monotone::fit(samples)))
}

/// What ports have to share a link with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Queues {
    /// Queues of a port, virtual lanes of InfiniBand: 1 to 16.
    pub queues: u8,
    /// Priority levels of applications, service levels of InfiniBand: 1 to 16.
    pub levels: u8,
    /// The part of each link that is shared by these policies: C_Saba (Saba 4.3.1), above 0, up to 1.
    pub part: f64,
}

/// What stands in place of what a document says.
#[derive(Debug, Default)]
pub struct Overrides {
    /// The fabric.
    pub fabric: Option<Fabric>,
    /// The models that jobs name.
    pub models: Option<Models>,
    /// Queues of a port, 1 to 16.
    pub queues: Option<u8>,
    /// The seed.
    pub seed: Option<u64>,
}
