//! [`Paths`]: the lookup of paths through the network.

use bandwise_saba::controller::PortId;
use bandwise_switches::{Fault, Switches};

/// The lookup of paths through the network.
pub trait Paths {
    /// Returns the ports on the path from one host to another.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if a host is unknown or no path exists.
    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault>;
}

impl<S: Switches> Paths for S {
    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        Switches::path(self, from, to)
    }
}
