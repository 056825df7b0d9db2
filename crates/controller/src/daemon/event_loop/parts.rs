//! [`Parts`]: the parts of a daemon.

use crate::cluster::Groups;
use crate::core::Core;
use crate::daemon::{Audit, Metrics, Persister, Recording};

/// The parts of a daemon.
pub struct Parts<S> {
    /// The core, before its first input.
    pub core: Core,
    /// The persister of changes.
    pub store: Box<dyn Persister>,
    /// The assignment of ports to groups.
    pub groups: Groups,
    /// The switches that the writer thread uses.
    pub switches: S,
    /// The switches that the event loop uses to look up paths.
    pub paths: S,
    /// The switches that the discovery thread uses. After a discovery they take the place of `paths`.
    pub discovery: S,
    /// The recording of the core's inputs, if one is configured.
    pub recording: Option<Recording>,
    /// The audit log, if one is configured.
    pub audit: Option<Audit>,
    /// The metrics.
    pub metrics: Metrics,
    /// True if the daemon restores all ports before it ends.
    pub restores: bool,
}
