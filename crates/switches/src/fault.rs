//! [`Fault`]: an error of a network's ports.

use bandwise_saba::controller::PortId;
use std::fmt::Display;

/// The state of a port after a failed write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// The former configuration, read back.
    AsBefore,
    /// Another configuration, since the former one could not be restored. The text is
    /// the reason.
    Otherwise(String),
}

impl Display for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Left::AsBefore => f.write_str("the former configuration is restored"),
            Left::Otherwise(why) => {
                write!(f, "and the former configuration could not be restored: {why}")
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
    /// There is no path from one host to the other.
    #[error("no path leads from {from} to {to}")]
    NoPath {
        /// The sending host.
        from: String,
        /// The receiving host.
        to: String,
    },
    /// The port can't have the configuration. Nothing was written.
    #[error("{port}: {why}")]
    Unfit {
        /// The port.
        port: String,
        /// The reason.
        why: String,
    },
    /// Another program has configured the port. Nothing was written.
    #[error("{port} has a configuration of another program: {what}")]
    Taken {
        /// The port.
        port: String,
        /// The configuration that was found.
        what: String,
    },
    /// The port could not be read.
    #[error("{port} can't be read: {reason}")]
    Unreadable {
        /// The port.
        port: String,
        /// The reason, as the port reports it.
        reason: String,
    },
    /// The port refused the change.
    #[error("{port} refused: {reason}; {left}")]
    Refused {
        /// The port.
        port: String,
        /// The reason, as the port reports it.
        reason: String,
        /// The state of the port.
        left: Left,
    },
    /// The port reads back another configuration than the written one.
    #[error("{port} reads back another configuration: {what}; {left}")]
    Differs {
        /// The port.
        port: String,
        /// The difference.
        what: String,
        /// The state of the port.
        left: Left,
    },
}
