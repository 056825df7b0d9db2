//! [`FabricError`]: the reasons for which nodes and cables are not a fabric.

use crate::{LONGEST_DELAY, MAX_NODES, SLOWEST_LINK};
use bandwise_units::{BitRate, Time};

/// The reasons for which nodes and cables are not a fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FabricError {
    /// No host.
    #[error("the fabric has no host")]
    Empty,
    /// More than [`MAX_NODES`] nodes.
    #[error("more than {MAX_NODES} nodes")]
    TooManyNodes,
    /// A name that cannot be printed on one line and read back.
    #[error("{name:?} can't be the name of a node")]
    Name {
        /// The name as given.
        name: String,
    },
    /// Two nodes with one name.
    #[error("two nodes have the name {name:?}")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A node without ports, or with more than its kind of network allows.
    #[error("{name:?} can't have {ports} ports")]
    PortCount {
        /// The node.
        name: String,
        /// The requested number of ports.
        ports: u64,
        /// The maximum: [`MAX_PORTS`](crate::MAX_PORTS), or that of InfiniBand.
        most: u16,
    },
    /// A node number that the builder has not returned.
    #[error("there is no node number {number}")]
    NoSuchNode {
        /// The number.
        number: u32,
    },
    /// A port number that the node does not have.
    #[error("{name:?} has no port {port}")]
    NoSuchPort {
        /// The node.
        name: String,
        /// The requested port.
        port: u16,
        /// The number of ports of the node.
        ports: u16,
    },
    /// A second cable in a port.
    #[error("port {port} is already connected to {peer}")]
    PortTaken {
        /// The port.
        port: String,
        /// The port at the other end of its cable.
        peer: String,
    },
    /// A cable from a node to itself.
    #[error("{from} is connected to its own node at {to}")]
    SelfLink {
        /// One end.
        from: String,
        /// The other end.
        to: String,
    },
    /// A cable with a rate below [`SLOWEST_LINK`].
    #[error("the link between {from} and {to} has a rate of {rate}")]
    Rate {
        /// One end.
        from: String,
        /// The other end.
        to: String,
        /// The rate.
        rate: BitRate,
    },
    /// A cable with a delay above [`LONGEST_DELAY`].
    #[error("the link between {from} and {to} has a delay of {delay}")]
    Delay {
        /// One end.
        from: String,
        /// The other end.
        to: String,
        /// The delay.
        delay: Time,
    },
    /// A host without a cable.
    #[error("host {name:?} has no link")]
    Unlinked {
        /// The host.
        name: String,
    },
    /// A port for the traffic of a switch.
    #[error("{name:?} is a switch")]
    NotHost {
        /// The switch.
        name: String,
    },
    /// A port for a host's traffic that has no cable.
    #[error("{name:?} has no cable in port {port}")]
    NoCable {
        /// The host.
        name: String,
        /// The port.
        port: u16,
        /// The ports with a cable.
        cabled: String,
    },
    /// Two hosts without a path between them.
    #[error("hosts {from:?} and {to:?} can't reach each other")]
    Unreachable {
        /// A host.
        from: String,
        /// A host that `from` can't reach.
        to: String,
    },
    /// A topology of [`builders`](crate::builders) with an invalid size.
    #[error("{what} can't be {value}")]
    Size {
        /// The size in question, such as "the number of leaves".
        what: &'static str,
        /// The value.
        value: u64,
        /// The allowed values.
        allowed: String,
    },
}

impl FabricError {
    /// Returns the allowed values.
    pub fn allowed(&self) -> String {
        match self {
            Self::Empty => "at least one host".into(),
            Self::TooManyNodes => format!("up to {MAX_NODES} nodes"),
            Self::Name { .. } => {
                "one or more characters, none of them a control character or U+FFFD, \
                 without a space at the beginning or end"
                    .into()
            }
            Self::DuplicateName { .. } => "a name that no other host or switch has".into(),
            Self::PortCount { most, .. } => format!("1 to {most} ports"),
            Self::NoSuchNode { .. } => "a number that the builder gave out".into(),
            Self::NoSuchPort { ports, .. } => format!("ports 1 to {ports}"),
            Self::PortTaken { .. } => "one link a port".into(),
            Self::SelfLink { .. } => "a link between two different nodes".into(),
            Self::Rate { .. } => format!("at least {SLOWEST_LINK}, such as \"100 Gbps\""),
            Self::Delay { .. } => format!("up to {LONGEST_DELAY}, such as \"10 ns\""),
            Self::Unlinked { .. } => "a link to a switch or to another host".into(),
            Self::NotHost { .. } => "a host".into(),
            Self::NoCable { cabled, .. } => format!("a port with a cable: {cabled}"),
            Self::Unreachable { .. } => {
                "a path of switches between the ports that every two hosts use".into()
            }
            Self::Size { allowed, .. } => allowed.clone(),
        }
    }

    /// Returns the name of the node at fault, if the error concerns a node and not a link.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Name { name }
            | Self::DuplicateName { name }
            | Self::PortCount { name, .. }
            | Self::Unlinked { name }
            | Self::NotHost { name }
            | Self::NoCable { name, .. }
            | Self::Unreachable { to: name, .. } => Some(name),
            _ => None,
        }
    }
}
