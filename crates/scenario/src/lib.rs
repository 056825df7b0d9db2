//! An experiment: a fabric, how its parts behave, and the traffic on it.
//!
//! A [`Scenario`] can only be one that makes sense; [`Scenario::run`] turns it into [`Results`]. It is
//! about an InfiniBand fabric and programs on its hosts; [`network`] is about Ethernet fabrics and
//! flows through them, [`sharing`] about jobs that share a fabric.

pub mod network;
mod results;
mod run;
pub mod sharing;
mod spec;
mod traffic;

pub use results::{FlowResult, LatencyResult, Results, Stop};
pub use run::{Progress, RunError};
pub use spec::files::File;
pub use spec::{FlowSpec, MethodName, OpcodeName, Senders, unplaced, values};
pub use traffic::{BulkTraffic, Flow, LatencyTraffic, Method};

use bandwise_netsim::Models;
use bandwise_topology::{Fabric, Routes};
use bandwise_units::Time;

/// An experiment.
#[derive(Debug, Clone)]
pub struct Scenario {
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
