//! [`JobsBuilder`]: checks everything about a scenario before it can be run.

use super::queues::PARTS;
use super::{JobError, JobsScenario, Queues, SharedJob};
use crate::time_range::{self, TimeError};
use bandwise_saba::sensitivity::Kind;
use bandwise_saba::table::{Application, Entry};
use bandwise_topology::{Fabric, Routes};
use bandwise_units::Time;
use std::collections::{BTreeMap, BTreeSet};

/// Longest [`JobsBuilder::grain`], far longer than useful.
pub(super) const COARSEST: Time = Time::from_ms(60_000);
/// Most jobs of a scenario, more than any fabric has room for.
pub(super) const MOST_JOBS: usize = 100_000;

/// Builds a [`JobsScenario`].
///
/// ```
/// use bandwise_scenario::jobs::{JobsScenario, SharedJob, SharingPolicy};
/// use bandwise_topology::builders;
/// use bandwise_units::{BitRate, Bytes, Time};
/// use bandwise_workload::job::{Job, Pattern, Stage};
/// use std::ops::ControlFlow;
///
/// let fabric = builders::single_switch(4, BitRate::from_gbps(8), Time::from_ns(10)).unwrap();
/// let stage = Stage {
///     compute: Time::from_ms(1_000),
///     pattern: Pattern::Shuffle,
///     overlapped: Bytes::ZERO,
///     exposed: Bytes::new(1_000_000_000),
/// };
/// let train = Job { instances: 4, stages: vec![stage], rounds: 3 };
/// let scenario = JobsScenario::builder(fabric)
///     .job(SharedJob::from_stages("train", train, vec![0, 1, 2, 3], BitRate::from_gbps(8)).unwrap())
///     .build()
///     .unwrap();
/// let run = scenario.under(SharingPolicy::FairFlows).unwrap();
/// let results = run.run(&mut |_| ControlFlow::Continue(()));
/// assert_eq!(results.took[0].unwrap().as_s_f64().round(), 6.0);
/// ```
#[derive(Debug, Clone)]
pub struct JobsBuilder {
    scenario: JobsScenario,
}

/// A reason for which a scenario can't be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// There are no jobs, or too many.
    #[error("{0} jobs (allowed: 1 to {MOST_JOBS})")]
    Count(usize),
    /// A job is impossible.
    #[error(transparent)]
    Job(#[from] JobError),
    /// Ports can't have this number of queues or levels.
    #[error("{key} can't be {value} (allowed: 1 to 16)")]
    Queues {
        /// Key of `[queues]`.
        key: &'static str,
        /// Value.
        value: u8,
    },
    /// Jobs can't share this part of links.
    #[error("a part of {part} of each link (allowed: {} to {})", PARTS.start(), PARTS.end())]
    Part {
        /// The part.
        part: f64,
    },
    /// A time is out of its range.
    #[error(transparent)]
    Time(#[from] TimeError),
}

impl JobsBuilder {
    pub(super) fn new(fabric: Fabric) -> Self {
        let scenario = JobsScenario {
            title: String::new(),
            routes: Routes::shortest(&fabric),
            fabric,
            jobs: Vec::new(),
            queues: Queues::default(),
            model: Kind::Monotone,
            seed: 1,
            grain: Time::ZERO,
        };
        JobsBuilder { scenario }
    }

    pub(super) fn from_scenario(scenario: JobsScenario) -> Self {
        JobsBuilder { scenario }
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.scenario.title = title.into();
        self
    }

    /// Adds a job.
    #[must_use]
    pub fn job(mut self, job: SharedJob) -> Self {
        self.scenario.jobs.push(job);
        self
    }

    /// Removes all jobs.
    #[must_use]
    pub fn without_jobs(mut self) -> Self {
        self.scenario.jobs.clear();
        self
    }

    /// Sets the queues of every port.
    #[must_use]
    pub fn queues(mut self, queues: Queues) -> Self {
        self.scenario.queues = queues;
        self
    }

    /// Sets the kind of the sensitivity models.
    #[must_use]
    pub fn model(mut self, kind: Kind) -> Self {
        self.scenario.model = kind;
        self
    }

    /// Sets the seed of all random streams.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.scenario.seed = seed;
        self
    }

    /// Sets the shortest time between two calculations of all rates, up to a minute.
    #[must_use]
    pub fn grain(mut self, grain: Time) -> Self {
        self.scenario.grain = grain;
        self
    }

    /// Checks everything and returns the scenario.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no job, if a job, queues or a time is impossible, or if two
    /// jobs contradict each other.
    pub fn build(self) -> Result<JobsScenario, BuildError> {
        let scenario = self.scenario;
        let Queues { queues, levels, part } = scenario.queues;
        for (key, value) in [("queues", queues), ("levels", levels)] {
            if !(1..=16).contains(&value) {
                return Err(BuildError::Queues { key, value });
            }
        }
        if !PARTS.contains(&part) {
            return Err(BuildError::Part { part });
        }
        time_range::check("grain", scenario.grain, Time::ZERO..=COARSEST)?;
        let jobs = &scenario.jobs;
        if !(1..=MOST_JOBS).contains(&jobs.len()) {
            return Err(BuildError::Count(jobs.len()));
        }
        check_together(jobs)?;
        for (number, job) in jobs.iter().enumerate() {
            job.check(&scenario.fabric, part).map_err(|error| JobError { number, ..error })?;
        }
        Ok(scenario)
    }
}

/// Checks that names are unique, and that an application has one profile.
fn check_together(jobs: &[SharedJob]) -> Result<(), JobError> {
    let mut names = BTreeSet::new();
    let mut profiles: BTreeMap<&Application, &Entry> = BTreeMap::new();
    for (number, SharedJob { name, application, profile, .. }) in jobs.iter().enumerate() {
        if !names.insert(name.as_str()) {
            let message = format!("two jobs called {name:?}");
            let allowed = "a unique name, or `count` for identical jobs";
            return Err(JobError { number, ..JobError::new(message, allowed) });
        }
        if *profiles.entry(application).or_insert(profile) != profile {
            let message =
                format!("{:?} has a different model in an earlier job", application.as_str());
            let allowed = "a name that is no other application's";
            return Err(JobError { number, ..JobError::new(message, allowed) });
        }
    }
    Ok(())
}
