//! `[placement]`: the hosts of jobs without `hosts`.

use super::job::{Kind, Wanted};
use crate::jobs::SharedJob;
use crate::reader::values::{Given, number, within};
use bandwise_input::{InputError, Source};
use bandwise_random::Stream;
use bandwise_topology::Fabric;
use serde::Deserialize;
use std::ops::Range;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct PlacementSpec {
    #[serde(deserialize_with = "number")]
    jobs_per_host: Given<u64>,
}

/// Default of `jobs-per-host`. "Each server accommodates at most 16 jobs" (Saba 4.6.2): one per
/// core.
const JOBS_PER_HOST: u64 = 16;

impl PlacementSpec {
    /// Returns the hosts of all jobs. "Instances of jobs are randomly distributed among servers
    /// with two constraints: at most one instance of a given job is assigned to a server, and each
    /// server accommodates at most 16 jobs" (Saba 4.6.2). Jobs with given hosts are placed first.
    /// If random hosts leave no room for the last jobs, all jobs take the hosts with the fewest
    /// jobs, in random order among equals.
    pub(super) fn resolve(
        &self,
        source: &Source,
        wanted: Vec<Wanted>,
        fabric: &Fabric,
        seed: u64,
    ) -> Result<Vec<(Range<usize>, SharedJob)>, InputError> {
        let most = match &self.jobs_per_host {
            Some(given) => within(source, "jobs-per-host", given, 1..=1_000_000)?,
            None => JOBS_PER_HOST,
        };
        let hosts = fabric.hosts().len();
        let places = place(&wanted, hosts, most, seed, |_| 0)
            .or_else(|_| place(&wanted, hosts, most, seed, |jobs| jobs));
        let places = places.map_err(|(number, free)| {
            let Wanted { name, kind: Kind { job, .. }, at, .. } = &wanted[number];
            let what = format!(
                "{} instances of {name}, and {free} hosts with fewer than {most} jobs",
                job.instances
            );
            source
                .error(at.clone(), what)
                .allowed("fewer jobs or instances, more hosts, or a larger placement.jobs-per-host")
        })?;
        let placed = |(wanted, hosts)| {
            let Wanted { name, kind, start, weight, at, .. } = wanted;
            let Kind { workload, job, data, application, profile, measured_at } = kind;
            let job = SharedJob {
                name,
                workload,
                job,
                data,
                hosts,
                start,
                weight,
                application,
                profile,
                measured_at,
            };
            (at, job)
        };
        Ok(wanted.into_iter().zip(places).map(placed).collect())
    }
}

/// Returns hosts for each job, in order of `rank` of a host's number of jobs and then at random.
/// The error is the job that finds too few hosts, with their number.
fn place(
    wanted: &[Wanted],
    hosts: usize,
    most: u64,
    seed: u64,
    rank: impl Fn(u64) -> u64,
) -> Result<Vec<Vec<u32>>, (usize, usize)> {
    let mut jobs_at = vec![0u64; hosts];
    for &host in wanted.iter().filter_map(|job| job.hosts.as_ref()).flatten() {
        jobs_at[host as usize] += 1;
    }
    let mut places = Vec::new();
    for (number, job) in wanted.iter().enumerate() {
        if let Some(hosts) = &job.hosts {
            places.push(hosts.clone());
            continue;
        }
        let instances = job.kind.job.instances as usize;
        let mut stream = Stream::new(seed, "placement", number as u64);
        let mut free: Vec<(u64, u64, u32)> = (0u32..)
            .zip(&jobs_at)
            .filter(|&(_, &jobs)| jobs < most)
            .map(|(host, &jobs)| (rank(jobs), stream.below(u64::MAX), host))
            .collect();
        if free.len() < instances {
            return Err((number, free.len()));
        }
        free.sort_unstable();
        let hosts: Vec<u32> = free[..instances].iter().map(|&(.., host)| host).collect();
        hosts.iter().for_each(|&host| jobs_at[host as usize] += 1);
        places.push(hosts);
    }
    Ok(places)
}
