//! [`Event`]: what a controller is told.

use crate::mapping::PriorityLevel;
use crate::sensitivity::Model;
use crate::table::Application;
use std::num::NonZeroU8;

/// A running application. An id is given once: another run of the same program has another. Ids that
/// count upwards take no memory once they are gone.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct ApplicationId(pub u64);

/// A connection, in one direction: that from which data go to the other end. An id is given once, and
/// ids that count upwards take no memory once they are closed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct ConnectionId(pub u64);

/// An output port of a switch or host.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct PortId(pub u64);

/// What is known of an application that registers.
#[derive(Debug, Clone, PartialEq)]
pub enum Profile {
    /// Its name in the sensitivity table (Saba 4.2). One whose name is unknown waits for its model.
    Named(Application),
    /// Its own model.
    Model(Model),
}

/// What a controller is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// An application has registered (Saba 4.4.2, 1 and 2).
    Registered {
        /// Its id.
        application: ApplicationId,
        /// What is known of it.
        profile: Profile,
    },
    /// An application is gone (Saba 4.4.2, 12 and 13), and its connections with it, closed or not.
    Gone {
        /// Its id.
        application: ApplicationId,
    },
    /// A connection was made (Saba 4.4.2, 4 and 5).
    Connected {
        /// Its id.
        connection: ConnectionId,
        /// Whose it is.
        application: ApplicationId,
        /// The level that its packets carry.
        level: PriorityLevel,
        /// The ports that it sends through, in their order; where there are several paths, all of them
        /// (Saba 4.3). A port that is there twice counts once.
        path: Vec<PortId>,
    },
    /// A connection was closed (Saba 4.4.2, 8 and 9).
    Closed {
        /// Its id.
        connection: ConnectionId,
        /// The path that it was made with: an [`Instance`](super::Instance) that has not heard of the
        /// connection hands this on nevertheless. A controller that is alone doesn't look at it.
        path: Vec<PortId>,
    },
    /// A port was found: it has no configuration yet, or lost it.
    PortFound {
        /// The port.
        port: PortId,
        /// How many queues it has.
        queues: NonZeroU8,
        /// Of all that is said of this port, the highest revision counts.
        revision: u64,
    },
    /// A port is lost: it is not configured until it is found again.
    PortLost {
        /// The port.
        port: PortId,
        /// Of all that is said of this port, the highest revision counts.
        revision: u64,
    },
    /// There is a model for a name in the sensitivity table, the first or a better one.
    ModelUpdated {
        /// The name.
        name: Application,
        /// Its model.
        model: Model,
        /// Of all models for this name, the highest revision counts. Those of a
        /// [`SharedTable`](super::SharedTable) have 0.
        revision: u64,
    },
}

/// What became of an event that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// It says something new.
    New,
    /// It says what is known, or what is over: a copy, a retry, or one that came late.
    Known,
}

/// Why an event was not taken. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The application is registered, with another profile.
    #[error("application {} is registered with another model", .0.0)]
    OtherProfile(ApplicationId),
    /// The connection is there, with another application, level or path.
    #[error("connection {} is there with another application, level or path", .0.0)]
    OtherConnection(ConnectionId),
    /// Something else was said of the port, with the same revision.
    #[error("port {} is known otherwise with the same revision {revision}", .port.0)]
    OtherPort {
        /// The port.
        port: PortId,
        /// The revision.
        revision: u64,
    },
    /// There is another model of the name, with the same revision.
    #[error("there is another model of that name with the same revision {revision}")]
    OtherModel {
        /// The revision.
        revision: u64,
    },
    /// A level beyond those that there are.
    #[error("priority level {}, where there are {levels}, counted from 0", .level.0)]
    NoSuchLevel {
        /// The level.
        level: PriorityLevel,
        /// How many there are.
        levels: u16,
    },
    /// Models are grouped by their coefficients, and this one is no polynomial.
    #[error("the model is no polynomial, and applications are grouped by coefficients")]
    NoCoefficients,
    /// No instance owns the port.
    #[error("no instance owns port {}", .0.0)]
    NoOwner(PortId),
}
