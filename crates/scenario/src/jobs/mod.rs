//! An experiment on sharing: jobs that compute and communicate on one fabric, under policies that
//! share its links.
//!
//! A [`JobsScenario`] is read from TOML, or built by a [`JobsBuilder`]. [`JobsScenario::under`] returns
//! the run under a policy, [`JobsScenario::under_packets`] the same packet by packet. A
//! [`JobsExperiment`] or [`PacketExperiment`] compares several policies, and [`Findings`] has the
//! conclusions. [`JobsScenario::outlook`]
//! returns Saba's configuration and predictions without a simulation.
//!
//! "Saba" is M. R. S. Katebzadeh, *Application-Centric Bandwidth Allocation in Datacenters* (thesis,
//! 2022), of which chapters 3 and 4 are about Saba; the number after it is the section.

mod builder;
mod comparison;
mod doubts;
mod experiment;
mod findings;
mod job;
mod measured_at;
mod models;
mod outlook;
mod packet_comparison;
mod policy;
mod queues;
mod results;
mod run;
mod scenario;
mod spec;
mod timeline;

pub use builder::{BuildError, JobsBuilder};
pub use comparison::{Comparison, LOSS, Summary};
pub use doubts::Doubt;
pub use experiment::{JobsExperiment, PacketExperiment};
pub use findings::{BASELINE, Findings, Gain, Verdict};
pub use job::{JobError, SharedJob, profile};
pub use measured_at::{MeasuredAt, RateSource, host_links};
pub use models::Models;
pub use outlook::{JobOutlook, Outlook, Promise};
pub use packet_comparison::PacketComparison;
pub use policy::{SharingPolicy, TooManyJobs};
pub use queues::Queues;
pub use results::JobsResults;
pub use run::{
    PACKET_POLICIES, PacketError, PacketResults, PacketRun, PacketSettings, PolicyRun, REACTION,
};
pub use scenario::JobsScenario;
pub use spec::Overrides;
pub use timeline::{Doing, Timeline};
