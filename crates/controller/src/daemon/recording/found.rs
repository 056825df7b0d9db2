//! [`Found`]: the content of a file in which a recording is to continue.

use super::format::FORM;
use super::lines::{Lines, ReplayError, form};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// A file that is not a recording, or a damaged one, where a recording should be.
#[derive(Debug, thiserror::Error)]
#[error("{}: line {line}: {why}", .path.display())]
pub struct NoRecording {
    /// The path of the file.
    pub path: PathBuf,
    /// The line's number, from 1.
    pub line: u64,
    /// The reason.
    pub why: String,
}

/// The content of a file in which a recording is to continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// There is no file, or an empty one.
    Nothing,
    /// A recording of this format.
    Recording,
    /// A recording without a complete line, as after a kill of the daemon.
    Cut,
    /// A recording of another format.
    OtherForm,
}

/// The part of a file that is checked. A recording has this size by default.
const CHECKED: u64 = 64 << 20;

impl Found {
    /// Reads a file. Inputs behind damage could not be replayed, so the lines are checked too.
    ///
    /// # Errors
    ///
    /// Returns [`NoRecording`] if the file is something else, or damaged. The inner error is that of the system.
    pub(super) fn of(path: &Path) -> Result<io::Result<Self>, NoRecording> {
        match found(path) {
            Ok(found) => Ok(Ok(found)),
            Err(ReplayError::Io(error)) => Ok(Err(error)),
            Err(ReplayError::Line { line, why }) => {
                Err(NoRecording { path: path.to_owned(), line, why })
            }
        }
    }
}

fn found(path: &Path) -> Result<Found, ReplayError> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        opened => opened?,
    };
    let mut first = Vec::new();
    file.by_ref().take(64).read_to_end(&mut first)?;
    match form(&first) {
        _ if first.is_empty() => return Ok(Found::Nothing),
        None => return Err(ReplayError::Line { line: 1, why: "not a recording".into() }),
        Some(FORM) => {}
        Some(_) => return Ok(Found::OtherForm),
    }
    let mut lines = Lines::new(BufReader::new(first.chain(file).take(CHECKED)));
    while lines.next()?.is_some() {}
    match lines.is_begun {
        true => Ok(Found::Recording),
        false if lines.is_terminated() => Err(lines.wrong("not the initial state of a core")),
        false => Ok(Found::Cut),
    }
}
