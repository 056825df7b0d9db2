//! [`Links`]: the links of a profiled program.

use crate::process::Running;
use crate::{Completion, Devices, Unfit};
use anyhow::{Context, Error, Result, bail};
use bandwise_lab::Limited;
use bandwise_saba::Share;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek};
use std::process::Command;
use std::time::{Duration, Instant};

/// The environment variable with the share, as a fraction of 1. Commands that limit links and
/// profiled programs have it.
pub const SHARE: &str = "BANDWISE_SHARE";

/// The links of a program's hosts, by the method of limiting them.
#[derive(Debug)]
pub enum Links {
    /// The links of a lab.
    Lab(Limited),
    /// The devices by which this host sends.
    Devices(Devices),
    /// Links that a command of the user limits. It reads [`SHARE`].
    Command(String),
}

impl fmt::Display for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Links::Lab(lab) => write!(f, "{lab}"),
            Links::Devices(devices) => write!(f, "{devices}"),
            Links::Command(line) => write!(f, "links limited by {line}"),
        }
    }
}

impl Links {
    /// Checks that the links can be limited to these shares. Changes nothing.
    ///
    /// # Errors
    ///
    /// Returns an error for the first share that is too small.
    pub fn check(&self, shares: &[Share]) -> Result<(), Unfit> {
        match self {
            Links::Lab(lab) => lab.check(shares).map_err(|error| {
                let allowed = "shares with which a link of the lab has 1 Mbps or more";
                Unfit::new(error.to_string(), allowed)
            }),
            Links::Devices(devices) => devices.check(shares),
            Links::Command(_) => Ok(()),
        }
    }

    /// Limits all links to a share of their rate. Returns [`Completion::Interrupted`] if the caller
    /// asks to stop before a command has limited them.
    pub(crate) fn limit(
        &mut self,
        share: Share,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Completion> {
        let done = |result: Result<()>| result.map(|()| Completion::Complete);
        match self {
            Links::Lab(lab) => done(lab.limit(share).map_err(Error::from)),
            Links::Devices(devices) => done(devices.limit(share)),
            Links::Command(line) => limit_by(line, share, interrupted),
        }
        .with_context(|| format!("limiting links to {share}"))
    }

    /// Restores the links. Returns [`Completion::Interrupted`] if the caller asks to stop and the
    /// command does not end soon: it runs on, because links without it would stay limited.
    pub(crate) fn restore(&mut self, interrupted: &dyn Fn() -> bool) -> Result<Completion> {
        let done = |result: Result<()>| result.map(|()| Completion::Complete);
        match self {
            Links::Lab(lab) => done(lab.restore().map_err(Error::from)),
            Links::Devices(devices) => done(devices.restore()),
            Links::Command(line) => restore_by(line, interrupted),
        }
    }
}

/// The time that a command has to restore links after an interrupt, before this program ends
/// without it.
const PATIENCE: Duration = Duration::from_millis(400);

fn limit_by(line: &str, share: Share, interrupted: &dyn Fn() -> bool) -> Result<Completion> {
    let mut limiter = Limiter::start(line, share)?;
    let completion = limiter.wait(interrupted)?;
    if completion == Completion::Interrupted {
        limiter.running.interrupt();
    }
    Ok(completion)
}

fn restore_by(line: &str, interrupted: &dyn Fn() -> bool) -> Result<Completion> {
    let mut limiter = Limiter::start(line, Share::ALL)?;
    let began = Instant::now();
    let completion = limiter.wait(&|| began.elapsed() >= PATIENCE && interrupted())?;
    if completion == Completion::Interrupted {
        limiter.running.leave();
    }
    Ok(completion)
}

/// A run of the user's command.
struct Limiter<'a> {
    line: &'a str,
    running: Running,
    output: File,
}

impl<'a> Limiter<'a> {
    fn start(line: &'a str, share: Share) -> Result<Self> {
        let output = tempfile::tempfile().context("no file for the output of a command")?;
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env(SHARE, share.get().to_string());
        let running = Running::start(&mut shell, output.try_clone()?)?;
        Ok(Limiter { line, running, output })
    }

    /// Waits until the command ends, or until `stop` returns `true`.
    ///
    /// # Errors
    ///
    /// Returns an error with the command's output if it fails.
    fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<Completion> {
        let Some(status) = self.running.wait_unless(stop)? else {
            return Ok(Completion::Interrupted);
        };
        if status.success() {
            return Ok(Completion::Complete);
        }
        let mut printed = Vec::new();
        self.output.rewind()?;
        self.output.read_to_end(&mut printed)?;
        let printed = String::from_utf8_lossy(&printed);
        bail!("`{}` ended with {status}: {}", self.line, printed.trim())
    }
}
