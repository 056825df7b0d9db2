//! An experiment on sharing: jobs that compute and communicate on one fabric, and policies by which
//! its links are shared among them.
//!
//! A [`SharingScenario`] is read from TOML; it can only be one that makes sense. "Saba" is M. R. S.
//! Katebzadeh, *Application-Centric Bandwidth Allocation in Datacenters* (thesis, 2022), of which
//! chapters 3 and 4 are about Saba; the number after it is the section.

mod comparison;
mod controlled;
mod jobs;
mod links;
mod own_queues;
mod packets;
mod policy;
mod results;
mod run;
mod spec;
mod steering;

pub use comparison::{Comparison, LOSS, Summary};
pub use jobs::{SharingProgress, SharingWatch};
pub use packets::{
    PACKET_POLICIES, PacketComparison, PacketResults, PacketSettings, PacketsError, REACTION,
};
pub use policy::SharingPolicy;
pub use results::SharingResults;
pub use spec::profile;

use bandwise_input::InputError;
use bandwise_saba::sensitivity::{Kind, Model, Monotone, Samples};
use bandwise_topology::{Fabric, Routes};
use bandwise_units::Time;
use bandwise_workload::job::Job;

/// Jobs on a fabric.
#[derive(Debug, Clone)]
pub struct SharingScenario {
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
    /// What is allowed, and most likely not meant.
    pub warnings: Vec<InputError>,
}

/// A job of a sharing scenario.
#[derive(Debug, Clone)]
pub struct SharedJob {
    /// Its name, which no other job has.
    pub name: String,
    /// Which of them it is like: jobs of one workload and scale have one model.
    pub workload: String,
    /// What it does.
    pub job: Job,
    /// Where its instances are: ranks of hosts, all different.
    pub hosts: Vec<u32>,
    /// When it starts.
    pub start: Time,
    /// Its weight where weights are given by hand; 1 if nobody gave one.
    pub weight: f64,
    /// How long it takes with parts of the bandwidth, as it was measured or as its stages have it.
    pub samples: Samples,
}

impl SharedJob {
    /// What a share of the bandwidth does to it, as a model of that kind; a monotone one where there
    /// are too few shares for a polynomial.
    pub fn model(&self, kind: Kind) -> Model {
        Model::fit(&self.samples, kind)
            .unwrap_or_else(|_| Model::Monotone(Monotone::fit(&self.samples)))
    }
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

/// Parts of the bandwidth at which Saba's profiler measures (Saba 4.5.1).
pub const PROFILED: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0];

/// What stands in place of what a document says.
#[derive(Debug, Default)]
pub struct Overrides {
    /// The fabric.
    pub fabric: Option<Fabric>,
    /// Queues of a port, 1 to 16.
    pub queues: Option<u8>,
    /// The seed.
    pub seed: Option<u64>,
}
