//! Programs as processes: [`run`] runs several at once, measures their times, and ends those that
//! exceed the timeout.

use anyhow::{Context, Result};
use bandwise_profiler::{Outcome, Timed};
use bandwise_units::Time;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The interval at which the caller is asked whether to stop. It does not delay the end of a
/// program.
const POLL: Duration = Duration::from_millis(50);
/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(5);
/// The time between SIGTERM and SIGKILL after an interrupt, which a user expects to end soon.
const GRACE_OF_INTERRUPT: Duration = Duration::from_millis(300);

/// A running program, which is ended if dropped before its end.
///
/// The program has its own process group, so that Ctrl-C at the terminal does not reach it, and its
/// child processes end with it.
#[derive(Debug)]
pub(crate) struct Running {
    group: Pid,
    began: Instant,
    ends: Receiver<(io::Result<ExitStatus>, Instant)>,
    ended: Option<(ExitStatus, Instant)>,
    /// The time of SIGKILL, after SIGTERM.
    kill_at: Option<Instant>,
}

impl Running {
    /// Starts a program with its output in a file.
    pub(crate) fn start(program: &mut Command, output: File) -> Result<Self> {
        program.process_group(0);
        program.stdin(Stdio::null()).stderr(output.try_clone()?).stdout(output);
        let began = Instant::now();
        let name = program.get_program().to_string_lossy().into_owned();
        let mut child = program.spawn().context(name)?;
        let group = Pid::from_child(&child);
        let (ended, ends) = channel();
        std::thread::spawn(move || {
            let status = child.wait();
            // After SIGKILL the receiver may be dropped.
            let _ = ended.send((status, Instant::now()));
        });
        Ok(Running { group, began, ends, ended: None, kill_at: None })
    }

    /// Waits for the end for at most `timeout`. Returns `None` if the program still runs.
    pub(crate) fn wait(&mut self, timeout: Duration) -> Result<Option<ExitStatus>> {
        if self.ended.is_none() {
            match self.ends.recv_timeout(timeout) {
                Ok((status, at)) => self.ended = Some((status?, at)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the thread sends before it ends")
                }
            }
        }
        Ok(self.ended.map(|(status, _)| status))
    }

    /// Sends SIGTERM to the program and its child processes. Dropping sends SIGKILL 5 s after that.
    pub(crate) fn terminate(&mut self) {
        self.terminate_within(GRACE);
    }

    /// Sends SIGTERM to the program and its child processes. Dropping sends SIGKILL soon after that.
    pub(crate) fn interrupt(&mut self) {
        self.terminate_within(GRACE_OF_INTERRUPT);
    }

    fn terminate_within(&mut self, grace: Duration) {
        self.kill_at = Some(Instant::now() + grace);
        // The group may have ended already.
        let _ = kill_process_group(self.group, Signal::TERM);
    }

    /// Lets the program run on after the end of this one.
    pub(crate) fn leave(self) {
        std::mem::forget(self);
    }

    /// Waits until the program ends. Returns `None` if `stop` returns `true` before.
    pub(crate) fn wait_unless(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<ExitStatus>> {
        loop {
            match self.wait(POLL)? {
                None if stop() => return Ok(None),
                None => {}
                ended => return Ok(ended),
            }
        }
    }

    /// Returns the result so far; a program that still runs is late.
    fn timed(&self) -> Timed {
        let (at, outcome) = match self.ended {
            Some((status, at)) => (at, outcome(status)),
            None => (Instant::now(), Outcome::Late),
        };
        let time = Time::from_ns((at - self.began).as_nanos().max(1) as u64);
        Timed { time, outcome }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended.is_some() {
            return;
        }
        if self.kill_at.is_none() {
            self.terminate();
        }
        let left = self.kill_at.map(|at| at.saturating_duration_since(Instant::now()));
        let ended = self.ends.recv_timeout(left.unwrap_or_default()).is_ok();
        let _ = kill_process_group(self.group, Signal::KILL);
        if !ended {
            let _ = self.ends.recv_timeout(GRACE);
        }
    }
}

/// Runs programs at once, until all have ended or `timeout` is over. Returns their results in order,
/// or `None` if the caller asked to stop.
pub(crate) fn run(
    programs: Vec<(Command, File)>,
    timeout: Option<Duration>,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<Vec<Timed>>> {
    let began = Instant::now();
    let start = |(mut program, output)| Running::start(&mut program, output);
    let mut running = programs.into_iter().map(start).collect::<Result<Vec<Running>>>()?;
    let mut stopped = false;
    while let Some(first) = running.iter_mut().find(|of| of.ended.is_none()) {
        let over = timeout.is_some_and(|timeout| began.elapsed() >= timeout);
        stopped = interrupted();
        if stopped || over {
            break;
        }
        first.wait(POLL)?;
        // Later programs may have ended meanwhile.
        for of in &mut running {
            of.wait(Duration::ZERO)?;
        }
    }
    let timed = running.iter().map(Running::timed).collect();
    // All programs get SIGTERM first, so that their grace periods run at the same time.
    let end = if stopped { Running::interrupt } else { Running::terminate };
    running.iter_mut().filter(|of| of.ended.is_none()).for_each(end);
    drop(running);
    Ok(if stopped { None } else { Some(timed) })
}

fn outcome(status: ExitStatus) -> Outcome {
    match (status.code(), status.signal()) {
        (Some(0), _) => Outcome::Success,
        (Some(code), _) => Outcome::Code(code),
        (None, signal) => Outcome::Signal(signal.unwrap_or_default()),
    }
}
