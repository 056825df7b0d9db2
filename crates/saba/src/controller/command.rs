//! [`Command`]: a command of a controller.

use super::{ApplicationId, PortId};
use crate::mapping::{PriorityLevel, Queues};

/// The configuration of a port.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct PortConfig {
    /// The queue of each level at the port, counted from 0.
    pub table: Queues,
    /// The weight of each queue, from 1.
    pub weights: Vec<u8>,
}

/// A command of a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Assigns a level for an application's further connections: the answer to its registration
    /// (Saba 4.4.2, 3), or a later change. Existing connections keep their level.
    Assign {
        /// The application.
        application: ApplicationId,
        /// The level.
        level: PriorityLevel,
    },
    /// Configures the sharing of a port (Saba 4.4.2, 7).
    Configure {
        /// The port.
        port: PortId,
        /// The configuration, empty if no application sends through the port.
        config: PortConfig,
    },
}
