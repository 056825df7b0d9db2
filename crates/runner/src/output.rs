//! [`OutputFile`]: the file to which programs print.

use anyhow::{Context, Result};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file for the output of programs, open for appending.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: File,
}

impl OutputFile {
    /// Opens or creates a file. New text is appended.
    ///
    /// # Errors
    ///
    /// Returns the error of the operating system.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(&path)?;
        Ok(OutputFile { path, file })
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the headline of a run.
    pub(crate) fn headline(&self, title: &str) -> Result<()> {
        writeln!(&self.file, "== {title}")
            .with_context(|| format!("writing {}", self.path.display()))
    }

    /// Returns a handle for a program.
    pub(crate) fn for_program(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}
