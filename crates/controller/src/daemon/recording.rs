//! [`Recording`] and [`Replay`]: all that a core heard, written down and heard again.

use super::audit::continued;
use crate::core::{Change, Core, Group, Input, Output, Profiles, Rules, State};
use bandwise_input::Source;
use bandwise_saba::table::read;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::time::Duration;

/// What a core began with: the first line of its part of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Beginning {
    /// In which form the recording is.
    pub recording: u32,
    /// The version of this program that made it.
    pub version: String,
    /// What the core went by.
    pub rules: Rules,
    /// What the starts of K-means were drawn from.
    pub seed: u64,
    /// How many levels could be told apart.
    pub levels: NonZeroU16,
    /// The sensitivity table's text.
    pub table: String,
    /// What was stored.
    pub stored: Vec<Change>,
    /// Where several share a store: what it is called among others, and what the store had come to.
    #[serde(default)]
    pub among_others: Option<(Group, u64)>,
}

/// The form of recordings.
const FORM: u32 = 3;

/// An input, and a sum over what was said to it.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    at_ns: u64,
    input: Input,
    said: String,
}

impl Beginning {
    /// What a core begins with.
    pub fn new(
        rules: Rules,
        (levels, seed): (NonZeroU16, u64),
        table: String,
        stored: &State,
    ) -> Self {
        let (recording, version) = (FORM, env!("CARGO_PKG_VERSION").to_owned());
        let stored = stored.records().collect();
        let among_others = None;
        Beginning { recording, version, rules, seed, levels, table, stored, among_others }
    }

    /// A core that begins so.
    pub fn core(&self) -> Result<Core, String> {
        let table = read::any(&Source::new("the table", &self.table)).map_err(|e| e.to_string())?;
        let (profiles, stored) =
            (Profiles::new(table, self.levels, self.seed), State::of(self.stored.clone()));
        let core = Core::new(self.rules, self.rules.sharing(), profiles, stored, Duration::ZERO);
        let core = core.map_err(|error| error.to_string())?;
        Ok(match &self.among_others {
            Some((own, revision)) => core.among_others(own.clone(), *revision),
            None => core,
        })
    }
}

/// A sum over outputs (FNV-1a, 64 bits): other outputs have another one, but for chance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum(u64);

impl Sum {
    pub(super) fn new() -> Self {
        Sum(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, output: &Output) {
        // Writing to a sum doesn't fail.
        let _ = serde_json::to_writer(self, output);
    }

    pub(super) fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Write for &mut Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file with all that cores have heard, one start after another.
#[derive(Debug)]
pub struct Recording(BufWriter<File>);

impl Recording {
    /// Goes on in this file, or begins it.
    pub fn begin(path: &Path, beginning: &Beginning) -> io::Result<Self> {
        let mut recording = Recording(BufWriter::new(continued(path)?));
        recording.line(beginning)?;
        recording.flush()?;
        Ok(recording)
    }

    pub(super) fn heard(&mut self, at: Duration, input: Input, said: Sum) -> io::Result<()> {
        let at_ns = at.as_nanos() as u64;
        self.line(&Line { at_ns, input, said: said.text() })
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, line)?;
        self.0.write_all(b"\n")
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What came of hearing it all again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// How often the daemon was started.
    pub starts: u64,
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

/// A recording that is heard again.
#[derive(Debug)]
pub struct Replay;

impl Replay {
    /// Hears all of it; `said` gets each output with its line's number and time.
    pub fn run(
        mut from: impl BufRead,
        mut said: impl FnMut(u64, Duration, &Output),
    ) -> Result<Replayed, ReplayError> {
        let (starts, inputs, outputs, orders) = (0, 0, 0, 0);
        let mut done = Replayed { starts, inputs, outputs, orders, cut: 0, differs: None };
        let mut core: Option<Core> = None;
        let (mut text, mut number) = (String::new(), 0);
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
                let beginning: Beginning =
                    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
                if beginning.recording != FORM {
                    let found = beginning.recording;
                    return Err(wrong(format!("form {found}, where this program knows {FORM}")));
                }
                core = Some(beginning.core().map_err(wrong)?);
                done.starts += 1;
                continue;
            }
            let line: Line = match serde_json::from_str(&text) {
                Ok(line) => line,
                Err(error) => {
                    unread = Some(wrong(error.to_string()));
                    continue;
                }
            };
            let Some(core) = &mut core else {
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
}
