//! [`Switches`]: the interface between a controller and the ports of any kind of network.

use bandwise_saba::controller::{PortConfig, PortId};
use std::fmt::Display;
use std::num::NonZeroU8;

/// An output port of a switch or host that is the operator's to share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Identifier, the same for the controller.
    pub id: PortId,
    /// Name for people.
    pub name: String,
    /// Number of queues for Saba. Queues of others are not counted.
    pub queues: NonZeroU8,
}

/// The wanted configuration of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// As the controller says; where that is empty, all of the link is everyone's.
    Shared(PortConfig),
    /// As it was before it was first written.
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
/// Ports are found and never made up; a port's configuration comes from reading it and from nothing
/// else, so that a restart loses no state.
pub trait Switches {
    /// A planned change of a port.
    type Plan: Plan;

    /// All ports, in order of their ids. Ids stay the same as long as the network does.
    fn discover(&mut self) -> Result<Vec<Port>, Fault>;

    /// The ports that data may leave through on the way from one host to another, by what people call
    /// the hosts; where there are several shortest paths, those of all (Saba 4.3).
    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault>;

    /// Reads a port and says what would have to be written. Writes nothing.
    fn plan(&mut self, port: PortId, wanted: &Wanted) -> Result<Self::Plan, Fault>;

    /// Writes, reads back and compares; what stood there before comes back if that fails. Writes
    /// nothing where the plan is empty.
    fn apply(&mut self, plan: &Self::Plan) -> Result<Applied, Fault>;

    /// What stands at a port, with weights in lowest terms; empty where nothing was ever written.
    fn read_back(&mut self, port: PortId) -> Result<PortConfig, Fault>;
}

/// The state of a port after a failed write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// What stood there before, read back.
    AsBefore,
    /// Something else, as that could not be written either: why.
    Otherwise(String),
}

impl Display for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Left::AsBefore => f.write_str("what stood there before is back in place"),
            Left::Otherwise(why) => {
                write!(f, "and what stood there before could not be put back: {why}")
            }
        }
    }
}

/// An error of a network's ports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no such port.
    #[error("there is no port {}", .0.0)]
    NoSuchPort(PortId),
    /// There is no such host.
    #[error("there is no host {0:?}")]
    NoSuchHost(String),
    /// No way leads from one host to the other.
    #[error("no way leads from {from} to {to}")]
    NoPath {
        /// Where from.
        from: String,
        /// Where to.
        to: String,
    },
    /// The port can't be shared so. Nothing was written.
    #[error("{port}: {why}")]
    Unfit {
        /// The port.
        port: String,
        /// What it can't do.
        why: String,
    },
    /// Somebody else has configured the port. Nothing was written.
    #[error("{port}: {what} is there already, and is not Saba's to change")]
    Taken {
        /// The port.
        port: String,
        /// What is there.
        what: String,
    },
    /// The port could not be read.
    #[error("{port} can't be read: {said}")]
    Unreadable {
        /// The port.
        port: String,
        /// In whose words.
        said: String,
    },
    /// The port did not take what was written.
    #[error("{port} refused: {said}; {left}")]
    Refused {
        /// The port.
        port: String,
        /// In whose words.
        said: String,
        /// What it was left with.
        left: Left,
    },
    /// What was written reads back otherwise.
    #[error("{port} took what was written, but has something else: {what}; {left}")]
    Differs {
        /// The port.
        port: String,
        /// What differs.
        what: String,
        /// What it was left with.
        left: Left,
    },
}
