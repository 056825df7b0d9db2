//! Files that the environment names.

use crate::Error;
use bandwise_files::FileError;
use std::path::Path;

/// The largest file with certificates or a key, in bytes.
const LARGEST: u64 = 16 << 20;

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    Ok(bandwise_files::text(path, LARGEST)?)
}

/// Reads a file that others must not be able to read. `what` is its kind, for the error.
pub(crate) fn read_private(path: &Path, what: &str) -> Result<String, Error> {
    Ok(bandwise_files::secret(path, what, LARGEST)?)
}

/// Returns the error of a file: the mistake, and the allowed content.
pub(crate) fn wrong(path: &Path, why: impl std::fmt::Display, allowed: &str) -> Error {
    FileError::new(path, why.to_string(), allowed).into()
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Error::Argument(error.to_string())
    }
}
