//! Running the program that is profiled.

use super::links::SHARE;
use crate::interrupt::Interrupt;
use anyhow::{Context, Result};
use bandwise_profiler::Outcome;
use bandwise_saba::Share;
use bandwise_units::Time;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What a run is limited to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The share of the bandwidth; the program may want to know.
    pub share: Share,
    /// The longest that it may take.
    pub longest: Option<Duration>,
}

/// How a run ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself, or because its time was over.
    Itself {
        /// From its start to its end.
        time: Time,
        /// How.
        outcome: Outcome,
    },
    /// Somebody asked to stop.
    Interrupted,
}

/// How often somebody may have asked to stop. A run's end is seen at once, whatever this is.
const LOOK: Duration = Duration::from_millis(50);
/// How long a program has to end when it is told to.
const GRACE: Duration = Duration::from_secs(5);

/// Runs it, its output to a file.
///
/// It is a process group of its own: Ctrl-C at the terminal does not reach it but through us, and whatever it
/// started ends with it where it is ended.
pub(super) fn run(
    command: &[OsString],
    limits: Limits,
    output: File,
    interrupt: &Interrupt,
) -> Result<Ended> {
    let mut program = Command::new(&command[0]);
    program.args(&command[1..]).env(SHARE, limits.share.get().to_string()).process_group(0);
    program.stdin(Stdio::null()).stderr(output.try_clone()?).stdout(output);
    let began = Instant::now();
    let mut child = program.spawn().with_context(|| command[0].to_string_lossy().into_owned())?;
    let group = Pid::from_child(&child);
    let (ended, ends) = channel();
    std::thread::spawn(move || {
        let status = child.wait();
        // Nobody listens any more where it had to be killed.
        let _ = ended.send((status, Instant::now()));
    });
    loop {
        match ends.recv_timeout(LOOK) {
            Ok((status, at)) => {
                let time = Time::from_ns((at - began).as_nanos().max(1) as u64);
                return Ok(Ended::Itself { time, outcome: outcome(status?) });
            }
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread sends before it ends"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupt.asked() {
            end(group, &ends);
            return Ok(Ended::Interrupted);
        }
        let took = began.elapsed();
        if limits.longest.is_some_and(|longest| took >= longest) {
            end(group, &ends);
            let time = Time::from_ns(took.as_nanos() as u64);
            return Ok(Ended::Itself { time, outcome: Outcome::Late });
        }
    }
}

fn outcome(status: ExitStatus) -> Outcome {
    match (status.code(), status.signal()) {
        (Some(0), _) => Outcome::Well,
        (Some(code), _) => Outcome::Code(code),
        (None, signal) => Outcome::Signal(signal.unwrap_or_default()),
    }
}

/// Ends a program with all that it started, first kindly.
fn end<T>(group: Pid, ends: &Receiver<T>) {
    // A group that is gone needs no more.
    let _ = kill_process_group(group, Signal::TERM);
    let ended = ends.recv_timeout(GRACE).is_ok();
    let _ = kill_process_group(group, Signal::KILL);
    if !ended {
        let _ = ends.recv_timeout(GRACE);
    }
}
