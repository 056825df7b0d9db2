//! `bandwise saba plan`.

use super::answer::PlanAnswer;
use super::packets;
use super::settings::{Experiment, Flags, Settings};
use crate::failure::Failure;
use crate::files::Text;
use crate::interrupt::Interrupt;
use crate::output::note;
use crate::progress::Progress;
use bandwise_scenario::Progress as At;
use bandwise_scenario::jobs::{Findings, SharingPolicy};

/// Steps of progress of a policy.
const STEPS: f64 = 1_000.0;

/// Reads the file, simulates its jobs and prints the results.
pub(super) fn run(flags: Flags) -> Result<(), Failure> {
    let text = flags.read()?;
    simulate(flags, text, &Interrupt::listen()?)
}

/// Simulates the jobs of a text and prints the results.
pub(crate) fn simulate(flags: Flags, text: Text, interrupt: &Interrupt) -> Result<(), Failure> {
    let settings = flags.resolve(text)?;
    let Settings { scenario, policies, outputs, .. } = &settings;
    outputs.models(|| scenario.models())?;
    let progress = Progress::begin(&format!("sharing {}", scenario.title()));
    // Running each job alone counts as one more policy.
    let steps = (policies.len() as f64 + 1.0) * STEPS;
    progress.steps(steps as u64);
    let mut last = None;
    let mut watch = |at: At| {
        let policy = match &settings.experiment {
            Experiment::Flows(experiment) => experiment.policy_at(at.part),
            Experiment::Packets(experiment, _) => experiment.policy_at(at.part),
        };
        if last.replace(policy) != Some(policy) {
            progress.doing(&doing(policies, policy));
        }
        progress.at((at.part * steps) as u64);
        interrupt.control()
    };
    let (comparison, compared) = match &settings.experiment {
        Experiment::Flows(experiment) => (experiment.compare(&mut watch), None),
        Experiment::Packets(experiment, packets) => {
            let compared = packets::compare(experiment, packets, &mut watch);
            (compared.packets.clone(), Some(compared))
        }
    };
    let took = progress.end();
    let instants: u64 = comparison.results.iter().map(|results| results.instants).sum();
    note(format_args!(
        "{} policies, {instants} {}, {:.2} s",
        comparison.results.len(),
        if compared.is_some() { "polls of all hosts" } else { "changes of rates" },
        took.as_secs_f64()
    ));
    let findings = Findings::new(scenario, comparison, compared);
    outputs.answer(&PlanAnswer::new(&settings, &findings))?;
    if let Some(deadlock) = packets::deadlock(&settings, &findings) {
        return Err(deadlock);
    }
    match findings.comparison.is_whole() {
        true => Ok(()),
        false => Err(Failure::Interrupted),
    }
}

/// Returns the number of started policies; the runs of each job alone count as policy 0.
fn number_of(policies: &[SharingPolicy], policy: Option<SharingPolicy>) -> usize {
    policy.map_or(0, |policy| 1 + policies.iter().take_while(|other| **other != policy).count())
}

/// Returns the present policy and its number as text.
fn doing(policies: &[SharingPolicy], policy: Option<SharingPolicy>) -> String {
    match policy {
        None => "each job alone".to_owned(),
        Some(policy) => format!(
            "{} ({} of {})",
            policy.as_str(),
            number_of(policies, Some(policy)),
            policies.len()
        ),
    }
}
