//! [`Parts`]: what a daemon is made of.

use crate::cluster::Groups;
use crate::core::Core;
use crate::daemon::{Audit, Metrics, Persister, Recording};
use bandwise_enforce::{Fault, Switches};
use bandwise_saba::controller::PortId;

/// What a daemon is made of.
pub struct Parts<S> {
    /// The core, which has heard nothing yet.
    pub core: Core,
    /// Who keeps changes.
    pub store: Box<dyn Persister>,
    /// Whose ports are whose.
    pub groups: Groups,
    /// Who writes ports.
    pub switches: S,
    /// Who knows ways through the network, while the other writes.
    pub paths: S,
    /// Who looks over the network meanwhile, and then takes the place of who knows routes.
    pub discovery: S,
    /// Where all that the core hears is written down, if it is.
    pub recording: Option<Recording>,
    /// The trail of what was done to ports, if one is kept.
    pub audit: Option<Audit>,
    /// What is counted.
    pub metrics: Metrics,
    /// Whether ports are to be as they were found when the daemon has ended.
    pub restores: bool,
}

/// Who knows ways through the network.
pub trait Paths {
    /// The ports that data may leave through on the way from one host to another.
    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault>;
}

impl<S: Switches> Paths for S {
    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        Switches::path(self, from, to)
    }
}
