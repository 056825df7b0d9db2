//! [`Switches`]: the ports of a network and their configurations.

use crate::Fault;
use bandwise_saba::controller::{PortConfig, PortId};
use std::fmt::Display;
use std::num::NonZeroU8;

/// An output port of a switch or host that is the operator's to share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Identifier, which the controller uses too.
    pub id: PortId,
    /// Name for people.
    pub name: String,
    /// Number of queues for Saba. Queues of others are not counted.
    pub queues: NonZeroU8,
}

/// The wanted configuration of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Shares the link by this configuration. An empty configuration leaves the whole link to all
    /// traffic.
    Shared(PortConfig),
    /// Restores the configuration from before the first write.
    AsFound,
}

/// A planned change of a port. Its `Display` lists the change line by line.
pub trait Plan: Display {
    /// Returns `true` if the port has the wanted configuration already.
    fn is_empty(&self) -> bool;
}

/// The outcome of a write to a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// `true` if anything was written.
    pub is_written: bool,
    /// The configuration read back. Weights are in lowest terms, since networks keep their ratios only.
    pub config: PortConfig,
}

/// The ports of a network and their configurations.
///
/// Ports and configurations are always read from the network, so a restart loses no state.
pub trait Switches {
    /// A planned change of a port.
    type Plan: Plan;

    /// Returns all ports, ordered by id. Ids stay the same as long as the network does.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if the network can't be read.
    fn discover(&mut self) -> Result<Vec<Port>, Fault>;

    /// Returns the output ports on the path between two hosts, by their names. With several shortest paths, returns the
    /// ports of all (Saba 4.3).
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if a host is unknown or there is no path.
    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault>;

    /// Reads a port and returns the necessary changes. Writes nothing.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if the port can't be read or can't have the configuration.
    fn plan(&mut self, port: PortId, wanted: &Wanted) -> Result<Self::Plan, Fault>;

    /// Writes, reads back and compares. Restores the former configuration after a failure. Writes nothing if the plan
    /// is empty.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] with the failure and the resulting state of the port.
    fn apply(&mut self, plan: &Self::Plan) -> Result<Applied, Fault>;

    /// Returns the configuration of a port, with weights in lowest terms; empty if the port was never written.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if the port can't be read.
    fn read_back(&mut self, port: PortId) -> Result<PortConfig, Fault>;
}
