//! [`Recording`]: the serialised inputs of a core, for a replay.

mod format;
mod found;
mod lines;

pub use format::Beginning;
pub use found::NoRecording;
pub use lines::ReplayError;
pub(super) use lines::{Entry, Lines};

use super::RotatingFile;
use crate::core::{Input, Output, Snapshot};
use bandwise_units::Bytes;
use format::Line;
use found::Found;
use lines::LONGEST;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

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
    /// recording begins later, with the core's state at that time. A recording in another format counts as full, and so does
    /// one of a single truncated line.
    ///
    /// # Errors
    ///
    /// Returns [`NoRecording`] if the file is not a recording, or a damaged one. It stays as it is.
    pub fn begin(rotating: RotatingFile, mut beginning: Beginning) -> Result<Self, NoRecording> {
        let found = Found::of(rotating.path())?;
        let begun = found.and_then(|found| begin(&rotating, found, &beginning));
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
    found: Found,
    beginning: &Beginning,
) -> io::Result<(Counted, (u64, u64))> {
    rotating.check()?;
    let path = rotating.path().display();
    match found {
        Found::Nothing | Found::Recording => {}
        Found::OtherForm => {
            tracing::warn!(%path, "the recording has another format: moved it away");
            rotating.archive()?;
        }
        Found::Cut => {
            tracing::warn!(%path, "the recording ends in its first line: moved it away");
            rotating.archive()?;
        }
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

/// Initial states of up to this size fit in every recording.
const SMALL: u64 = 32 << 10;

/// Refuses an initial state of more than half the size of a file, since files would grow with the state, and one that a
/// replay would refuse.
fn fits(state: u64, rotating: &RotatingFile) -> io::Result<()> {
    let most = (rotating.size().get() / 2).clamp(SMALL, LONGEST);
    if state <= most {
        return Ok(());
    }
    let (state, size) = (Bytes::new(state), rotating.size());
    let error = match most {
        LONGEST => {
            format!("the controller's state takes {state}, more than {}", Bytes::new(LONGEST))
        }
        _ => format!("the controller's state takes {state}, more than half of a file of {size}"),
    };
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
