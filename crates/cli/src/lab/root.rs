//! What a lab needs of the machine.

use anyhow::{Result, bail};
use std::os::unix::fs::MetadataExt;

/// Refuses who may not make namespaces.
pub fn needs_root() -> Result<()> {
    let user = std::fs::metadata("/proc/self").map(|own| own.uid());
    if user.is_ok_and(|user| user == 0) {
        return Ok(());
    }
    bail!(
        "a lab needs root: network namespaces and their devices can't be made or looked into without"
    )
}
