//! The privilege that a lab needs.

use crate::{LabError, Result};
use std::os::unix::fs::MetadataExt;

/// Checks that the process runs as root.
///
/// # Errors
///
/// Returns [`LabError::NeedsRoot`] if the process runs as another user.
pub fn needs_root() -> Result<()> {
    let user = std::fs::metadata("/proc/self").map(|own| own.uid());
    if user.is_ok_and(|user| user == 0) { Ok(()) } else { Err(LabError::NeedsRoot) }
}
