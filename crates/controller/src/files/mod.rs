//! Files with certificates, keys and passwords that the settings name.

pub(crate) mod pem;
mod signatures;

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The largest size of a file, in bytes.
const LARGEST: u64 = 1 << 20;

/// The allowed permissions of a file with a secret.
const PRIVATE: &str = "a mode without access for others, such as 600";

/// A file that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct FileError {
    path: PathBuf,
    why: String,
    allowed: &'static str,
}

impl FileError {
    fn new(path: &Path, why: impl Display, allowed: &'static str) -> Self {
        FileError { path: path.to_owned(), why: why.to_string(), allowed }
    }

    /// Returns the allowed content, for error messages.
    pub fn allowed(&self) -> &'static str {
        self.allowed
    }
}

/// Reads a text file.
fn read(path: &Path, allowed: &'static str) -> Result<String, FileError> {
    let wrong = |why: &dyn Display| FileError::new(path, why, allowed);
    // A pipe would block here.
    if !std::fs::metadata(path).map_err(|error| wrong(&error))?.is_file() {
        return Err(wrong(&"this is no regular file"));
    }
    let file = File::open(path).map_err(|error| wrong(&error))?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| wrong(&error))?;
    match bytes.len() as u64 > LARGEST {
        true => Err(wrong(&format!("the file has over {LARGEST} bytes"))),
        false => String::from_utf8(bytes).map_err(|_| wrong(&"the file is no text")),
    }
}

/// Reads a text file that others must not be able to read.
fn read_private(path: &Path, allowed: &'static str) -> Result<String, FileError> {
    let about = std::fs::metadata(path).map_err(|error| FileError::new(path, error, allowed))?;
    let mode = about.permissions().mode() & 0o777;
    match mode & 0o007 == 0 {
        true => read(path, allowed),
        false => {
            let why = format!("everyone can read it (mode {mode:o})");
            Err(FileError::new(path, why, PRIVATE))
        }
    }
}

/// Reads the password of a user of etcd: the text of the file without the white space at its end.
#[cfg(feature = "etcd")]
pub(crate) fn password(path: &Path) -> Result<String, FileError> {
    const ALLOWED: &str = "the password of the user of etcd";
    let text = read_private(path, ALLOWED)?;
    match text.trim_end() {
        "" => Err(FileError::new(path, "the file is empty", ALLOWED)),
        password => Ok(password.to_owned()),
    }
}
