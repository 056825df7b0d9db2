//! [`Lines`]: the lines of a recording, which may be truncated or damaged.

use super::format::{Beginning, FIRST, FORM, Line};
use std::io::{self, BufRead, Read};

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

/// The longest line in bytes. A longer state is not recorded.
pub(super) const LONGEST: u64 = 128 << 20;

/// An intact line.
pub(in crate::daemon) enum Entry {
    /// The initial state of a core.
    Beginning(Box<Beginning>),
    /// An input of the core.
    Input(Line),
}

/// The lines of a recording.
pub(in crate::daemon) struct Lines<R> {
    from: R,
    bytes: Vec<u8>,
    /// The number of the last line, from 1.
    pub(in crate::daemon) number: u64,
    /// The number of truncated lines: unreadable ones at the end, or before another start.
    pub(in crate::daemon) cut: u64,
    /// True after the first initial state.
    pub(in crate::daemon) is_begun: bool,
    /// The error of the line before, which is truncated if a start follows, or nothing.
    unread: Option<ReplayError>,
}

impl<R: BufRead> Lines<R> {
    pub(in crate::daemon) fn new(from: R) -> Self {
        Lines { from, bytes: Vec::new(), number: 0, cut: 0, is_begun: false, unread: None }
    }

    /// Returns the next intact line.
    pub(in crate::daemon) fn next(&mut self) -> Result<Option<Entry>, ReplayError> {
        loop {
            let is_end = !self.read()?;
            let is_beginning = self.bytes.starts_with(FIRST.as_bytes());
            match self.unread.take() {
                Some(_) if is_end || is_beginning => self.cut += 1,
                Some(error) => return Err(error),
                None => {}
            }
            if is_end {
                return Ok(None);
            }
            self.number += 1;
            if !is_beginning && !self.is_begun {
                return Err(self.wrong("not a recording"));
            }
            if let Some(found) = form(&self.bytes).filter(|found| *found != FORM) {
                let why = format!("recording format {found} (this program reads format {FORM})");
                return Err(self.wrong(why));
            }
            let entry = match is_beginning {
                true => serde_json::from_slice(&self.bytes).map(Entry::Beginning),
                false => serde_json::from_slice(&self.bytes).map(Entry::Input),
            };
            match entry {
                Ok(entry) => {
                    self.is_begun = true;
                    return Ok(Some(entry));
                }
                Err(error) => {
                    // A line of the file is all of the text that was parsed.
                    let text = error.to_string();
                    let why = text.rsplit_once(" at line ").map_or(&*text, |(why, _)| why);
                    self.unread = Some(self.wrong(format!("{why}, column {}", error.column())));
                }
            }
        }
    }

    /// Returns whether the last line is complete.
    pub(super) fn is_terminated(&self) -> bool {
        self.bytes.ends_with(b"\n")
    }

    /// Returns the error of the last line.
    pub(in crate::daemon) fn wrong(&self, why: impl Into<String>) -> ReplayError {
        ReplayError::Line { line: self.number, why: why.into() }
    }

    /// Reads a line. Returns `false` at the end; the last line stays as it is.
    fn read(&mut self) -> Result<bool, ReplayError> {
        if self.from.fill_buf()?.is_empty() {
            return Ok(false);
        }
        self.bytes.clear();
        self.from.by_ref().take(LONGEST + 1).read_until(b'\n', &mut self.bytes)?;
        if self.bytes.len() as u64 > LONGEST {
            let (line, mib) = (self.number + 1, LONGEST >> 20);
            let why = format!("a line of more than {mib} MiB: not a recording");
            return Err(ReplayError::Line { line, why });
        }
        Ok(true)
    }
}

/// Returns the format version in the first bytes of an initial state.
pub(super) fn form(first: &[u8]) -> Option<u32> {
    let rest = first.strip_prefix(FIRST.as_bytes())?;
    let digits = rest.split(|byte| !byte.is_ascii_digit()).next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
