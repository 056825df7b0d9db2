//! The permissions of files with keys and passwords.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The allowed permissions of a file with a secret.
pub(crate) const ALLOWED: &str = "a mode without access for others, such as 600";

/// Returns what is wrong with the permissions of a file, if everyone has access to it.
///
/// # Errors
///
/// Returns an error if the file is missing, or its folder can't be read.
pub(crate) fn exposure(path: &Path) -> io::Result<Option<String>> {
    let mode = std::fs::metadata(path)?.permissions().mode() & 0o777;
    Ok((mode & 0o007 != 0).then(|| format!("everyone can read it (mode {mode:o})")))
}
