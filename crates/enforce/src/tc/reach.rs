//! [`Reach`]: access to devices of the kernel, by network namespace and name.

use super::wire::Reason;
use crate::htb::{Change, Root};
use std::io;

/// Access to devices of the kernel.
pub trait Reach {
    /// Makes changes at a device, in order, and then reads the configuration. A refused change does not stop those after
    /// it. `None` is the network namespace of this program.
    ///
    /// # Errors
    ///
    /// Returns the first refusal of the kernel, or the reason why the kernel could not be asked.
    fn visit(
        &mut self,
        namespace: Option<&str>,
        device: &str,
        changes: &[Change],
    ) -> Result<Root, Reason>;
}

/// Returns the error for a kernel that has not answered in time.
pub(super) fn unanswered() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the kernel has not answered in time")
}
