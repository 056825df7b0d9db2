//! [`Study`]: what is run for Saba.

use super::{calculation, models, setups};
use crate::experiment::{Effort, Experiment};
use bandwise_netsim::engine::Sequential;
use bandwise_scenario::jobs::{
    JobsExperiment, JobsProgress, JobsResults, JobsScenario, PacketSettings, SharingPolicy,
};
use bandwise_units::Time;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::ControlFlow;

/// A run.
#[derive(Debug)]
pub enum Study {
    /// Workloads alone, and models of them: closed forms.
    Models,
    /// Jobs under policies.
    Jobs(Box<JobsExperiment>),
    /// Jobs under a policy; their times by workload are called "seconds WORKLOAD".
    Times(Box<JobsScenario>, SharingPolicy),
    /// The same packet by packet, with volumes and computing times divided by that much; times at flow level,
    /// with headers counted in, are called "flow seconds WORKLOAD".
    Packets(Box<JobsScenario>, SharingPolicy, NonZeroU32),
    /// A cluster setup by chance (Saba 4.6.2), another one for each seed.
    Setup(Vec<SharingPolicy>),
    /// How long the controller takes (Saba 4.6.5), over so many placements of applications.
    Calculation(u64),
}

/// What came out: numbers by name.
#[derive(Debug, Default)]
pub struct Outcome {
    pub(super) numbers: BTreeMap<String, f64>,
    effort: Effort,
    simulated: Time,
}

/// Cluster setups, as in Saba 4.6.2.
const SETUPS: u64 = 500;
/// Of which these are run in a hurry.
const QUICK_SETUPS: u64 = 4;

impl Experiment for Study {
    type Results = Outcome;

    fn runs(&self, quick: bool) -> u64 {
        match self {
            Study::Setup(_) if quick => QUICK_SETUPS,
            Study::Setup(_) => SETUPS,
            Study::Models | Study::Jobs(..) | Study::Times(..) => 1,
            Study::Packets(..) | Study::Calculation(_) => 1,
        }
    }

    fn run_once(&self, seed: u64, stop: &dyn Fn() -> bool) -> Result<Option<Outcome>, String> {
        match self {
            Study::Models => Ok(Some(Outcome { numbers: models::numbers(), ..Outcome::default() })),
            Study::Jobs(experiment) => Ok(compare(experiment, stop)),
            Study::Times(scenario, policy) => times(scenario, *policy, stop),
            Study::Packets(scenario, policy, scale) => packets(scenario, *policy, *scale, stop),
            Study::Setup(policies) => {
                let scenario = setups::setup(seed).map_err(|error| error.to_string())?;
                let experiment = JobsExperiment::new(scenario, policies.clone());
                Ok(compare(&experiment.map_err(|error| error.to_string())?, stop))
            }
            Study::Calculation(placements) => {
                let numbers = calculation::numbers(*placements, seed, stop);
                Ok(numbers.map(|numbers| Outcome { numbers, ..Outcome::default() }))
            }
        }
    }

    fn effort(results: &Outcome) -> Effort {
        results.effort
    }

    fn simulated(results: &Outcome) -> Time {
        results.simulated
    }
}

/// Runs the jobs under a policy.
fn times(
    scenario: &JobsScenario,
    policy: SharingPolicy,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Outcome>, String> {
    let run = scenario.under(policy).map_err(|error| error.to_string())?;
    let results = run.run(&mut |_| watched(stop));
    let mut outcome = Outcome::default();
    if outcome.add_times("seconds", scenario, &results).is_none() {
        return Ok(None);
    }
    outcome.simulated = results.took.iter().flatten().copied().max().unwrap_or_default();
    outcome.effort.add(Effort { events: results.instants, ..Effort::default() });
    Ok(Some(outcome))
}

/// The same packet by packet, and as flows.
fn packets(
    scenario: &JobsScenario,
    policy: SharingPolicy,
    scale: NonZeroU32,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Outcome>, String> {
    let mut watch = |_: JobsProgress| watched(stop);
    let settings = PacketSettings { scale };
    let run = scenario.under_packets(policy, settings).map_err(|error| error.to_string())?;
    let run = run.run(&Sequential, &mut watch);
    if run.deadlock.is_some() {
        return Err("ports wait for each other's credits for ever".to_owned());
    }
    let flows = scenario.on_the_wire(policy);
    let flows = flows.under(policy).map_err(|error| error.to_string())?.run(&mut watch);
    let mut outcome = Outcome { simulated: run.simulated, ..Outcome::default() };
    let is_whole = outcome.add_times("seconds", scenario, &run.results).is_some()
        && outcome.add_times("flow seconds", scenario, &flows).is_some();
    outcome.effort.add(Effort {
        packets_delivered: run.counters.packets_delivered,
        packet_hops: run.counters.packet_hops,
        ..Effort::default()
    });
    Ok(is_whole.then_some(outcome))
}

impl Outcome {
    /// What each job took, by workload; nothing if one did not end.
    fn add_times(
        &mut self,
        what: &str,
        scenario: &JobsScenario,
        results: &JobsResults,
    ) -> Option<()> {
        for (job, took) in scenario.jobs().iter().zip(&results.took) {
            self.numbers.insert(format!("{what} {}", job.workload), took.as_ref()?.as_s_f64());
        }
        Some(())
    }
}

fn watched(stop: &dyn Fn() -> bool) -> ControlFlow<()> {
    if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Runs the policies; their numbers are called "POLICY KEY", with jobs by workload and as a whole.
fn compare(experiment: &JobsExperiment, stop: &dyn Fn() -> bool) -> Option<Outcome> {
    let scenario = experiment.scenario();
    let mut watch = |_: JobsProgress| watched(stop);
    let comparison = experiment.compare(&mut watch);
    if !comparison.is_whole() {
        return None;
    }
    let baseline = comparison.of(SharingPolicy::FairFlows)?;
    let mut outcome = Outcome::default();
    for results in &comparison.results {
        let policy = results.policy.as_str();
        let summary = comparison.summary(results, baseline)?;
        let mut put = |key: &str, value: f64| {
            *outcome.numbers.entry(format!("{policy} {key}")).or_default() += value;
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
        outcome.simulated += results.took.iter().flatten().copied().max().unwrap_or_default();
        outcome.effort.add(Effort { events: results.instants, ..Effort::default() });
    }
    Some(outcome)
}
