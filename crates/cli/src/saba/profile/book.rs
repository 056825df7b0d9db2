//! [`Book`]: the files that a profile goes on from: the journal, and beside it what the program printed.

use crate::failure::Failure;
use crate::files::Text;
use anyhow::{Context, Result};
use bandwise_input::Source;
use bandwise_profiler::{Journal, Run};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A journal that is being written.
#[derive(Debug)]
pub(super) struct Book {
    path: PathBuf,
    journal: File,
}

impl Book {
    /// Opens a journal, or begins it; the runs that it has.
    pub fn open(path: &Path, wanted: &Journal) -> Result<(Self, Vec<Run>), Failure> {
        let name = path.display().to_string();
        let failed = |error: std::io::Error| {
            let message = format!("--journal {name}: {}", crate::files::reason(&error));
            Failure::usage(message, "a file that can be read and written")
        };
        let mut file = OpenOptions::new();
        let mut journal =
            file.read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match journal.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message = format!("--journal {name}: another profile is being made there");
                return Err(Failure::usage(message, "a file of its own for each profile"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Ok(()) => {}
        }
        let (runs, bytes) = match journal.metadata().map_err(failed)?.len() {
            0 => (Vec::new(), 0),
            _ => {
                let text = Text::read(path)?;
                match Journal::read(&Source::new(&name, text.source().text))? {
                    Some((journal, runs, bytes)) => {
                        if let Some(differs) = journal.differs(wanted) {
                            let message = format!(
                                "--journal {name}: is of another {}: {}",
                                differs.what, differs.has
                            );
                            let allowed = format!("{}, or another file", differs.wanted);
                            return Err(Failure::usage(message, allowed));
                        }
                        (runs, bytes)
                    }
                    None => (Vec::new(), 0),
                }
            }
        };
        let mut begin = || {
            // What follows is a line that was cut.
            journal.set_len(bytes as u64)?;
            journal.seek(SeekFrom::End(0))?;
            if bytes == 0 {
                journal.write_all(wanted.first_line().as_bytes())?;
            }
            journal.sync_data()
        };
        begin().map_err(failed)?;
        Ok((Book { path: path.to_owned(), journal }, runs))
    }

    /// Writes a run down: it is on the disk when this returns.
    pub fn add(&mut self, run: &Run) -> Result<()> {
        let write = |journal: &mut File| {
            journal.write_all(Journal::line(run).as_bytes())?;
            journal.sync_data()
        };
        write(&mut self.journal).with_context(|| format!("writing {}", self.path.display()))
    }

    /// The file that the next run prints to, behind what those before it printed.
    pub fn output(&self, title: &str) -> Result<File> {
        let mut path = self.path.clone().into_os_string();
        path.push(".out");
        let open = || {
            let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
            writeln!(file, "== {title}")?;
            Ok::<_, std::io::Error>(file)
        };
        open().with_context(|| format!("writing {}", Path::new(&path).display()))
    }
}
