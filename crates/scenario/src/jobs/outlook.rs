//! [`Outlook`]: the configuration of Saba's controller, and predictions of the models, without a
//! simulation.

use super::run::{Controlled, Paths};
use super::{JobsScenario, SharedJob, SharingPolicy};
use bandwise_flowsim::Links;
use bandwise_saba::Share;
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_saba::sensitivity::Prediction;
use bandwise_topology::Port;

/// The configuration while all jobs are present, whatever their starts, and the predictions of their
/// models. The configuration is that of the controller in the simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// Predictions by job.
    pub jobs: Vec<JobOutlook>,
    /// Configuration of each port that a job sends through, in order of nodes and ports.
    pub ports: Vec<(Port, PortConfig)>,
}

/// The predictions for a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobOutlook {
    /// Priority level, a service level in InfiniBand.
    pub level: PriorityLevel,
    /// Prediction with equal parts of each link for all its jobs.
    pub equal: Promise,
    /// Prediction under Saba.
    pub saba: Promise,
}

/// The share that a job has on all its links even while all other jobs send.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// Smallest share of a link, over all links that the job sends through.
    pub share: Share,
    /// Slowdown with that share on all links, by the job's model. The simulated slowdown is mostly
    /// lower, because other jobs leave their bandwidth while they compute.
    pub slowdown: Prediction,
}

impl JobsScenario {
    /// Returns Saba's configuration and the predictions of models.
    ///
    /// # Panics
    ///
    /// Panics if a share is 0 because weights are far apart, which integer weights rule out.
    pub fn outlook(&self) -> Outlook {
        let links = Links::new(&self.fabric);
        let paths: Vec<Paths> = self.jobs.iter().map(|job| Paths::new(self, &links, job)).collect();
        let count = links.ports().len();
        let controlled = Controlled::centralised(self, &links, SharingPolicy::Saba);
        let controlled = controlled.with_all(&paths);
        let mut jobs_at: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (job, paths) in paths.iter().enumerate() {
            paths.links().into_iter().for_each(|link| jobs_at[link as usize].push(job));
        }
        let part = self.queues.part;
        let mut equal = vec![part; self.jobs.len()];
        let mut saba = equal.clone();
        let mut ports = Vec::new();
        for (link, config) in controlled.configurations() {
            let jobs = &jobs_at[link as usize];
            let of_queues = of_queues(config, jobs, |job| controlled.level(job));
            for &job in jobs {
                let queue = queue_of(config, controlled.level(job));
                equal[job] = equal[job].min(part / jobs.len() as f64);
                saba[job] = saba[job].min(part * of_queues[queue]);
            }
            ports.push((links.ports()[link as usize], config.clone()));
        }
        let outlook = |(number, job): (usize, &SharedJob)| {
            let model = job.model(self.model);
            let promise = |share: f64| {
                let share = Share::at_least(share);
                Promise { share, slowdown: model.predict(share) }
            };
            let level = controlled.level(number);
            JobOutlook { level, equal: promise(equal[number]), saba: promise(saba[number]) }
        };
        let jobs = self.jobs.iter().enumerate().map(outlook).collect();
        Outlook { jobs, ports }
    }
}

/// Returns, by queue, the part of the port for each job in it. Jobs of one queue are assumed to
/// have equal parts, as they do with equal numbers of flows.
fn of_queues(
    config: &PortConfig,
    jobs: &[usize],
    level: impl Fn(usize) -> PriorityLevel,
) -> Vec<f64> {
    let sum: f64 = config.weights.iter().map(|&weight| f64::from(weight)).sum();
    let mut members = vec![0u32; config.weights.len()];
    jobs.iter().for_each(|&job| members[queue_of(config, level(job))] += 1);
    let part =
        |(&weight, &members): (&u8, &u32)| f64::from(weight) / sum / f64::from(members.max(1));
    config.weights.iter().zip(&members).map(part).collect()
}

fn queue_of(config: &PortConfig, level: PriorityLevel) -> usize {
    config.table.of(level).expect("the levels of all jobs that send here").into()
}
