//! An experiment on an Ethernet fabric: flows through a network whose hosts speak RoCE, IRN, iWARP or
//! Homa.
//!
//! A [`EthernetScenario`] is read from TOML, where everything has a default: an empty document is the
//! default case of IRN 4.1. It can only be one that makes sense. [`EthernetScenario::run`] takes its
//! flows one by one, from its own [`Workload`] or from a list, and turns them into
//! [`EthernetResults`]. A [`Study`] is one of them many times, with some keys changed.
//!
//! "IRN" is R. Mittal et al., *Revisiting Network Support for RDMA*, the extended version of the
//! SIGCOMM 2018 paper; the number after it is the section.

mod fingerprint;
mod groups;
mod metric;
mod ports;
mod requests;
mod results;
mod run;
mod spec;
mod study;
mod wire;
mod workload;

pub use fingerprint::Fingerprint;
pub use groups::Group;
pub use metric::Metric;
pub use ports::{PauseStorm, PortResult};
pub use results::{Distribution, EthernetResults, EthernetStop, RequestResult, TAIL};
pub use run::{Arrival, EthernetProgress, FlowRecord, Watch};
pub use spec::headroom;
pub use study::{Axis, Plot, Point, Study};
pub use wire::Wire;
pub use workload::{Generator, Part, Workload};

use bandwise_input::InputError;
use bandwise_netsim::ethernet::NetworkModel;
use bandwise_topology::Fabric;
use bandwise_units::Time;

/// An experiment on an Ethernet fabric.
#[derive(Debug, Clone)]
pub struct EthernetScenario {
    /// What it is about, in a line.
    pub title: String,
    /// Hosts, switches and links.
    pub fabric: Fabric,
    /// Which transport its hosts speak; what that means is in `model`.
    pub transport: TransportKind,
    /// How switches and hosts behave.
    pub model: NetworkModel,
    /// Who sends what to whom.
    pub workload: Workload,
    /// It ends at this simulated time, if not earlier because all flows have arrived.
    pub limit: Option<Time>,
    /// Flows that start before this are simulated, and count in no average and no percentile.
    pub warm_up: Time,
    /// Ports that were told to stop for longer than that, at a stretch, are in the results.
    pub storm: Time,
    /// What every random stream is made from.
    pub seed: u64,
    /// What is allowed, and most likely not meant.
    pub warnings: Vec<InputError>,
}

/// A transport by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportKind {
    /// Selective retransmission and BDP-FC (IRN 3).
    Irn,
    /// Go-back-N (IRN 2.1).
    Roce,
    /// TCP (IRN 4.6).
    Iwarp,
    /// Receivers grant, switches send by priority (Homa, SIGCOMM 2018).
    Homa,
}

impl TransportKind {
    /// As scenario files have it.
    pub fn as_str(self) -> &'static str {
        match self {
            TransportKind::Irn => "irn",
            TransportKind::Roce => "roce",
            TransportKind::Iwarp => "iwarp",
            TransportKind::Homa => "homa",
        }
    }

    /// As people write it.
    pub fn title(self) -> &'static str {
        match self {
            TransportKind::Irn => "IRN",
            TransportKind::Roce => "RoCE",
            TransportKind::Iwarp => "iWARP",
            TransportKind::Homa => "Homa",
        }
    }
}
