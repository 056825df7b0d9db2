//! [`Recording`]: the serialised inputs of a core, for a replay.

use super::RotatingFile;
use crate::core::{
    Change, Clustering, Core, Group, Input, Output, Profiles, Rules, Snapshot, State,
};
use bandwise_input::Source;
use bandwise_saba::table::read;
use bandwise_units::Bytes;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The initial state of a core: the first line of each part of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Beginning {
    /// The format version of the recording.
    pub recording: u32,
    /// The version of the program that made the recording.
    pub version: String,
    /// The core's parameters.
    pub rules: Rules,
    /// The random seed of K-means.
    pub seed: u64,
    /// The number of distinguishable priority levels.
    pub levels: NonZeroU16,
    /// The text of the sensitivity table.
    pub table: String,
    /// The stored records at the start.
    pub stored: Vec<Change>,
    /// The controller's name and the store's revision, if several controllers share the store.
    pub shared: Option<(Group, u64)>,
    /// The core's state, if the part continues another file. It replaces `stored`.
    pub snapshot: Option<Box<Snapshot>>,
}

/// The format version of recordings.
pub(super) const FORM: u32 = 8;

/// The begin of the first line of a recording, before its format version.
pub(super) const FIRST: &str = "{\"recording\":";

/// A file that is not a recording, where a recording should be.
#[derive(Debug, thiserror::Error)]
#[error("{}: is not a recording", .0.display())]
pub struct NoRecording(pub PathBuf);

/// An input, and a hash of the outputs that followed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) at_ns: u64,
    pub(super) input: Input,
    /// The hash of the outputs, in hexadecimal digits.
    pub(super) outputs: String,
}

impl Beginning {
    /// Returns the initial state of a core.
    pub fn new(rules: Rules, clustering: Clustering, table: String, stored: &State) -> Self {
        let Clustering { levels, seed } = clustering;
        let (recording, version) = (FORM, env!("CARGO_PKG_VERSION").to_owned());
        let stored = stored.records().collect();
        let (shared, snapshot) = (None, None);
        Beginning { recording, version, rules, seed, levels, table, stored, shared, snapshot }
    }

    /// Returns a core in this state.
    ///
    /// # Errors
    ///
    /// Returns a message if the table or a record is invalid.
    pub fn core(&self) -> Result<Core, String> {
        let table = read::any(&Source::new("the table", &self.table)).map_err(|e| e.to_string())?;
        let clustering = Clustering { levels: self.levels, seed: self.seed };
        let profiles = Profiles::new(table, clustering);
        let (rules, settings) = (self.rules, self.rules.sharing());
        if let Some(snapshot) = &self.snapshot {
            let core = Core::resumed(rules, settings, profiles, (**snapshot).clone());
            return core.map_err(|error| error.to_string());
        }
        let stored = State::of(self.stored.clone());
        let core = Core::new(rules, settings, profiles, stored, Duration::ZERO);
        let core = core.map_err(|error| error.to_string())?;
        Ok(match &self.shared {
            Some((own, revision)) => core.shared(own.clone(), *revision),
            None => core,
        })
    }
}

/// A hash of outputs (FNV-1a, 64 bits). Different outputs have different hashes with high probability.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum(u64);

impl Sum {
    pub(super) fn new() -> Self {
        Sum(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, output: &Output) {
        // Writing to a hash does not fail.
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

/// A file with the inputs of the core since one or several starts, and the full files before it.
/// Each file can be replayed by itself.
#[derive(Debug)]
pub struct Recording {
    rotating: RotatingFile,
    /// The initial state of this start, without records.
    beginning: Beginning,
    /// The file, unless it could not be begun.
    file: Option<Counted>,
    /// The reason why the file could not be begun.
    fault: Option<io::Error>,
    /// The length of the last initial state in the file, and the offset at which it ends.
    began: (u64, u64),
}

impl Recording {
    /// Opens the recording, or creates it, and writes the initial state. If that fails, for example on a full disk, the
    /// recording begins later, with the core's state at that time. A recording in another format counts as full.
    ///
    /// # Errors
    ///
    /// Returns [`NoRecording`] if the file is not a recording. It stays as it is.
    pub fn begin(rotating: RotatingFile, mut beginning: Beginning) -> Result<Self, NoRecording> {
        let first = First::of(rotating.path());
        if let Ok(First::Foreign) = first {
            return Err(NoRecording(rotating.path().to_owned()));
        }
        let begun = first.and_then(|first| begin(&rotating, first, &beginning));
        beginning.stored = Vec::new();
        beginning.shared = None;
        let (file, began, fault) = match begun {
            Ok((file, began)) => (Some(file), began, None),
            Err(error) => (None, (0, 0), Some(error)),
        };
        Ok(Recording { rotating, beginning, file, fault, began })
    }

    /// Returns the reason why the recording could not be begun, once.
    pub(super) fn take_fault(&mut self) -> Option<io::Error> {
        self.fault.take()
    }

    /// Adds an input and the hash of its outputs.
    pub(super) fn record(&mut self, at: Duration, input: Input, outputs: Sum) -> io::Result<()> {
        let at_ns = at.as_nanos() as u64;
        let line = Line { at_ns, input, outputs: outputs.text() };
        self.file.as_mut().map_or(Ok(()), |file| file.line(&line))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Counted::flush)
    }

    /// Returns whether the next file is due. A file contains at least as many bytes of inputs as
    /// its initial state has, so initial states never take more space than inputs.
    pub(super) fn is_full(&self) -> bool {
        let length = self.file.as_ref().map_or(0, |file| file.length);
        let (of_beginning, since) = (self.began.0, length - self.began.1);
        length >= self.rotating.size().get() && since >= of_beginning
    }

    /// Begins the next file. After a failure at any step, earlier inputs are in the current file or in a numbered one.
    pub(super) fn begin_another(&mut self, snapshot: Snapshot) -> io::Result<()> {
        self.flush()?;
        let next = self.draft(snapshot)?;
        self.rotating.archive()?;
        self.rotating.install_draft()?;
        self.began = (next.length, next.length);
        self.file = Some(next);
        self.rotating.prune()
    }

    /// Writes a file that begins with a snapshot, beside the full one.
    fn draft(&mut self, snapshot: Snapshot) -> io::Result<Counted> {
        let file = BufWriter::new(self.rotating.draft()?);
        let mut next = Counted { file, length: 0 };
        self.beginning.snapshot = Some(Box::new(snapshot));
        let written = next.line(&self.beginning).and_then(|()| next.flush());
        self.beginning.snapshot = None;
        match written.and_then(|()| fits(next.length, &self.rotating)) {
            Ok(()) => Ok(next),
            Err(error) => {
                // The draft itself may fill the disk.
                self.rotating.drop_draft()?;
                Err(error)
            }
        }
    }
}

/// Opens the file and writes the initial state. Returns the file with the state's length, and the offset at which it
/// ends.
fn begin(
    rotating: &RotatingFile,
    first: First,
    beginning: &Beginning,
) -> io::Result<(Counted, (u64, u64))> {
    rotating.check()?;
    if matches!(first, First::Form(form) if form != FORM) {
        tracing::warn!(path = %rotating.path().display(), "the recording has another format: moved it away");
        rotating.archive()?;
    }
    let (mut file, mut length) = rotating.open()?;
    if length >= rotating.size().get() {
        rotating.archive()?;
        (file, length) = rotating.open()?;
    }
    rotating.prune()?;
    let mut file = Counted { file: BufWriter::new(file), length };
    let written = file.line(beginning).and_then(|()| file.flush());
    let state = file.length - length;
    match written.and_then(|()| fits(state, rotating)) {
        Ok(()) => Ok((file, (state, length + state))),
        Err(error) => {
            // A part of a state would hide that the recording ends before it.
            let (file, _) = file.file.into_parts();
            file.set_len(length)?;
            Err(error)
        }
    }
}

/// The first bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// There is no file, or an empty one.
    Nothing,
    /// A recording of this format.
    Form(u32),
    /// Something else.
    Foreign,
}

impl First {
    fn of(path: &Path) -> io::Result<Self> {
        let mut first = Vec::new();
        match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => drop(opened?.take(64).read_to_end(&mut first)?),
        }
        if first.is_empty() {
            return Ok(First::Nothing);
        }
        let rest = first.strip_prefix(FIRST.as_bytes());
        let digits = rest.and_then(|rest| rest.split(|byte| !byte.is_ascii_digit()).next());
        let form = digits.and_then(|of| std::str::from_utf8(of).ok()?.parse().ok());
        Ok(form.map_or(First::Foreign, First::Form))
    }
}

/// Initial states of up to this size fit in every recording.
const SMALL: u64 = 32 << 10;

/// Refuses an initial state of more than half the size of a file, since files would grow with the state.
fn fits(state: u64, rotating: &RotatingFile) -> io::Result<()> {
    let most = (rotating.size().get() / 2).max(SMALL);
    if state <= most {
        return Ok(());
    }
    let (state, size) = (Bytes::new(state), rotating.size());
    let error = format!("the controller's state takes {state}, more than half of a file of {size}");
    Err(io::Error::other(error))
}

/// A file with a byte counter.
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
