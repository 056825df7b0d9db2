//! [`RotatingFile`]: a file that lines are appended to, with numbered older files.

use bandwise_units::Bytes;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A file that lines are appended to, with numbered older files: `FILE.part-000001` and on, the oldest first.
///
/// A full file gets its number by one rename, and is not touched again until it is deleted as the
/// oldest file beyond the limit. So a process that is killed between any two steps loses nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotatingFile {
    path: PathBuf,
    size: Bytes,
    files: u32,
}

impl RotatingFile {
    /// Returns the file at `path`, which is full at `size`. At most `files` files exist, including the older ones.
    pub fn new(path: PathBuf, size: Bytes, files: u32) -> Self {
        RotatingFile { path, size, files }
    }

    /// Returns the path of the file that lines are appended to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size at which a file is full.
    pub fn size(&self) -> Bytes {
        self.size
    }

    /// Returns the largest number of files.
    pub fn files(&self) -> u32 {
        self.files
    }

    /// Returns whether `other` is an older file of the one at `path`, or its draft.
    pub(crate) fn is_beside(path: &Path, other: &Path) -> bool {
        let own = path.file_name().unwrap_or_default().as_encoded_bytes();
        let name = other.file_name().unwrap_or_default().as_encoded_bytes();
        let rest = name.strip_prefix(own).and_then(|rest| std::str::from_utf8(rest).ok());
        path.parent() == other.parent()
            && rest.is_some_and(|rest| rest == DRAFT || number(rest).is_some())
    }

    /// Opens the file for appending, or creates it. Returns it with its length. The truncated line of a killed process
    /// is ended by a newline.
    pub(super) fn open(&self) -> io::Result<(File, u64)> {
        let mut options = OpenOptions::new();
        options.append(true).read(true);
        let mut file = match options.open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.create(&mut options, &self.path)?
            }
            opened => opened?,
        };
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

    /// Creates the next file beside the full one. [`install_draft`](Self::install_draft) moves it into place after its
    /// initial state is written.
    pub(super) fn draft(&self) -> io::Result<File> {
        self.drop_draft()?;
        self.create(OpenOptions::new().append(true), &self.beside(DRAFT))
    }

    /// Creates a file with the permissions of the one before it. The first file is for its owner only.
    fn create(&self, options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        let last = self.numbers()?.pop().map(|number| self.beside(&part(number)));
        let mode = |path: &Path| path.metadata().ok().map(|about| about.mode() & 0o666);
        let mode = mode(&self.path).or_else(|| mode(&last?)).unwrap_or(0o600);
        let file = options.create_new(true).mode(mode).open(path)?;
        file.set_permissions(Permissions::from_mode(mode))?;
        Ok(file)
    }

    /// Deletes an unfinished draft.
    pub(super) fn drop_draft(&self) -> io::Result<()> {
        match fs::remove_file(self.beside(DRAFT)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Returns an error early if no further file can be created in the folder.
    pub(super) fn check(&self) -> io::Result<()> {
        self.draft()?;
        self.drop_draft()
    }

    /// Renames the full file to the next number. Does nothing if that has happened already.
    pub(super) fn archive(&self) -> io::Result<()> {
        let last = self.numbers()?.pop().unwrap_or(0);
        match fs::rename(&self.path, self.beside(&part(last + 1))) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Moves the draft to the place of the archived file.
    pub(super) fn install_draft(&self) -> io::Result<()> {
        fs::rename(self.beside(DRAFT), &self.path)
    }

    /// Deletes the oldest files beyond the limit.
    pub(super) fn prune(&self) -> io::Result<()> {
        let mut numbers = self.numbers()?;
        let most = (self.files as usize).saturating_sub(1);
        numbers.truncate(numbers.len().saturating_sub(most));
        numbers.into_iter().try_for_each(|number| fs::remove_file(self.beside(&part(number))))
    }

    /// Returns the numbers of the archived files, ascending.
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

/// The suffix of a draft.
const DRAFT: &str = ".new";

fn part(number: u64) -> String {
    format!(".part-{number:06}")
}

/// Returns the number in the suffix of an archived file.
fn number(ending: &str) -> Option<u64> {
    let number = ending.strip_prefix(".part-")?.parse().ok()?;
    (part(number) == ending).then_some(number)
}

#[cfg(test)]
mod tests;
