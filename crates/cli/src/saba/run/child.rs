//! [`Signals`]: the command while it runs, and what is sent to this program meanwhile.

use crate::failure::Failure;
use anyhow::Context;
use nix::errno::Errno;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use std::ffi::CString;

/// The signals that are forwarded to the command.
const FORWARDED: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

/// The end of the command.
#[derive(Debug)]
pub(super) enum Ended {
    /// The exit code.
    Code(u8),
    /// The signal that ended it.
    Signal(i32),
    /// The reason for which it did not start, and the code that shells have for it.
    NotRun(String, u8),
}

impl Ended {
    /// Returns the exit code as shells have it.
    pub(super) fn code(&self) -> u8 {
        match self {
            Ended::Code(code) | Ended::NotRun(_, code) => *code,
            Ended::Signal(signal) => 128 + *signal as u8,
        }
    }

    pub(super) fn signal(&self) -> Option<i32> {
        match self {
            Ended::Signal(signal) => Some(*signal),
            Ended::Code(_) | Ended::NotRun(..) => None,
        }
    }
}

/// Signals, which wait until they are read.
pub(super) struct Signals {
    read: SignalFd,
    /// The signals that were blocked before.
    before: SigSet,
}

impl Signals {
    /// Blocks signals in this thread and in those that it starts from now on.
    pub(super) fn block() -> Result<Signals, Failure> {
        let before = SigSet::thread_get_mask().context("signals can't be blocked")?;
        let mut all: SigSet = FORWARDED.into_iter().collect();
        all.add(Signal::SIGCHLD);
        all.thread_block().context("signals can't be blocked")?;
        let read = SignalFd::with_flags(&all, SfdFlags::SFD_CLOEXEC);
        Ok(Signals { read: read.context("signals can't be read")?, before })
    }

    /// Runs it to its end, with these variables alone. It has signals as this program had them: `std` would leave them
    /// blocked, and can do otherwise only by unsafe means.
    pub(super) fn run(
        &mut self,
        command: &[CString],
        variables: &[CString],
    ) -> Result<Ended, Failure> {
        let spawn = || {
            let mut attributes = PosixSpawnAttr::init()?;
            attributes.set_flags(
                PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF,
            )?;
            attributes.set_sigmask(&self.before)?;
            // Programs in Rust ignore it, others count on it.
            attributes.set_sigdefault(&Signal::SIGPIPE.into())?;
            let files = PosixSpawnFileActions::init()?;
            posix_spawnp(&command[0], &files, &attributes, command, variables)
        };
        let child = match spawn() {
            Ok(child) => child,
            Err(error) => {
                let code = if error == Errno::ENOENT { 127 } else { 126 };
                return Ok(Ended::NotRun(error.desc().to_owned(), code));
            }
        };
        loop {
            match waitpid(child, Some(WaitPidFlag::WNOHANG))
                .context("the command is not waited for")?
            {
                WaitStatus::Exited(_, code) => return Ok(Ended::Code(code as u8)),
                WaitStatus::Signaled(_, signal, _) => return Ok(Ended::Signal(signal as i32)),
                _ => {}
            }
            let signal = self.read.read_signal().context("signals can't be read")?;
            // Those that a terminal sends (positive codes are the kernel's) the command has by itself: it is in the
            // group that is in front.
            let sent = signal.filter(|signal| signal.ssi_code <= 0);
            let sent = sent.and_then(|sent| Signal::try_from(sent.ssi_signo as i32).ok());
            if let Some(signal) = sent.filter(|signal| FORWARDED.contains(signal)) {
                // If it has just ended, it needs none.
                let _ = kill(child, signal);
            }
        }
    }
}
