//! Files that the environment names.

use crate::Error;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| wrong(path, error))
}

/// Reads a file that others must not be able to read. `what` is its kind, for the error.
pub(crate) fn read_private(path: &Path, what: &str) -> Result<String, Error> {
    let about = std::fs::metadata(path).map_err(|error| wrong(path, error))?;
    let mode = about.permissions().mode() & 0o777;
    if mode & 0o007 != 0 {
        let allowed = "allowed: a mode without access for others, such as 600";
        let why = format!("everyone can read the {what} (mode {mode:o}; {allowed})");
        return Err(wrong(path, why));
    }
    read(path)
}

/// Returns an error with the file's path.
pub(crate) fn wrong(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::Argument(format!("{}: {why}", path.display()))
}
