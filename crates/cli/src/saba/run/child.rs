//! [`Signals`]: the command's process, and the signals that this program receives meanwhile.

use crate::failure::Failure;
use anyhow::Context;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use std::ffi::CString;
use std::os::fd::AsFd;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The signals that are forwarded to the command.
const FORWARDED: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

/// The time after a signal in which work may end.
const LINGER: Duration = Duration::from_millis(200);

/// The end of the command.
#[derive(Debug)]
pub(super) enum Ended {
    /// The exit code.
    Code(u8),
    /// The signal that ended it.
    Signal(i32),
    /// The reason for which the command did not start, and the shells' exit code for it.
    NotRun(String, u8),
}

impl Ended {
    /// Returns the exit code, as shells compute it.
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

/// Blocked signals, which are pending until they are read.
pub(super) struct Signals {
    read: SignalFd,
    /// The signals that were blocked before.
    before: SigSet,
}

impl Signals {
    /// Blocks signals in this thread and in the threads that it starts later.
    pub(super) fn block() -> Result<Signals, Failure> {
        let before = SigSet::thread_get_mask().context("signals can't be blocked")?;
        let mut all: SigSet = FORWARDED.into_iter().collect();
        all.add(Signal::SIGCHLD);
        all.thread_block().context("signals can't be blocked")?;
        let read = SignalFd::with_flags(&all, SfdFlags::SFD_CLOEXEC);
        Ok(Signals { read: read.context("signals can't be read")?, before })
    }

    /// Calls `work` in another thread, and returns its result, or `None` if a signal comes first. A
    /// result that comes soon after the signal is dropped before the return.
    pub(super) fn unless_signalled<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, Failure> {
        let (result, results) = channel();
        // The writing end closes when there is a result, which wakes the wait.
        let (ended, end) = std::io::pipe().context("no pipe")?;
        let call = move || {
            // After a signal the receiver may be dropped.
            let _ = result.send(work());
            drop(end);
        };
        std::thread::Builder::new().spawn(call).context("no thread")?;
        loop {
            let waits = |fd| PollFd::new(fd, PollFlags::POLLIN);
            let mut both = [waits(self.read.as_fd()), waits(ended.as_fd())];
            poll(&mut both, PollTimeout::NONE).context("signals can't be waited for")?;
            let [signalled, is_done] = both.map(|of| of.any().unwrap_or(true));
            if is_done {
                return Ok(Some(results.recv().context("the call failed")?));
            }
            let signal = if signalled { self.read.read_signal() } else { Ok(None) };
            let signal = signal.context("signals can't be read")?;
            let signal = signal.and_then(|sent| Signal::try_from(sent.ssi_signo as i32).ok());
            if signal.is_some_and(|signal| FORWARDED.contains(&signal)) {
                drop(results.recv_timeout(LINGER));
                return Ok(None);
            }
        }
    }

    /// Runs the command to its end, with only these variables. The command's signal mask is the
    /// mask that this program started with: `std::process` would leave the signals blocked, and can
    /// change that only with unsafe code.
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
            // Rust programs ignore SIGPIPE; other programs expect its default action.
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
            // The terminal sends its signals (positive codes are the kernel's) to the command too,
            // which is in the foreground process group.
            let sent = signal.filter(|signal| signal.ssi_code <= 0);
            let sent = sent.and_then(|sent| Signal::try_from(sent.ssi_signo as i32).ok());
            if let Some(signal) = sent.filter(|signal| FORWARDED.contains(signal)) {
                // The command may have just ended.
                let _ = kill(child, signal);
            }
        }
    }
}
