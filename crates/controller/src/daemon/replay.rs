//! [`Replay`]: the replay of recordings.

use super::recording::{Beginning, FIRST, FORM, Line, Sum};
use crate::core::{Core, Output};
use std::io::{self, BufRead};
use std::time::Duration;

/// The statistics of a replayed file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The number of starts of the daemon.
    pub starts: u64,
    /// The number of parts that continue another file.
    pub parts: u64,
    /// The number of parts whose preceding inputs are missing.
    pub gaps: u64,
    /// The number of inputs.
    pub inputs: u64,
    /// The number of outputs.
    pub outputs: u64,
    /// The number of orders to ports.
    pub orders: u64,
    /// The number of starts with a truncated last line, as after a kill of the daemon.
    pub cut: u64,
    /// The first line with other outputs than in the recording.
    pub differs: Option<u64>,
}

/// The reason why a recording can't be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file can't be read.
    #[error("can't be read: {0}")]
    Io(#[from] io::Error),
    /// A line is invalid.
    #[error("line {line}: {why}")]
    Line {
        /// The line's number, from 1.
        line: u64,
        /// The reason.
        why: String,
    },
}

/// A core that replays recordings, one after another.
#[derive(Debug, Default)]
pub struct Replay {
    core: Option<Core>,
}

impl Replay {
    /// Replays a file. `each` gets every output with its line's number and time.
    ///
    /// # Errors
    ///
    /// Returns a [`ReplayError`] if the file can't be read or a line is invalid.
    pub fn run(
        &mut self,
        mut from: impl BufRead,
        mut report: impl FnMut(u64, Duration, &Output),
    ) -> Result<Replayed, ReplayError> {
        let mut done = Replayed::default();
        let (mut text, mut number) = (String::new(), 0);
        let mut is_begun = false;
        // An invalid line counts as truncated if it is the last one, or if a start of the daemon follows.
        let mut unread: Option<ReplayError> = None;
        loop {
            text.clear();
            let is_end = from.read_line(&mut text)? == 0;
            let is_beginning = text.starts_with(FIRST);
            match unread.take() {
                Some(_) if is_end || is_beginning => done.cut += 1,
                Some(error) => return Err(error),
                None => {}
            }
            if is_end && !is_begun {
                let why = "the file ends before the initial state of the core".into();
                return Err(ReplayError::Line { line: number, why });
            }
            if is_end {
                return Ok(done);
            }
            number += 1;
            let wrong = |why: String| ReplayError::Line { line: number, why };
            if is_beginning {
                match serde_json::from_str(&text) {
                    Ok(beginning) => self.begin(&beginning, &mut done).map_err(wrong)?,
                    Err(error) => unread = Some(wrong(error.to_string())),
                }
                is_begun = unread.is_none();
                continue;
            }
            let line: Line = match serde_json::from_str(&text) {
                Ok(line) => line,
                Err(error) if is_begun => {
                    unread = Some(wrong(error.to_string()));
                    continue;
                }
                Err(_) => return Err(wrong("not a recording".into())),
            };
            let Some(core) = self.core.as_mut().filter(|_| is_begun) else {
                return Err(wrong("an input before the initial state of the core".into()));
            };
            let (at, mut sum) = (Duration::from_nanos(line.at_ns), Sum::new());
            done.inputs += 1;
            core.handle(at, line.input);
            while let Some(output) = core.poll() {
                sum.add(&output);
                done.outputs += 1;
                done.orders += u64::from(matches!(output, Output::Order { .. }));
                report(number, at, &output);
            }
            if sum.text() != line.outputs && done.differs.is_none() {
                done.differs = Some(number);
            }
        }
    }

    fn begin(&mut self, beginning: &Beginning, done: &mut Replayed) -> Result<(), String> {
        if beginning.recording != FORM {
            let found = beginning.recording;
            return Err(format!("recording format {found} (this program reads format {FORM})"));
        }
        match &beginning.snapshot {
            None => done.starts += 1,
            Some(snapshot) => {
                done.parts += 1;
                let before = self.core.as_ref().map(Core::snapshot);
                done.gaps += u64::from(before.is_some_and(|before| before != **snapshot));
            }
        }
        self.core = Some(beginning.core()?);
        Ok(())
    }
}
