//! [`Event`]: an input of a controller.

use crate::mapping::PriorityLevel;
use crate::sensitivity::Model;
use crate::table::Application;
use std::num::NonZeroU8;

/// A running application. Each run of a program has another id. Ascending ids take no memory once
/// they have ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct ApplicationId(pub u64);

/// A connection in one direction, from the sender of data. An id is used once. Ascending ids take
/// no memory once they are closed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct ConnectionId(pub u64);

/// An output port of a switch or host.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct PortId(pub u64);

/// The party to which applications belong. Tenants share each port, whatever the number of their
/// applications: see [`Settings::guaranteed`](super::Settings).
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenant(Box<str>);

impl From<&str> for Tenant {
    fn from(name: &str) -> Self {
        Tenant(name.into())
    }
}

/// The profile of an application that registers.
#[derive(Debug, Clone, PartialEq)]
pub enum Profile {
    /// A name in the sensitivity table (Saba 4.2). An application with an unknown name waits for
    /// its model.
    Named(Application),
    /// A model of the application itself.
    Model(Model),
}

/// An input of a controller.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// An application has registered (Saba 4.4.2, 1 and 2).
    Registered {
        /// The id.
        application: ApplicationId,
        /// The profile.
        profile: Profile,
        /// The tenant.
        tenant: Tenant,
    },
    /// An application has ended (Saba 4.4.2, 12 and 13), and with it all its connections.
    Gone {
        /// The id.
        application: ApplicationId,
    },
    /// A connection was opened (Saba 4.4.2, 4 and 5).
    Connected {
        /// The id.
        connection: ConnectionId,
        /// The application.
        application: ApplicationId,
        /// The level of its packets.
        level: PriorityLevel,
        /// The ports that the connection sends through, in order; with several paths, all of them
        /// (Saba 4.3). A port that occurs twice counts once.
        path: Vec<PortId>,
    },
    /// A connection was closed (Saba 4.4.2, 8 and 9).
    Closed {
        /// The id.
        connection: ConnectionId,
        /// The path with which the connection was opened. An [`Instance`](super::Instance) without
        /// knowledge of the connection forwards the event by this path. A single controller ignores
        /// it.
        path: Vec<PortId>,
    },
    /// A port was found. The port has no configuration, or has lost it.
    PortFound {
        /// The port.
        port: PortId,
        /// The number of queues.
        queues: NonZeroU8,
        /// The revision. The highest one of a port counts.
        revision: u64,
    },
    /// A port was lost. The port is not configured until it is found again.
    PortLost {
        /// The port.
        port: PortId,
        /// The revision. The highest one of a port counts.
        revision: u64,
    },
    /// A name in the sensitivity table has a model, the first or another one.
    ModelUpdated {
        /// The name.
        name: Application,
        /// Its model.
        model: Model,
        /// The revision. The highest one of a name counts. Models of a
        /// [`SharedTable`](super::SharedTable) have revision 0.
        revision: u64,
    },
}

/// The effect of an accepted event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// The event is new.
    New,
    /// The event is known or obsolete: a copy, a retry, or a late one.
    Known,
}

/// The reasons for which an event is refused. Nothing changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The application is registered with another profile or tenant.
    #[error("application {} is registered with another model or owner", .0.0)]
    OtherProfile(ApplicationId),
    /// The connection exists with another application, level or path.
    #[error("connection {} exists with another application, level or path", .0.0)]
    OtherConnection(ConnectionId),
    /// A different event for the port has the same revision.
    #[error("port {} has another state with the same revision {revision}", .port.0)]
    OtherPort {
        /// The port.
        port: PortId,
        /// The revision.
        revision: u64,
    },
    /// A different model of the name has the same revision.
    #[error("the name has another model with the same revision {revision}")]
    OtherModel {
        /// The revision.
        revision: u64,
    },
    /// A level out of range.
    #[error("no priority level {}: there are {levels}, counted from 0", .level.0)]
    NoSuchLevel {
        /// The level.
        level: PriorityLevel,
        /// The number of levels.
        levels: u16,
    },
    /// Models are grouped by their coefficients, and this one is not a polynomial.
    #[error("the model is no polynomial, and applications are grouped by coefficients")]
    NoCoefficients,
    /// No instance owns the port.
    #[error("no instance owns port {}", .0.0)]
    NoOwner(PortId),
}
