//! [`Profile`]: a program that runs with several shares of the bandwidth (Saba 4.2).

use crate::process;
use crate::{Completion, JournalFile, Links, SHARE};
use anyhow::{Context, Result};
use bandwise_profiler::{Campaign, Next, Run, Timed};
use bandwise_units::Time;
use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

/// A program to profile, and its links.
#[derive(Debug)]
pub struct Profile {
    /// The program and its arguments. The environment variable [`SHARE`] has the share.
    pub command: Vec<OsString>,
    /// The longest time of a run.
    pub timeout: Option<Duration>,
    /// The links that are limited.
    pub links: Links,
}

/// The progress of a profile.
#[derive(Debug)]
pub enum ProfileEvent<'a> {
    /// A run begins.
    Started {
        /// The number of the run, counted from 1.
        number: usize,
        /// The number of all runs, as far as known.
        of: usize,
        /// The run.
        next: Next,
        /// The expected time of this run and all later ones.
        time_left: Option<Time>,
    },
    /// A run has ended.
    Ended {
        /// The number of the run, counted from 1.
        number: usize,
        /// The number of all runs, as far as known.
        of: usize,
        /// The run.
        next: Next,
        /// The result.
        run: &'a Run,
    },
    /// The caller asked to stop, and the command that restores the links still runs.
    StillRestoring {
        /// The links.
        links: &'a Links,
    },
}

impl Profile {
    /// Makes the remaining runs, and restores the links, also after an error or without a remaining
    /// run.
    ///
    /// # Errors
    ///
    /// Returns an error if the program can't be started, or if links or files can't be written. A
    /// program that fails is no error.
    ///
    /// # Panics
    ///
    /// Panics if the command has no word.
    pub fn run(
        &mut self,
        campaign: &mut Campaign,
        journal: &mut JournalFile,
        interrupted: &dyn Fn() -> bool,
        on_event: &mut dyn FnMut(ProfileEvent),
    ) -> Result<Completion> {
        let made = self.make_all(campaign, journal, interrupted, on_event);
        // Restores even without a run, because an earlier process may have been killed between its
        // last run and its restore.
        let restored = self.links.restore(interrupted).context("links are still limited");
        if let Ok(Completion::Interrupted) = restored {
            on_event(ProfileEvent::StillRestoring { links: &self.links });
        }
        made.and_then(|made| restored.map(|_| made))
    }

    fn make_all(
        &mut self,
        campaign: &mut Campaign,
        journal: &mut JournalFile,
        interrupted: &dyn Fn() -> bool,
        on_event: &mut dyn FnMut(ProfileEvent),
    ) -> Result<Completion> {
        while let Some(next) = campaign.next() {
            if interrupted() {
                return Ok(Completion::Interrupted);
            }
            let number = campaign.runs().len() + 1;
            let of = campaign.runs().len() + campaign.left();
            let time_left = campaign.time_left();
            on_event(ProfileEvent::Started { number, of, next, time_left });
            if self.links.limit(next.share, interrupted)? == Completion::Interrupted {
                return Ok(Completion::Interrupted);
            }
            let output = journal.output()?;
            output.headline(&format!("run {number}: {next}"))?;
            let mut command = Command::new(&self.command[0]);
            command.args(&self.command[1..]).env(SHARE, next.share.get().to_string());
            let programs = vec![(command, output.for_program()?)];
            let Some(timed) = process::run(programs, self.timeout, interrupted)? else {
                return Ok(Completion::Interrupted);
            };
            let [Timed { time, outcome }] = <[Timed; 1]>::try_from(timed).expect("one was run");
            let run = Run { share: next.share, purpose: next.purpose, time, outcome };
            journal.add(&run)?;
            on_event(ProfileEvent::Ended { number, of, next, run: &run });
            campaign.made(run);
        }
        Ok(Completion::Complete)
    }
}
