//! `bandwise saba compare`: measures the gain of Saba by running programs with links shared in several ways (Saba 4.6).

mod answer;
mod flags;
mod report;
mod tables;

pub(super) use flags::Flags;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use answer::CompareAnswer;
use bandwise_profiler::{Comparison, ComparisonResults, Outcome, Timed};
use bandwise_runner::{CompareEvent, Completion};

impl Flags {
    /// Makes all runs and prints their results.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let settings = self.resolve()?;
        let status = settings.together.controller.dry_run()?;
        if !status.success() {
            // The controller has printed the reason.
            return Err(Failure::Command(status.code().map_or(1, |code| code as u8)));
        }
        let interrupt = Interrupt::listen()?;
        let programs = settings.together.programs.len();
        let (rounds, attempts) = (settings.rounds, settings.attempts);
        let mut comparison = Comparison::new(programs, rounds, attempts, settings.seed);
        let progress = Progress::begin("comparing").without_guess();
        let completion =
            settings
                .together
                .run(&mut comparison, &|| interrupt.asked(), &mut |event| show(&progress, &event));
        drop(progress);
        // Results so far may have taken hours, so they are printed also after an error.
        let results = ComparisonResults::of(&comparison);
        let has_rounds = !results.rounds.is_empty();
        settings.outputs.answer(&CompareAnswer::new(&settings, &comparison, &results))?;
        match completion? {
            Completion::Interrupted => Err(Failure::Interrupted),
            Completion::Complete if has_rounds => Ok(()),
            Completion::Complete => {
                Err(anyhow::anyhow!("no round is whole: runs of each failed").into())
            }
        }
    }
}

/// Shows an event on standard error.
fn show(progress: &Progress, event: &CompareEvent) {
    match event {
        CompareEvent::Started { number, of, title } => {
            progress.steps(*of as u64);
            progress.at(*number as u64 - 1);
            progress.doing(title);
        }
        CompareEvent::Ended { number, of, title, results } => {
            let results: Vec<_> = results.iter().map(|(name, timed)| result(name, timed)).collect();
            progress.say(&format!("{number} of {of}, {title}: {}", results.join(", ")));
        }
    }
}

/// Returns the result of a program as text.
fn result(name: &str, timed: &Timed) -> String {
    let seconds = timed.time.as_s_f64();
    match &timed.outcome {
        Outcome::Success => format!("{name} {seconds:.3} s"),
        outcome => format!("{name} {outcome} after {seconds:.3} s"),
    }
}
