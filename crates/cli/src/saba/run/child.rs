//! [`Signals`]: the command while it runs, and what is sent to this program meanwhile.

use crate::failure::Failure;
use anyhow::Context;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::process::{Pid, kill_process};
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

/// What goes on to the command.
const FORWARDED: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

/// How the command ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// So.
    So(ExitStatus),
    /// It did not begin: why, and the code that shells have for it.
    NotRun(String, u8),
}

impl Ended {
    /// As shells have it.
    pub(super) fn code(&self) -> u8 {
        match self {
            Ended::NotRun(_, code) => *code,
            Ended::So(status) => match (status.code(), status.signal()) {
                (Some(code), _) => code as u8,
                (None, signal) => 128 + signal.unwrap_or(0) as u8,
            },
        }
    }

    pub(super) fn signal(&self) -> Option<i32> {
        match self {
            Ended::So(status) => status.signal(),
            Ended::NotRun(..) => None,
        }
    }
}

/// Signals, which wait until they are read.
pub(super) struct Signals(SignalFd);

impl Signals {
    /// From now on. The command has none of it: `std` unblocks all in a child.
    pub(super) fn block() -> Result<Signals, Failure> {
        let mut all: SigSet = FORWARDED.into_iter().collect();
        all.add(Signal::SIGCHLD);
        all.thread_block().context("signals can't be blocked")?;
        let read = SignalFd::with_flags(&all, SfdFlags::SFD_CLOEXEC);
        Ok(Signals(read.context("signals can't be read")?))
    }

    /// Runs it to its end.
    pub(super) fn run(&mut self, command: &mut Command) -> Result<Ended, Failure> {
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                let code = if error.kind() == ErrorKind::NotFound { 127 } else { 126 };
                return Ok(Ended::NotRun(error.to_string(), code));
            }
        };
        let process = Pid::from_child(&child);
        loop {
            if let Some(status) = child.try_wait().context("the command can't be waited for")? {
                return Ok(Ended::So(status));
            }
            let Some(signal) = self.0.read_signal().context("signals can't be read")? else {
                continue;
            };
            // Those that a terminal sends (positive codes are the kernel's) the command has by itself: it is in the
            // group that is in front.
            let is_forwarded =
                signal.ssi_code <= 0 && signal.ssi_signo as i32 != Signal::SIGCHLD as i32;
            if let Some(signal) = rustix::process::Signal::from_named_raw(signal.ssi_signo as i32)
                && is_forwarded
            {
                // If it has just ended, it needs none.
                let _ = kill_process(process, signal);
            }
        }
    }
}
