//! [`InfinibandScenario`]: the value of an experiment on an InfiniBand fabric.

use super::Flow;
use bandwise_netsim::infiniband::Models;
use bandwise_topology::{Fabric, Routes};
use bandwise_units::Time;

/// An experiment on an InfiniBand fabric.
#[derive(Debug, Clone)]
pub struct InfinibandScenario {
    /// What it is about, in a line.
    pub title: String,
    /// Hosts, switches and links.
    pub fabric: Fabric,
    /// How packets find their way.
    pub routes: Routes,
    /// How switches, hosts and tables behave.
    pub models: Models,
    /// Who sends what to whom.
    pub flows: Vec<Flow>,
    /// Bulk flows run for this long before anything is measured.
    pub warmup: Time,
    /// How long is measured.
    pub duration: Time,
    /// What every random stream is made from.
    pub seed: u64,
}
