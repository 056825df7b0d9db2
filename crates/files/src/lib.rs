//! Files that settings, flags and variables name. A pipe without a writer blocks whoever opens it, and a device has no
//! end, so only regular files are opened, and texts are read up to a limit.
//!
//! ```
//! use std::path::Path;
//!
//! let error = bandwise_files::open(Path::new("/dev/zero")).unwrap_err();
//! assert_eq!(error.to_string(), "/dev/zero: is a device (allowed: a regular file)");
//! ```

use bandwise_input::reason;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// An unusable file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why} (allowed: {allowed})", .path.display())]
pub struct FileError {
    /// The path of the file.
    pub path: PathBuf,
    /// The mistake.
    pub why: String,
    /// The allowed files.
    pub allowed: String,
}

impl FileError {
    /// Returns the error of a file: the mistake, and the allowed files.
    pub fn new(path: &Path, why: impl Into<String>, allowed: impl Into<String>) -> Self {
        FileError { path: path.to_owned(), why: why.into(), allowed: allowed.into() }
    }

    fn unreadable(path: &Path, error: &io::Error) -> Self {
        let why = format!("can't be read: {}", reason(error));
        FileError::new(path, why, "a file that exists and can be read")
    }
}

const REGULAR: &str = "a regular file";
/// The permissions of a file with a secret.
const PRIVATE: &str = "a mode without access for others, such as 600";

/// Checks that a file can be created at a path, or is there already.
///
/// # Errors
///
/// Returns [`FileError`] if there is something else than a regular file, such as a pipe, or a link to a file that does
/// not exist. A file that is renamed when it is full would not take the target of the link with it.
pub fn check_place(path: &Path) -> Result<(), FileError> {
    let why = match (path.metadata(), path.read_link()) {
        (Ok(about), _) => other_kind(&about).map(|kind| format!("is {kind}")),
        (Err(error), Ok(target)) if error.kind() == ErrorKind::NotFound => {
            Some(format!("is a link to {}, which does not exist", target.display()))
        }
        // What else is wrong shows when the file is opened.
        (Err(_), _) => None,
    };
    why.map_or(Ok(()), |why| Err(FileError::new(path, why, "a regular file, or none yet")))
}

/// Returns the error of a file that can't be opened for writing, or created, by its path or its permissions. Returns
/// `None` if the path is good, as on a full disk.
pub fn misplaced(path: &Path, error: &io::Error) -> Option<FileError> {
    let is_of_path = matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
    );
    let wrong = || {
        let why = format!("can't be written: {}", reason(error));
        FileError::new(
            path,
            why,
            "a file that can be read and written, in a folder that can be written",
        )
    };
    is_of_path.then(wrong)
}

/// Opens a regular file, or a pipe that this process has open already, such as `/dev/stdin`.
///
/// # Errors
///
/// Returns [`FileError`] if there is no file, or something else, or it can't be read.
pub fn open(path: &Path) -> Result<File, FileError> {
    let unreadable = |error: io::Error| FileError::unreadable(path, &error);
    let about = path.metadata().map_err(unreadable)?;
    let is_pipe = about.file_type().is_fifo() && is_inherited(path);
    if let Some(kind) = other_kind(&about).filter(|_| !is_pipe) {
        return Err(FileError::new(path, format!("is {kind}"), REGULAR));
    }
    File::open(path).map_err(unreadable)
}

/// Returns the text of a file of up to `most` bytes.
///
/// # Errors
///
/// Returns [`FileError`] as [`open`] does, and if the file is larger or its bytes are not UTF-8.
pub fn text(path: &Path, most: u64) -> Result<String, FileError> {
    read(path, open(path)?, most)
}

/// Returns the text of a file that others must not be able to read. `what` is its content, for the error.
///
/// # Errors
///
/// Returns [`FileError`] as [`text`] does, and if everyone has access to the file.
pub fn secret(path: &Path, what: &str, most: u64) -> Result<String, FileError> {
    let file = open(path)?;
    let about = file.metadata().map_err(|error| FileError::unreadable(path, &error))?;
    let mode = about.permissions().mode() & 0o777;
    if mode & 0o007 != 0 {
        let why = format!("everyone can read the {what} (mode {mode:o})");
        return Err(FileError::new(path, why, PRIVATE));
    }
    read(path, file, most)
}

/// The largest token in bytes.
const LONGEST_TOKEN: usize = 4096;

/// Returns the token in a file that others must not be able to read, without the white space around it.
///
/// # Errors
///
/// Returns [`FileError`] as [`secret`] does, and if the token is empty or has more than 4096 bytes.
pub fn token(path: &Path) -> Result<String, FileError> {
    // White space around a token takes no more room than a token.
    let text = secret(path, "token", 2 * LONGEST_TOKEN as u64)?;
    let token = text.trim();
    match token.len() {
        1..=LONGEST_TOKEN => Ok(token.to_owned()),
        length => {
            let allowed = format!("a file with a token of up to {LONGEST_TOKEN} bytes");
            Err(FileError::new(path, format!("has a token of {length} bytes"), allowed))
        }
    }
}

fn read(path: &Path, file: File, most: u64) -> Result<String, FileError> {
    let allowed = || format!("a text file (UTF-8) of up to {most} bytes");
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| FileError::unreadable(path, &error))?;
    if bytes.len() as u64 > most {
        return Err(FileError::new(path, format!("has more than {most} bytes"), allowed()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        FileError::new(path, format!("is not text: byte {at} is not UTF-8"), allowed())
    })
}

/// Returns the kind of what is no regular file.
fn other_kind(about: &Metadata) -> Option<&'static str> {
    let kind = about.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () if kind.is_fifo() => Some("a pipe"),
        () if kind.is_socket() => Some("a socket"),
        () => Some("a device"),
    }
}

/// Returns whether the path is that of a descriptor of this process. To open such a pipe never blocks.
fn is_inherited(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"].map(Path::new);
    path == Path::new("/dev/stdin") || path.parent().is_some_and(|of| folders.contains(&of))
}

#[cfg(test)]
mod tests;
