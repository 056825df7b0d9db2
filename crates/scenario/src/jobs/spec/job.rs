//! `[[job]]`: the work of a job, and the number of identical jobs.

use super::models;
use super::stage::StageSpec;
use super::synthetic::Known;
use super::times::{Times, fitted, measured_at, samples};
use crate::jobs::builder::MOST_JOBS;
use crate::jobs::job::{LONGEST, ROUNDS, WEIGHTS, check_profiled, profile};
use crate::jobs::measured_at::host_link;
use crate::jobs::{JobError, MeasuredAt, Models, RateSource};
use crate::reader::nodes;
use crate::reader::text::first_line;
use crate::reader::values::{Given, decimal, number, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_saba::table::{Application, Entry, NameError};
use bandwise_topology::{Adapters, Fabric};
use bandwise_units::{BitRate, Time};
use bandwise_workload::job::{DATA_SCALES, INSTANCE_SCALES, Job, PROFILE_INSTANCES, Scale};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct JobSpec {
    name: Given<String>,
    workload: Given<String>,
    model: Given<String>,
    times: Option<Times>,
    #[serde(default, deserialize_with = "text")]
    measured_at: Given<BitRate>,
    #[serde(default)]
    stage: Vec<Spanned<StageSpec>>,
    #[serde(default, deserialize_with = "number")]
    rounds: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    instances: Given<u64>,
    #[serde(default, deserialize_with = "decimal")]
    data: Given<f64>,
    #[serde(default, deserialize_with = "number")]
    count: Given<u64>,
    #[serde(default, deserialize_with = "text")]
    start: Given<Time>,
    #[serde(default, deserialize_with = "decimal")]
    weight: Given<f64>,
    hosts: Option<Spanned<Vec<Spanned<String>>>>,
}

/// A job without hosts for its instances.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) start: Time,
    pub(super) weight: f64,
    /// Hosts of the instances, if they are given.
    pub(super) hosts: Option<Vec<u32>>,
    /// Place of errors about the job.
    pub(super) at: Range<usize>,
}

/// The work and the model of a job, without a name and hosts.
#[derive(Debug, Clone)]
pub(super) struct Kind {
    pub(super) workload: String,
    pub(super) job: Job,
    pub(super) data: f64,
    pub(super) application: Application,
    pub(super) profile: Entry,
    pub(super) measured_at: Option<MeasuredAt>,
}

/// Returns all jobs of the document, with names.
pub(super) fn resolve(
    source: &Source,
    specs: &[Spanned<JobSpec>],
    known: &Known,
    fabric: &Fabric,
    models: Option<&Models>,
    warnings: &mut Vec<InputError>,
) -> Result<Vec<Wanted>, InputError> {
    let mut wanted = Vec::new();
    for spec in specs {
        let at = first_line(source, spec.span());
        let spec = spec.get_ref();
        let kind = spec.kind(source, at.clone(), known, fabric, models, warnings)?;
        let count = spec.count(source, wanted.len() as u64)?;
        let hosts = spec.hosts(source, fabric, kind.job.instances, count)?;
        let start = match &spec.start {
            Some(given) => within(source, "start", given, Time::ZERO..=LONGEST)?,
            None => Time::ZERO,
        };
        let weight = match &spec.weight {
            Some(given) => within(source, "weight", given, WEIGHTS)?,
            None => 1.0,
        };
        let called = spec.name.as_ref().map_or(kind.workload.as_str(), |name| name.get_ref());
        for number in 1..=count {
            let name = if count == 1 { called.to_owned() } else { format!("{called}-{number}") };
            wanted.push(Wanted {
                name,
                kind: kind.clone(),
                start,
                weight,
                hosts: hosts.clone(),
                at: place(&spec.name, at.clone()),
            });
        }
    }
    Ok(wanted)
}

impl JobSpec {
    /// Returns whether the job names a model of a table.
    pub(super) fn names_a_model(&self) -> bool {
        self.model.is_some()
    }

    fn kind(
        &self,
        source: &Source,
        at: Range<usize>,
        known: &Known,
        fabric: &Fabric,
        models: Option<&Models>,
        warnings: &mut Vec<InputError>,
    ) -> Result<Kind, InputError> {
        let given = [self.workload.is_some(), self.times.is_some(), !self.stage.is_empty()];
        let given = given.iter().filter(|&&given| given).count();
        if given > 1 || (given == 0 && self.model.is_none()) {
            let error = source.error(at, "no work, or several kinds of work, for this job");
            return Err(error.allowed("one of `workload`, `times` and `stage`, or a `model` alone"));
        }
        let named =
            self.model.as_ref().map(|name| models::find(source, name, models)).transpose()?;
        let alone = named.as_ref().filter(|_| given == 0);
        if let Some(given) = &self.measured_at
            && self.times.is_none()
            && alone.is_none()
        {
            let error =
                source.error(given.span(), "`measured-at` for a job without measured times");
            return Err(error.allowed("`times`, or a `model` alone, besides"));
        }
        let link = host_link(fabric);
        let measured_on = alone.and_then(|(_, entry)| entry.setting.nodes);
        let usual = measured_on.map_or(PROFILE_INSTANCES, |nodes| nodes.get());
        let instances = self.instances(source, fabric, usual)?;
        let data = match &self.data {
            Some(given) => within(source, "data", given, DATA_SCALES)?,
            None => 1.0,
        };
        let refuse = |error: &dyn std::fmt::Display| source.error(at.clone(), error.to_string());
        let (workload, job, profile, measured_at) = if let Some(name) = &self.workload {
            let Some(workload) = known.by_name(name.get_ref()) else {
                let what = format!("unknown workload {:?}", name.get_ref());
                return Err(source.error(name.span(), what).allowed(known.names()));
            };
            let job = workload.job(Scale { instances, data }).map_err(|error| refuse(&error))?;
            // Saba profiles a workload once, and runs it at other scales.
            let profiled = workload.job(Scale::default()).expect("a scale that is allowed");
            check_profiled(&profiled, link).map_err(|e| refused(source, at.clone(), e))?;
            let samples = profile(&profiled, link);
            let entry = models::of_workload(&workload, samples);
            let measured_at = MeasuredAt { rate: workload.rate, by: RateSource::Workload };
            (workload.name, job, entry, Some(measured_at))
        } else {
            let own = alone.map_or("job", |(application, _)| application.as_str());
            let called = self.name.as_ref().map_or(own, |name| name.get_ref()).to_owned();
            let measured = match (&self.times, alone) {
                (Some(times), _) => {
                    Some((models::measured(samples(source, times)?, instances), times.span()))
                }
                (None, Some((_, entry))) => Some((entry.clone(), place(&self.model, at.clone()))),
                (None, None) => None,
            };
            match measured {
                Some((entry, span)) => {
                    let depends = entry.samples.points().iter().any(|point| point.slowdown > 1.01);
                    if instances == 1 && depends {
                        let what = "one instance, which sends nothing, of a job whose times depend on \
                                    the bandwidth";
                        let error = source.error(place(&self.instances, span), what);
                        return Err(error.allowed("2 instances or more"));
                    }
                    let at = measured_at(source, &self.measured_at, link)?;
                    let workload = fitted(source, &called, &entry.samples, at.rate, span, warnings);
                    // The times were measured with the job's own number of instances.
                    let scale = |data| Scale { instances: PROFILE_INSTANCES, data };
                    let mut job = workload.job(scale(data)).map_err(|error| refuse(&error))?;
                    job.instances = instances;
                    let entry = match at.rate == link {
                        true => entry,
                        false => {
                            let mut once = workload.job(scale(1.0)).expect("the measured scale");
                            once.instances = instances;
                            models::converted(&entry, profile(&once, link), at.rate, link)
                        }
                    };
                    (called, job, entry, Some(at))
                }
                None => {
                    let job = self.staged(source, instances)?;
                    check_profiled(&job, link).map_err(|e| refused(source, at.clone(), e))?;
                    let entry = models::of_stages(profile(&job, link), instances);
                    (called, job, entry, None)
                }
            }
        };
        let (application, profile) = match named {
            Some(named) => named,
            None => {
                let name = Application::try_from(workload.as_str()).map_err(|error| {
                    let error = source.error(place(&self.name, at), error.to_string());
                    error.allowed(NameError::ALLOWED)
                })?;
                (name, profile)
            }
        };
        Ok(Kind { workload, job, data, application, profile, measured_at })
    }

    /// Returns the number of instances. The default is the number of given hosts, or else `usual`,
    /// at most the number of the fabric's hosts.
    fn instances(&self, source: &Source, fabric: &Fabric, usual: u32) -> Result<u32, InputError> {
        let hosts = fabric.hosts().len() as u64;
        let most = hosts.min(u64::from(*INSTANCE_SCALES.end()));
        match &self.instances {
            Some(given) if *given.get_ref() > hosts => {
                let what = format!("{} instances on {hosts} hosts", given.get_ref());
                Err(source
                    .error(given.span(), what)
                    .allowed(format!("1 to {most}: no host has two instances of a job")))
            }
            Some(given) => Ok(within(source, "instances", given, 1..=most)? as u32),
            None => {
                let by_hosts = self.hosts.as_ref().map(|hosts| hosts.get_ref().len().max(1) as u32);
                Ok(by_hosts.unwrap_or(usual.min(most as u32)))
            }
        }
    }

    fn staged(&self, source: &Source, instances: u32) -> Result<Job, InputError> {
        let rounds = u64::from(*ROUNDS.start())..=u64::from(*ROUNDS.end());
        let rounds = match &self.rounds {
            Some(given) => within(source, "rounds", given, rounds)? as u32,
            None => 1,
        };
        let mut stages = Vec::new();
        for stage in &self.stage {
            stages.push(stage.get_ref().resolve(source, first_line(source, stage.span()))?);
        }
        Ok(Job { instances, stages, rounds })
    }

    fn count(&self, source: &Source, so_far: u64) -> Result<u64, InputError> {
        let most = MOST_JOBS as u64;
        let count = match &self.count {
            Some(given) => within(source, "count", given, 1..=most)?,
            None => 1,
        };
        if so_far + count > most {
            let error = source.error(place(&self.count, 0..0), "too many jobs");
            return Err(error.allowed(format!("{MOST_JOBS} in all")));
        }
        Ok(count)
    }

    /// Returns the names of the hosts, if they are given.
    pub(super) fn host_names(&self) -> Option<&[Spanned<String>]> {
        self.hosts.as_ref().map(|hosts| hosts.get_ref().as_slice())
    }

    fn hosts(
        &self,
        source: &Source,
        fabric: &Fabric,
        instances: u32,
        count: u64,
    ) -> Result<Option<Vec<u32>>, InputError> {
        let Some(given) = &self.hosts else { return Ok(None) };
        let names = given.get_ref();
        if names.len() != instances as usize {
            let what = format!("{} hosts for {instances} instances", names.len());
            return Err(source.error(given.span(), what).allowed("one host for each instance"));
        }
        if count > 1 {
            let error = source.error(given.span(), "hosts of several jobs that are alike");
            return Err(error.allowed("`hosts` without `count`, in a [[job]] each"));
        }
        let mut ranks = Vec::new();
        for name in names {
            let rank = nodes::find(source, fabric, name)? as u32;
            if ranks.contains(&rank) {
                let what = format!("two instances on {}", name.get_ref());
                return Err(source.error(name.span(), what).allowed("a host for each instance"));
            }
            ranks.push(rank);
        }
        Ok(Some(ranks))
    }
}

/// Returns a warning at the first job without hosts if the fabric's hosts look like adapters of fewer
/// servers.
pub(super) fn unplaced(source: &Source, jobs: &[Wanted], fabric: &Fabric) -> Option<InputError> {
    let job = jobs.iter().find(|job| job.hosts.is_none())?;
    let names = fabric.hosts().iter().map(|&host| &*fabric.node(host).name);
    let adapters = Adapters::of(names)?;
    let warning = source.error(job.at.clone(), adapters.to_string());
    Some(warning.allowed("`hosts` in each [[job]], such as the adapters of one rail"))
}

/// Returns an error of a job with its place in the file.
pub(super) fn refused(source: &Source, at: Range<usize>, error: JobError) -> InputError {
    source.error(at, error.message).allowed(error.allowed)
}
