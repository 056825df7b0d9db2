//! [`RotatingFile`]: a file that lines are added to, and those that were full before it.

use bandwise_units::Bytes;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that lines are added to, and those that were full before it: `FILE.part-000001` and on, the oldest first.
///
/// A file gets its number by one renaming, and is not touched after that until it is the oldest of too many. So a
/// process that is killed between any two steps has lost nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotatingFile {
    path: PathBuf,
    size: Bytes,
    files: u32,
}

impl RotatingFile {
    /// The file at `path`, which is full at `size`. With those before it there are so many `files` at most.
    pub fn new(path: PathBuf, size: Bytes, files: u32) -> Self {
        RotatingFile { path, size, files }
    }

    /// The file that lines are added to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When it is full.
    pub fn size(&self) -> Bytes {
        self.size
    }

    /// How many files there are at most.
    pub fn files(&self) -> u32 {
        self.files
    }

    /// Opens the file to add to it, or begins it; with how long it is. What a process left that was killed is a line of its
    /// own.
    pub(super) fn open(&self) -> io::Result<(File, u64)> {
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(&self.path)?;
        let mut last = [b'\n'];
        let mut length = file.seek(SeekFrom::End(0))?;
        if length > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            file.write_all(b"\n")?;
            length += 1;
        }
        Ok((file, length))
    }

    /// Begins the next file beside the one that is full, whose place it takes when all is in it that it is to begin with.
    pub(super) fn draft(&self) -> io::Result<File> {
        self.drop_draft()?;
        OpenOptions::new().create_new(true).append(true).open(self.beside(DRAFT))
    }

    /// A draft that nothing came of goes.
    pub(super) fn drop_draft(&self) -> io::Result<()> {
        match fs::remove_file(self.beside(DRAFT)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Refuses a folder in which no other file can be begun, before it comes to that.
    pub(super) fn check(&self) -> io::Result<()> {
        self.draft()?;
        self.drop_draft()
    }

    /// The file that is full gets its number. If it has it already, all is well.
    pub(super) fn archive(&self) -> io::Result<()> {
        let last = self.numbers()?.pop().unwrap_or(0);
        match fs::rename(&self.path, self.beside(&part(last + 1))) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// The draft takes the place of the file that was put away.
    pub(super) fn install_draft(&self) -> io::Result<()> {
        fs::rename(self.beside(DRAFT), &self.path)
    }

    /// Takes away the oldest of too many.
    pub(super) fn prune(&self) -> io::Result<()> {
        let mut numbers = self.numbers()?;
        let most = (self.files as usize).saturating_sub(1);
        numbers.truncate(numbers.len().saturating_sub(most));
        numbers.into_iter().try_for_each(|number| fs::remove_file(self.beside(&part(number))))
    }

    /// The numbers of files that were put away, from the first.
    fn numbers(&self) -> io::Result<Vec<u64>> {
        let folder = self.path.parent().filter(|path| !path.as_os_str().is_empty());
        let own = self.path.file_name().unwrap_or_default().as_encoded_bytes();
        let mut numbers = Vec::new();
        for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))? {
            let name = entry?.file_name();
            let rest = name.as_encoded_bytes().strip_prefix(own);
            let number = rest.and_then(|rest| std::str::from_utf8(rest).ok()).and_then(number);
            numbers.extend(number);
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(ending);
        name.into()
    }
}

/// The ending of a draft.
const DRAFT: &str = ".new";

fn part(number: u64) -> String {
    format!(".part-{number:06}")
}

/// The number of a file with this ending, if we gave it.
fn number(ending: &str) -> Option<u64> {
    let number = ending.strip_prefix(".part-")?.parse().ok()?;
    (part(number) == ending).then_some(number)
}

#[cfg(test)]
mod tests;
