//! [`Recording`]: all that a core heard, written down for another to hear again.

use super::RotatingFile;
use crate::core::{Change, Core, Group, Input, Moment, Output, Profiles, Rules, State};
use bandwise_input::Source;
use bandwise_saba::table::read;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU16;
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
    /// What was stored when it was started.
    pub stored: Vec<Change>,
    /// Where several share a store: what it is called among others, and what the store had come to.
    pub among_others: Option<(Group, u64)>,
    /// Where the core had heard something before, in another file: what it was then, in place of what was stored.
    pub moment: Option<Box<Moment>>,
}

/// The form of recordings.
pub(super) const FORM: u32 = 4;

/// An input, and a sum over what was said to it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) at_ns: u64,
    pub(super) input: Input,
    pub(super) said: String,
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
        let (among_others, moment) = (None, None);
        Beginning { recording, version, rules, seed, levels, table, stored, among_others, moment }
    }

    /// A core that begins so.
    pub fn core(&self) -> Result<Core, String> {
        let table = read::any(&Source::new("the table", &self.table)).map_err(|e| e.to_string())?;
        let profiles = Profiles::new(table, self.levels, self.seed);
        let (rules, settings) = (self.rules, self.rules.sharing());
        if let Some(moment) = &self.moment {
            let core = Core::resumed(rules, settings, profiles, (**moment).clone());
            return core.map_err(|error| error.to_string());
        }
        let stored = State::of(self.stored.clone());
        let core = Core::new(rules, settings, profiles, stored, Duration::ZERO);
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

/// A file with all that cores have heard, one start after another, and those that were full before it. Each can be heard
/// again by itself.
#[derive(Debug)]
pub struct Recording {
    rotating: RotatingFile,
    /// Of this start, with nothing stored.
    beginning: Beginning,
    file: Counted,
    /// How long the last beginning in the file is, and where it ends.
    began: (u64, u64),
}

impl Recording {
    /// Goes on in this file, or begins it.
    pub fn begin(rotating: RotatingFile, mut beginning: Beginning) -> io::Result<Self> {
        rotating.check()?;
        let (mut file, mut length) = rotating.open()?;
        if length >= rotating.size().get() {
            rotating.archive()?;
            (file, length) = rotating.open()?;
            rotating.prune()?;
        }
        let mut file = Counted { file: BufWriter::new(file), length };
        file.line(&beginning)?;
        file.flush()?;
        let began = (file.length - length, file.length);
        beginning.stored = Vec::new();
        beginning.among_others = None;
        Ok(Recording { rotating, beginning, file, began })
    }

    pub(super) fn heard(&mut self, at: Duration, input: Input, said: Sum) -> io::Result<()> {
        let at_ns = at.as_nanos() as u64;
        self.file.line(&Line { at_ns, input, said: said.text() })
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Whether another file is to be begun. One that begins with much gets as much of what is heard, so that what it takes
    /// to begin another is never more than what it takes to write down what was heard.
    pub(super) fn is_full(&self) -> bool {
        let (of_beginning, since) = (self.began.0, self.file.length - self.began.1);
        self.file.length >= self.rotating.size().get() && since >= of_beginning
    }

    /// Begins another file. Whatever goes wrong, what was heard before is where it was, or has its number.
    pub(super) fn begin_another(&mut self, moment: Moment) -> io::Result<()> {
        self.file.flush()?;
        let mut next = self.draft(moment)?;
        self.rotating.archive()?;
        self.rotating.install_draft()?;
        std::mem::swap(&mut self.file, &mut next);
        self.began = (self.file.length, self.file.length);
        self.rotating.prune()
    }

    /// A file that begins with this moment, beside the one that is full.
    fn draft(&mut self, moment: Moment) -> io::Result<Counted> {
        let file = BufWriter::new(self.rotating.draft()?);
        let mut next = Counted { file, length: 0 };
        self.beginning.moment = Some(Box::new(moment));
        let written = next.line(&self.beginning).and_then(|()| next.flush());
        self.beginning.moment = None;
        match written {
            Ok(()) => Ok(next),
            Err(error) => {
                // It may be what the disk is full with.
                self.rotating.drop_draft()?;
                Err(error)
            }
        }
    }
}

/// A file that knows how long it is.
#[derive(Debug)]
struct Counted {
    file: BufWriter<File>,
    length: u64,
}

impl Counted {
    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self, line)?;
        self.write_all(b"\n")
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests;
