//! [`JournalFile`]: the journal of a profile on disk, and beside it the output of the runs.

use crate::{OutputFile, RunnerError, Unfit};
use anyhow::{Context, Result};
use bandwise_input::Source;
use bandwise_input::reason;
use bandwise_profiler::{Journal, Run};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A journal that is open for new runs.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: File,
}

/// A journal that no other process writes, not yet read.
#[derive(Debug)]
pub struct LockedJournal {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl JournalFile {
    /// Opens or creates a journal and locks it for this process.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be opened, or if another process has locked it.
    pub fn lock(path: &Path) -> Result<LockedJournal, Unfit> {
        bandwise_files::check_place(path).map_err(|error| {
            Unfit::new(format!("{}: {}", path.display(), error.why), error.allowed)
        })?;
        let failed = |error| unusable(path, &error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message = format!("{}: another profile is being made there", path.display());
                return Err(Unfit::new(message, "a file of its own for each profile"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Ok(()) => {}
        }
        let bytes = file.metadata().map_err(failed)?.len();
        Ok(LockedJournal { path: path.to_owned(), file, bytes })
    }

    /// Appends a run and flushes it to the disk.
    pub(crate) fn add(&mut self, run: &Run) -> Result<()> {
        let write = |journal: &mut File| {
            journal.write_all(Journal::line(run).as_bytes())?;
            journal.sync_data()
        };
        write(&mut self.file).with_context(|| format!("writing {}", self.path.display()))
    }

    /// Returns the file for the output of the runs: the journal's name with `.out` appended.
    pub(crate) fn output(&self) -> Result<OutputFile> {
        let mut path = self.path.clone().into_os_string();
        path.push(".out");
        let path = PathBuf::from(path);
        let failed = || format!("writing {}", path.display());
        OutputFile::open(path.clone()).with_context(failed)
    }
}

impl LockedJournal {
    /// Returns `true` if the journal has no text.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Continues a journal that has this text, or begins one without. Returns it with its runs. An
    /// incomplete last line is cut off.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is no journal, if the journal belongs to another subject, or if
    /// the file can't be written.
    pub fn resume(
        mut self,
        text: Option<&Source>,
        subject: &Journal,
    ) -> Result<(JournalFile, Vec<Run>), RunnerError> {
        let (runs, bytes) = match text.map(Journal::read).transpose()?.flatten() {
            None => (Vec::new(), 0),
            Some((journal, runs, bytes)) => match journal.differs(subject) {
                None => (runs, bytes),
                Some(differs) => {
                    let path = self.path.display();
                    let message =
                        format!("{path}: is of another {}: {}", differs.what, differs.has);
                    let allowed = format!("{}, or another file", differs.wanted);
                    return Err(Unfit::new(message, allowed).into());
                }
            },
        };
        self.begin(bytes as u64, subject).map_err(|error| unusable(&self.path, &error))?;
        Ok((JournalFile { path: self.path, file: self.file }, runs))
    }

    /// Cuts the file to complete lines, and writes the first line if there is none.
    fn begin(&mut self, bytes: u64, subject: &Journal) -> io::Result<()> {
        self.file.set_len(bytes)?;
        self.file.seek(SeekFrom::End(0))?;
        if bytes == 0 {
            self.file.write_all(subject.first_line().as_bytes())?;
        }
        self.file.sync_data()
    }
}

fn unusable(path: &Path, error: &io::Error) -> Unfit {
    let message = format!("{}: {}", path.display(), reason(error));
    Unfit::new(message, "a file that can be read and written")
}
