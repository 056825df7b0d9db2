//! [`SharedJob`]: a job with its place, its start and its sensitivity model.

use super::MeasuredAt;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Kind, Model, Monotone, Sample, Samples, Setting};
use bandwise_saba::table::{Application, Entry, NameError, Text};
use bandwise_topology::Fabric;
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_workload::job::{INSTANCE_SCALES, Job, Stage};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

/// Latest start of a job and longest computing time of a stage: a day.
pub(super) const LONGEST: Time = Time::from_ms(86_400_000);
/// Longest duration of a job on the slowest link of its fabric: 100 days. [`Time`] overflows after
/// 213 days.
const LONGEST_JOB: Time = Time::from_ms(8_640_000_000);
/// Most bytes that an instance sends in a stage: 2^50.
pub(super) const MOST_BYTES: Bytes = Bytes::new(1 << 50);
/// Rounds of a job.
pub(super) const ROUNDS: RangeInclusive<u32> = 1..=1_000_000;
/// Weights of a job: three decimal orders up and down.
pub(super) const WEIGHTS: RangeInclusive<f64> = 0.001..=1_000.0;

/// A job of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedJob {
    /// Name, unique in the scenario.
    pub name: String,
    /// Name of the workload, or of the job if it has none.
    pub workload: String,
    /// Stages and instances.
    pub job: Job,
    /// Size of the data, as a multiple of the size in the model's measurement.
    pub data: f64,
    /// Ranks of the hosts of the instances, all different.
    pub hosts: Vec<u32>,
    /// Start.
    pub start: Time,
    /// Weight under the policies with given weights, 0.001 to 1000.
    pub weight: f64,
    /// Application whose model the job uses. Jobs of one application have one profile.
    pub application: Application,
    /// Measured or calculated durations by the share of the bandwidth.
    pub profile: Entry,
    /// The links of the durations that describe the job; `None` if its stages describe it.
    pub measured_at: Option<MeasuredAt>,
}

/// A reason for which a job is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (allowed: {allowed})")]
pub struct JobError {
    /// Number of the job, from 0, in the order in which jobs were added to the builder.
    pub number: usize,
    /// Mistake.
    pub message: String,
    /// Allowed values.
    pub allowed: String,
}

impl JobError {
    pub(super) fn new(message: impl Into<String>, allowed: impl Into<String>) -> Self {
        JobError { number: 0, message: message.into(), allowed: allowed.into() }
    }
}

impl SharedJob {
    /// Returns a job that starts at time 0 with weight 1, and whose model is calculated from its
    /// stages on hosts with links of `link`.
    ///
    /// # Errors
    ///
    /// Returns an error if no application can have the name, or if the stages do nothing or take
    /// too long.
    pub fn from_stages(
        name: &str,
        job: Job,
        hosts: Vec<u32>,
        link: BitRate,
    ) -> Result<SharedJob, JobError> {
        check_profiled(&job, link)?;
        let application = Application::try_from(name)
            .map_err(|error| JobError::new(error.to_string(), NameError::ALLOWED))?;
        let setting = Setting { nodes: NonZeroU32::new(job.instances), dataset: None };
        let profile =
            calculated(profile(&job, link), setting, "worked out from its stages, not measured");
        Ok(SharedJob {
            name: name.to_owned(),
            workload: name.to_owned(),
            job,
            data: 1.0,
            hosts,
            start: Time::ZERO,
            weight: 1.0,
            application,
            profile,
            measured_at: None,
        })
    }

    /// Returns the job's sensitivity model of a kind, or a monotone one if there are too few shares
    /// for a polynomial.
    pub fn model(&self, kind: Kind) -> Model {
        fitted(&self.profile.samples, kind)
    }

    /// Returns the time from the start to the end of a job that ended.
    pub(super) fn took(&self, ended: Option<Time>) -> Option<Time> {
        ended.map(|ended| ended.saturating_sub(self.start))
    }

    /// Checks the job on a fabric, where `part` of each link is shared by jobs.
    pub(super) fn check(&self, fabric: &Fabric, part: f64) -> Result<(), JobError> {
        let refuse = |message: String, allowed: String| Err(JobError::new(message, allowed));
        let (hosts, instances) = (fabric.hosts().len(), self.job.instances);
        if instances as usize > hosts || !INSTANCE_SCALES.contains(&instances) {
            let most = hosts.min(*INSTANCE_SCALES.end() as usize);
            let allowed = format!("1 to {most}: no host has two instances of a job");
            return refuse(format!("{instances} instances on {hosts} hosts"), allowed);
        }
        if self.hosts.len() != instances as usize {
            let message = format!("{} hosts for {instances} instances", self.hosts.len());
            return refuse(message, "one host for each instance".to_owned());
        }
        let mut sorted = self.hosts.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
            let message = format!("two instances on host {}", twice[0]);
            return refuse(message, "a host for each instance".to_owned());
        }
        if let Some(&host) = sorted.last().filter(|&&host| host as usize >= hosts) {
            return refuse(format!("there is no host {host}"), format!("0 to {}", hosts - 1));
        }
        if self.start > LONGEST {
            let message = format!("start can't be {}", self.start);
            return refuse(message, format!("0 s to {LONGEST}"));
        }
        if !WEIGHTS.contains(&self.weight) {
            let message = format!("weight can't be {}", self.weight);
            return refuse(message, format!("{} to {}", WEIGHTS.start(), WEIGHTS.end()));
        }
        if !(self.data > 0.0 && self.data.is_finite()) {
            return refuse(format!("data can't be {}", self.data), "above 0".to_owned());
        }
        let slowest = fabric.links().iter().map(|link| link.rate.as_bps()).min();
        let slowest = slowest.map_or(0.0, |rate| rate as f64 * part);
        if self.name.is_empty() {
            return refuse("a job without a name".to_owned(), "a unique name".to_owned());
        }
        match check_work(&self.job, BitRate::from_bps((slowest as u64).max(1)))? {
            0 => Err(nothing_to_do()),
            _ => Ok(()),
        }
    }
}

/// Checks that a job's duration is above 0 and within its limit, with each share of `link` in
/// [`profile`].
pub(super) fn check_profiled(job: &Job, link: BitRate) -> Result<(), JobError> {
    // The smallest share is a twentieth.
    let slowest = BitRate::from_bps((link.as_bps() / 20).max(1));
    match check_work(job, slowest)? {
        0 => Err(nothing_to_do()),
        _ => Ok(()),
    }
}

fn nothing_to_do() -> JobError {
    JobError::new("a job that takes no time", "stages that compute or send")
}

/// Returns the time of a round in ps, with a link of `rate` for each instance, if all rounds end in
/// time.
fn check_work(job: &Job, rate: BitRate) -> Result<u128, JobError> {
    if !INSTANCE_SCALES.contains(&job.instances) {
        let allowed = format!("{} to {}", INSTANCE_SCALES.start(), INSTANCE_SCALES.end());
        return Err(JobError::new(format!("{} instances", job.instances), allowed));
    }
    if !ROUNDS.contains(&job.rounds) {
        let allowed = format!("{} to {}", ROUNDS.start(), ROUNDS.end());
        return Err(JobError::new(format!("rounds can't be {}", job.rounds), allowed));
    }
    let mut round = 0u128;
    for stage in &job.stages {
        if stage.compute > LONGEST {
            let message = format!("compute can't be {}", stage.compute);
            return Err(JobError::new(message, format!("0 ps to {LONGEST}")));
        }
        let bytes = stage.overlapped.get().saturating_add(stage.exposed.get());
        if bytes > MOST_BYTES.get() {
            let message = format!("bytes can't be {}", Bytes::new(bytes));
            return Err(JobError::new(message, format!("0 B to {MOST_BYTES}")));
        }
        let busiest: u128 = [stage.overlapped, stage.exposed]
            .map(|bytes| busiest(stage, job.instances, bytes))
            .into_iter()
            .sum();
        round += u128::from(stage.compute.as_ps());
        round += busiest * 8 * 1_000_000_000_000 / u128::from(rate.as_bps());
    }
    if round * u128::from(job.rounds) > u128::from(LONGEST_JOB.as_ps()) {
        let message = format!("with {rate} for each instance it takes longer than {LONGEST_JOB}");
        return Err(JobError::new(
            message,
            "fewer rounds, less computing, fewer bytes, or a larger `part` of links",
        ));
    }
    Ok(round)
}

/// Returns the bytes that the busiest link of an instance carries in all phases of a stage.
fn busiest(stage: &Stage, instances: u32, bytes: Bytes) -> u128 {
    let mut sum = 0;
    for phase in 0..stage.pattern.phases() {
        let mut links = vec![[0u128; 2]; instances as usize];
        stage.pattern.transfers(phase, instances, bytes, |transfer| {
            links[transfer.from as usize][0] += u128::from(transfer.bytes.get());
            links[transfer.to as usize][1] += u128::from(transfer.bytes.get());
        });
        sum += links.into_iter().flatten().max().unwrap_or(0);
    }
    sum
}

/// Returns a model of a kind, or a monotone one if there are too few shares for a polynomial.
pub(super) fn fitted(samples: &Samples, kind: Kind) -> Model {
    Model::fit(samples, kind).unwrap_or_else(|_| Model::Monotone(Monotone::fit(samples)))
}

/// Returns an entry of a sensitivity table for calculated durations, without a date of measurement.
pub(super) fn calculated(samples: Samples, setting: Setting, comment: &str) -> Entry {
    let comment = Text::try_from(comment).expect("one line");
    Entry { samples, setting, measured: None, comment }
}

/// Returns the durations of a job with the shares of the bandwidth that Saba's profiler measures, on
/// hosts with links of `link` and without other congestion.
///
/// # Panics
///
/// Panics if the job does nothing.
pub fn profile(job: &Job, link: BitRate) -> Samples {
    let at = |share: Share| {
        let rate = BitRate::from_bps((link.as_bps() as f64 * share.get()) as u64);
        Sample { share, time: job.alone(rate) }
    };
    Samples::new(Share::PROFILED.map(at)).expect("a job that does something takes time")
}
