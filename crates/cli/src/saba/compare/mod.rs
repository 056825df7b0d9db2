//! `bandwise saba compare`: what Saba is worth for programs, by running them at once with links shared in several ways
//! (Saba 4.6).

mod answer;
mod controlled;
mod flags;
mod json;
mod report;

pub use flags::Flags;

use super::program::{self, Ended};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use answer::Answer;
use anyhow::{Context, Result};
use bandwise_profiler::{Comparison, Setting, Sharing, Step, Timed};
use controlled::Controller;
use flags::Settings;
use std::io::Write;

impl Flags {
    /// Makes all runs, and says what they come to.
    pub fn run(self) -> Result<(), Failure> {
        let settings = self.resolve()?;
        settings.place.check()?;
        let interrupt = Interrupt::listen()?;
        let (rounds, attempts) = (settings.rounds, settings.attempts);
        let mut comparison = Comparison::new(settings.apps.len(), rounds, attempts, settings.seed);
        // What there is may have taken hours, whatever ended it.
        let made = steps(&settings, &mut comparison, &interrupt);
        let answer = Answer::of(&comparison);
        let json = json::document(&settings, &comparison, &answer);
        settings.outputs.emit(&answer::text(&settings, &comparison, &answer), &json)?;
        if settings.outputs.wants_report() {
            settings.outputs.report(&report::html(&settings, &comparison, &answer))?;
        }
        match (made?, answer.rounds.is_empty()) {
            (false, _) => Err(Failure::Interrupted),
            (true, false) => Ok(()),
            (true, true) => Err(anyhow::anyhow!("no round is whole: runs of each failed").into()),
        }
    }
}

/// Makes all steps that are left. False if somebody asked to stop.
fn steps(settings: &Settings, comparison: &mut Comparison, interrupt: &Interrupt) -> Result<bool> {
    let progress = Progress::begin("comparing").without_guess();
    while let Some(step) = comparison.next() {
        let (done, left) = (comparison.steps().len(), comparison.left());
        progress.steps((done + left) as u64);
        progress.at(done as u64);
        let what = with(settings, step);
        progress.doing(&what);
        let Some(timed) = make(settings, step, &what, interrupt).with_context(|| what.clone())?
        else {
            return Ok(false);
        };
        let said: Vec<String> = members(settings, step.setting)
            .zip(&timed)
            .map(|(app, of)| answer::ended(&settings.apps[app].name, of))
            .collect();
        progress.say(&format!("{} of {}, {what}: {}", done + 1, done + left, said.join(", ")));
        comparison.made(timed);
    }
    progress.end();
    Ok(true)
}

/// The programs of a setting, by number.
fn members(settings: &Settings, setting: Setting) -> std::ops::Range<usize> {
    match setting {
        Setting::Alone(app) => app..app + 1,
        Setting::Together(_) => 0..settings.apps.len(),
    }
}

/// A step, in a few words.
fn with(settings: &Settings, step: Step) -> String {
    let again = match step.failed {
        0 => String::new(),
        failed => format!(", after {failed} that failed"),
    };
    format!("round {}, {}{again}", step.round, answer::setting(settings, step.setting))
}

/// Runs what a step is. None if somebody asked to stop.
fn make(
    settings: &Settings,
    step: Step,
    title: &str,
    interrupt: &Interrupt,
) -> Result<Option<Vec<Timed>>> {
    if interrupt.asked() {
        return Ok(None);
    }
    writeln!(&settings.printed, "== {title}")
        .with_context(|| format!("writing {}", settings.output.display()))?;
    let controller = match step.setting {
        Setting::Alone(_) | Setting::Together(Sharing::Uncontrolled) => None,
        Setting::Together(sharing) => match Controller::start(settings, sharing, interrupt)? {
            None => return Ok(None),
            started => started,
        },
    };
    let program = |app: usize| {
        Ok((settings.shell(&settings.apps[app].command), settings.printed.try_clone()?))
    };
    let programs = members(settings, step.setting).map(program).collect::<Result<_>>();
    let ran = programs.and_then(|all| program::run(all, settings.timeout, interrupt));
    // Whatever became of the runs, ports are to be as they were.
    let stopped = controller.map_or(Ok(()), Controller::stop);
    let ran = ran?;
    stopped?;
    Ok(match ran {
        Ended::Themselves(timed) => Some(timed),
        Ended::Interrupted => None,
    })
}
