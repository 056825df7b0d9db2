//! [`Study`]: the experiments of Saba.

use super::{calculation, models, setups};
use crate::repeated::Repeated;
use bandwise_netsim::engine::Executor;
use bandwise_scenario::jobs::{
    Comparison, JobsExperiment, JobsResults, JobsScenario, PacketRun, PacketSettings, SharingPolicy,
};
use bandwise_scenario::{Effort, Experiment, Progress, Stop, Watch};
use bandwise_units::Time;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// Numbers by name.
pub(super) type Numbers = BTreeMap<String, f64>;

/// An experiment that runs with several seeds.
#[derive(Debug)]
pub enum Study {
    /// An experiment that does not depend on the seed.
    One(Trial),
    /// A random cluster setup (Saba 4.6.2) for each seed, under these policies.
    Setups(Vec<SharingPolicy>),
    /// Times of the controller (Saba 4.6.5), over this number of placements of applications.
    Calculation(u64),
}

/// The experiment of a run.
#[derive(Debug, Clone)]
pub enum Trial {
    /// Workloads alone, and models of them: closed forms.
    Models,
    /// Jobs under policies.
    Jobs(Box<JobsExperiment>),
    /// Jobs under a policy, for which ports have enough queues. Times by workload are named
    /// "seconds WORKLOAD".
    Times(Box<JobsScenario>, SharingPolicy),
    /// Jobs under a policy at packet level. Times at flow level, with headers counted in, are named
    /// "flow seconds WORKLOAD".
    Packets(Box<PacketTrial>),
    /// Times of the controller.
    Calculation {
        /// Number of placements.
        placements: u64,
        /// Seed of the placements.
        seed: u64,
    },
}

/// Jobs under a policy at packet level and at flow level.
#[derive(Debug, Clone)]
pub struct PacketTrial {
    packets: PacketRun,
    flows: JobsScenario,
}

/// The results of a run.
#[derive(Debug)]
pub struct Outcome {
    pub(super) numbers: Numbers,
    stop: Stop,
    effort: Effort,
}

/// Number of cluster setups, as in Saba 4.6.2.
const SETUPS: u64 = 500;
/// Number of cluster setups of a quick run.
const QUICK_SETUPS: u64 = 4;

impl Repeated for Study {
    type Experiment = Trial;

    fn runs(&self, quick: bool) -> u64 {
        match self {
            Study::Setups(_) if quick => QUICK_SETUPS,
            Study::Setups(_) => SETUPS,
            Study::One(_) | Study::Calculation(_) => 1,
        }
    }

    fn with_seed(&self, seed: u64) -> Result<Trial, String> {
        match self {
            Study::One(trial) => Ok(trial.clone()),
            Study::Setups(policies) => {
                let scenario = setups::setup(seed).map_err(|error| error.to_string())?;
                let experiment = JobsExperiment::new(scenario, policies.clone());
                Ok(Trial::Jobs(Box::new(experiment.map_err(|error| error.to_string())?)))
            }
            &Study::Calculation(placements) => Ok(Trial::Calculation { placements, seed }),
        }
    }
}

impl Study {
    /// Returns the study of jobs under a policy at packet level, with volumes and computing times
    /// divided by `scale`.
    pub(super) fn packets(
        scenario: JobsScenario,
        policy: SharingPolicy,
        scale: NonZeroU32,
    ) -> Study {
        let packets = scenario.under_packets(policy, PacketSettings { scale });
        let packets = packets.expect("hosts and switches can carry out the policies of the paper");
        let flows = scenario.on_the_wire(policy);
        Study::One(Trial::Packets(Box::new(PacketTrial { packets, flows })))
    }
}

impl Experiment for Trial {
    type Results = Outcome;

    fn conduct(&self, executor: &impl Executor, watch: Watch<'_>) -> Outcome {
        match self {
            Trial::Models => Outcome::complete(models::numbers(), Effort::default()),
            Trial::Jobs(experiment) => {
                let comparison = experiment.compare(watch);
                let effort = JobsExperiment::effort(&comparison);
                match numbers(experiment.scenario(), &comparison) {
                    Some(numbers) => Outcome::complete(numbers, effort),
                    None => Outcome::stopped(Stop::Interrupted, effort),
                }
            }
            Trial::Times(scenario, policy) => {
                let run = scenario.under(*policy).expect("a queue for each of 20 jobs");
                times(scenario, &run.run(watch))
            }
            Trial::Packets(trial) => trial.run(executor, watch),
            &Trial::Calculation { placements, seed } => {
                let mut stop = || watch(Progress { simulated: Time::ZERO, part: 0.0 }).is_break();
                match calculation::numbers(placements, seed, &mut stop) {
                    Some(numbers) => Outcome::complete(numbers, Effort::default()),
                    None => Outcome::stopped(Stop::Interrupted, Effort::default()),
                }
            }
        }
    }

    fn stop(results: &Outcome) -> Stop {
        results.stop.clone()
    }

    fn effort(results: &Outcome) -> Effort {
        results.effort
    }
}

impl Outcome {
    fn complete(numbers: Numbers, effort: Effort) -> Outcome {
        Outcome { numbers, stop: Stop::Complete, effort }
    }

    fn stopped(stop: Stop, effort: Effort) -> Outcome {
        Outcome { numbers: Numbers::new(), stop, effort }
    }
}

/// Returns the times of jobs under a policy.
fn times(scenario: &JobsScenario, results: &JobsResults) -> Outcome {
    let simulated = results.took.iter().flatten().copied().max().unwrap_or_default();
    let effort = Effort { simulated, events: results.instants, ..Effort::default() };
    let mut numbers = Numbers::new();
    match add_times(&mut numbers, "seconds", scenario, results) {
        Some(()) => Outcome::complete(numbers, effort),
        None => Outcome::stopped(Stop::Interrupted, effort),
    }
}

impl PacketTrial {
    /// Runs the jobs at packet level, and at flow level.
    fn run(&self, executor: &impl Executor, watch: Watch<'_>) -> Outcome {
        let PacketTrial { packets, flows } = self;
        let run = packets.run(executor, watch);
        let effort = Effort {
            simulated: run.simulated,
            packets_delivered: run.counters.packets_delivered,
            packet_hops: run.counters.packet_hops,
            ..Effort::default()
        };
        if let Some(ports) = run.deadlock {
            return Outcome::stopped(Stop::Deadlock(ports), effort);
        }
        let beside = flows.under(packets.policy()).expect("a queue for each of 20 jobs").run(watch);
        let mut numbers = Numbers::new();
        let is_whole = add_times(&mut numbers, "seconds", flows, &run.results).is_some()
            && add_times(&mut numbers, "flow seconds", flows, &beside).is_some();
        match is_whole {
            true => Outcome::complete(numbers, effort),
            false => Outcome::stopped(Stop::Interrupted, effort),
        }
    }
}

/// Adds the time of each job, by workload; `None` if a job did not end.
fn add_times(
    numbers: &mut Numbers,
    what: &str,
    scenario: &JobsScenario,
    results: &JobsResults,
) -> Option<()> {
    for (job, took) in scenario.jobs().iter().zip(&results.took) {
        numbers.insert(format!("{what} {}", job.workload), took.as_ref()?.as_s_f64());
    }
    Some(())
}

/// Returns the numbers of policies, named "POLICY KEY", with jobs by workload and as a whole;
/// `None` if a job did not end.
fn numbers(scenario: &JobsScenario, comparison: &Comparison) -> Option<Numbers> {
    if !comparison.is_whole() {
        return None;
    }
    let baseline = comparison.of(SharingPolicy::FairFlows)?;
    let mut numbers = Numbers::new();
    for results in &comparison.results {
        let policy = results.policy.as_str();
        let summary = comparison.summary(results, baseline)?;
        let mut put = |key: &str, value: f64| {
            *numbers.entry(format!("{policy} {key}")).or_default() += value;
        };
        put("average speedup", summary.speedup);
        if let Some(blocking) = comparison.of(SharingPolicy::Blocking) {
            put("speedup over blocking", comparison.summary(results, blocking)?.speedup);
        }
        put("arithmetic speedup", summary.arithmetic_speedup);
        put("mean slowdown", summary.mean_slowdown);
        put("jobs that lose", summary.losers as f64);
        put("jobs", scenario.jobs().len() as f64);
        let speedups = comparison.speedups(results, baseline);
        let slowdowns = comparison.slowdowns(results);
        for ((job, speedup), slowdown) in scenario.jobs().iter().zip(speedups).zip(slowdowns) {
            let name = job.workload.as_str();
            put(&format!("log {name}"), speedup?.ln());
            put(&format!("count {name}"), 1.0);
            put(&format!("slowdown {name}"), slowdown?);
        }
    }
    Some(numbers)
}
