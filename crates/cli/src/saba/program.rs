//! Running programs whose time is taken, and ending what does not end.

use crate::interrupt::Interrupt;
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

/// How programs that ran at once ended.
#[derive(Debug)]
pub enum Ended {
    /// By themselves, or because their time was over: what came of each, in their order.
    Themselves(Vec<Timed>),
    /// Somebody asked to stop.
    Interrupted,
}

/// How often somebody may have asked to stop. A program's end is seen at once, whatever this is.
const LOOK: Duration = Duration::from_millis(50);
/// How long a program has to end when it is told to.
const GRACE: Duration = Duration::from_secs(5);

/// A program that runs; one that has not ended is ended when this goes.
///
/// It is a process group of its own: Ctrl-C at the terminal does not reach it but through us, and whatever it
/// started ends with it where it is ended.
#[derive(Debug)]
pub struct Running {
    group: Pid,
    began: Instant,
    ends: Receiver<(io::Result<ExitStatus>, Instant)>,
    ended: Option<(ExitStatus, Instant)>,
}

impl Running {
    /// Starts it, its output to a file.
    pub fn start(program: &mut Command, output: File) -> Result<Self> {
        program.process_group(0);
        program.stdin(Stdio::null()).stderr(output.try_clone()?).stdout(output);
        let began = Instant::now();
        let name = program.get_program().to_string_lossy().into_owned();
        let mut child = program.spawn().context(name)?;
        let group = Pid::from_child(&child);
        let (ended, ends) = channel();
        std::thread::spawn(move || {
            let status = child.wait();
            // Nobody listens any more where it had to be killed.
            let _ = ended.send((status, Instant::now()));
        });
        Ok(Running { group, began, ends, ended: None })
    }

    /// How it ended, if it does so within that time.
    pub fn wait(&mut self, within: Duration) -> Result<Option<ExitStatus>> {
        if self.ended.is_none() {
            match self.ends.recv_timeout(within) {
                Ok((status, at)) => self.ended = Some((status?, at)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the thread sends before it ends")
                }
            }
        }
        Ok(self.ended.map(|(status, _)| status))
    }

    /// Asks it and all that it started to end.
    pub fn ask_to_end(&self) {
        // A group that is gone needs no more.
        let _ = kill_process_group(self.group, Signal::TERM);
    }

    /// What came of it so far: what has not ended is late.
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
        self.ask_to_end();
        let ended = self.ends.recv_timeout(GRACE).is_ok();
        let _ = kill_process_group(self.group, Signal::KILL);
        if !ended {
            let _ = self.ends.recv_timeout(GRACE);
        }
    }
}

/// Runs programs at once, until all have ended or that time is over.
pub fn run(
    programs: Vec<(Command, File)>,
    longest: Option<Duration>,
    interrupt: &Interrupt,
) -> Result<Ended> {
    let began = Instant::now();
    let start = |(mut program, output)| Running::start(&mut program, output);
    let mut running = programs.into_iter().map(start).collect::<Result<Vec<Running>>>()?;
    let mut asked = false;
    while let Some(first) = running.iter_mut().find(|of| of.ended.is_none()) {
        let over = longest.is_some_and(|longest| began.elapsed() >= longest);
        asked = interrupt.asked();
        if asked || over {
            break;
        }
        first.wait(LOOK)?;
        // One after the other, so that those behind it are known to have ended when it has.
        for of in &mut running {
            of.wait(Duration::ZERO)?;
        }
    }
    let timed = running.iter().map(Running::timed).collect();
    // All at once: each that stays has some time for it.
    running.iter().filter(|of| of.ended.is_none()).for_each(Running::ask_to_end);
    drop(running);
    Ok(if asked { Ended::Interrupted } else { Ended::Themselves(timed) })
}

fn outcome(status: ExitStatus) -> Outcome {
    match (status.code(), status.signal()) {
        (Some(0), _) => Outcome::Success,
        (Some(code), _) => Outcome::Code(code),
        (None, signal) => Outcome::Signal(signal.unwrap_or_default()),
    }
}
