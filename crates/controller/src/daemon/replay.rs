//! [`Replay`]: recordings that are heard again.

use super::recording::{Beginning, FORM, Line, Sum};
use crate::core::{Core, Output};
use std::io::{self, BufRead};
use std::time::Duration;

/// What came of hearing a file again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How often the daemon was started.
    pub starts: u64,
    /// How often it went on from another file.
    pub parts: u64,
    /// How often what was heard just before that is not there.
    pub gaps: u64,
    /// How many inputs there were.
    pub inputs: u64,
    /// How many outputs there were.
    pub outputs: u64,
    /// Orders to ports.
    pub orders: u64,
    /// How many starts have their last line cut, as of a daemon that was killed.
    pub cut: u64,
    /// The first line to which something else was said than then.
    pub differs: Option<u64>,
}

/// Why a recording can't be heard again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It can't be read.
    #[error("can't be read: {0}")]
    Io(#[from] io::Error),
    /// A line is no line of a recording.
    #[error("line {line}: {why}")]
    Line {
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
}

/// A core that hears recordings again, one after another.
#[derive(Debug, Default)]
pub struct Replay {
    core: Option<Core>,
}

impl Replay {
    /// Hears all of a file; `said` gets each output with its line's number and time.
    pub fn run(
        &mut self,
        mut from: impl BufRead,
        mut said: impl FnMut(u64, Duration, &Output),
    ) -> Result<Replayed, ReplayError> {
        let mut done = Replayed::default();
        let (mut text, mut number) = (String::new(), 0);
        let mut is_begun = false;
        // A line that can't be read. It is cut if a daemon was started after it, or nothing comes.
        let mut unread: Option<ReplayError> = None;
        loop {
            text.clear();
            let is_end = from.read_line(&mut text)? == 0;
            let is_beginning = text.starts_with("{\"recording\":");
            match unread.take() {
                Some(_) if is_end || is_beginning => done.cut += 1,
                Some(error) => return Err(error),
                None => {}
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
                Err(error) => {
                    unread = Some(wrong(error.to_string()));
                    continue;
                }
            };
            let Some(core) = self.core.as_mut().filter(|_| is_begun) else {
                return Err(wrong("an input before what the core began with".into()));
            };
            let (at, mut sum) = (Duration::from_nanos(line.at_ns), Sum::new());
            done.inputs += 1;
            core.handle(at, line.input);
            while let Some(output) = core.poll() {
                sum.add(&output);
                done.outputs += 1;
                done.orders += u64::from(matches!(output, Output::Order { .. }));
                said(number, at, &output);
            }
            if sum.text() != line.said && done.differs.is_none() {
                done.differs = Some(number);
            }
        }
    }

    fn begin(&mut self, beginning: &Beginning, done: &mut Replayed) -> Result<(), String> {
        if beginning.recording != FORM {
            let found = beginning.recording;
            return Err(format!("form {found}, where this program knows {FORM}"));
        }
        match &beginning.moment {
            None => done.starts += 1,
            Some(moment) => {
                done.parts += 1;
                let before = self.core.as_ref().map(Core::moment);
                done.gaps += u64::from(before.is_some_and(|before| before != **moment));
            }
        }
        self.core = Some(beginning.core()?);
        Ok(())
    }
}
