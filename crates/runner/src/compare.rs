//! [`Together`]: programs that run alone and together, with links shared in three ways (Saba 4.6).

use crate::controller::Controller;
use crate::process;
use crate::{Completion, ControllerSettings, OutputFile};
use anyhow::{Context, Result};
use bandwise_profiler::{Comparison, Outcome, Setting, Sharing, Step, Timed};
use std::process::Command;
use std::time::Duration;

/// A program to compare.
#[derive(Debug, Clone)]
pub struct Program {
    /// The name in the sensitivity table.
    pub name: String,
    /// The command line for `sh`.
    pub command: String,
}

/// The programs to compare, and the controller that shares their links.
#[derive(Debug)]
pub struct Together {
    /// The programs.
    pub programs: Vec<Program>,
    /// The longest time of a step.
    pub timeout: Option<Duration>,
    /// A command line for `sh` that exits with 0 if programs are ready for a new controller.
    pub ready: Option<String>,
    /// The settings of controllers.
    pub controller: ControllerSettings,
    /// The file for the output of programs and controllers.
    pub output: OutputFile,
}

/// The progress of a comparison.
#[derive(Debug)]
pub enum CompareEvent<'a> {
    /// A step begins.
    Started {
        /// The number of the step, counted from 1.
        number: usize,
        /// The number of all steps, as far as known.
        of: usize,
        /// The step as text.
        title: &'a str,
    },
    /// A step has ended.
    Ended {
        /// The number of the step, counted from 1.
        number: usize,
        /// The number of all steps, as far as known.
        of: usize,
        /// The step as text.
        title: &'a str,
        /// The names of the programs, and their results.
        results: Vec<(&'a str, &'a Timed)>,
    },
}

impl Together {
    /// Makes all remaining steps. Ports are restored after each step.
    ///
    /// # Errors
    ///
    /// Returns an error if a controller fails, or if a file can't be written. A program that fails
    /// is no error.
    pub fn run(
        &self,
        comparison: &mut Comparison,
        interrupted: &dyn Fn() -> bool,
        on_event: &mut dyn FnMut(CompareEvent),
    ) -> Result<Completion> {
        while let Some(step) = comparison.next() {
            let number = comparison.steps().len() + 1;
            let of = comparison.steps().len() + comparison.left();
            let title = &*self.title(step);
            on_event(CompareEvent::Started { number, of, title });
            let made = self.make(step, title, interrupted).with_context(|| title.to_owned())?;
            let Some(timed) = made else { return Ok(Completion::Interrupted) };
            let names = step.setting.programs(self.programs.len());
            let names = names.map(|program| self.programs[program].name.as_str());
            let results = names.zip(&timed).collect();
            on_event(CompareEvent::Ended { number, of, title, results });
            comparison.made(timed);
        }
        Ok(Completion::Complete)
    }

    /// Returns a setting as text.
    pub fn describe(&self, setting: Setting) -> String {
        match setting {
            Setting::Alone(program) => format!("{} alone", self.programs[program].name),
            Setting::Together(sharing) => format!("all, shared by {sharing}"),
        }
    }

    /// Returns a step as text.
    fn title(&self, step: Step) -> String {
        let again = match step.failed {
            0 => String::new(),
            failed => format!(", after {failed} that failed"),
        };
        format!("round {}, {}{again}", step.round, self.describe(step.setting))
    }

    /// Makes a step. Returns `None` if the caller asks to stop.
    fn make(
        &self,
        step: Step,
        title: &str,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Timed>>> {
        if interrupted() {
            return Ok(None);
        }
        self.output.headline(title)?;
        let controller = match step.setting {
            Setting::Alone(_) | Setting::Together(Sharing::Uncontrolled) => None,
            Setting::Together(sharing) => {
                let unready = |left| self.unready(left, interrupted);
                let (settings, output) = (&self.controller, &self.output);
                match Controller::start(settings, sharing, output, &unready, interrupted)? {
                    None => return Ok(None),
                    started => started,
                }
            }
        };
        let program = |program: usize| {
            Ok((self.shell(&self.programs[program].command), self.output.for_program()?))
        };
        let programs =
            step.setting.programs(self.programs.len()).map(program).collect::<Result<_>>();
        let ran = programs.and_then(|all| process::run(all, self.timeout, interrupted));
        // The controller also stops after an error, because it restores ports.
        let stopped = controller.map_or(Ok(()), Controller::stop);
        let ran = ran?;
        stopped?;
        Ok(ran)
    }

    /// Runs the user's command once. Returns the reason for which programs are not ready, if there
    /// is one.
    fn unready(&self, left: Duration, interrupted: &dyn Fn() -> bool) -> Result<Option<String>> {
        let Some(command) = &self.ready else { return Ok(None) };
        let checks = vec![(self.shell(command), self.output.for_program()?)];
        Ok(match process::run(checks, Some(left), interrupted)? {
            Some(timed) => match &timed[0].outcome {
                Outcome::Success => None,
                Outcome::Late => Some(format!("--ready {command}: does not end")),
                outcome => Some(format!("--ready {command}: {outcome}")),
            },
            None => Some("interrupted".into()),
        })
    }

    /// Returns a command of the user, with the controller's address in its environment.
    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).env("SABA_CONTROLLER", self.controller.address());
        shell
    }
}
