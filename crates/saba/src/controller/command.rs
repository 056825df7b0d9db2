//! [`Command`]: what a controller wants done.

use super::{ApplicationId, PortId};
use crate::mapping::{PriorityLevel, Queues};

/// How a port is to share its link.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct PortConfig {
    /// The queue of each level that sends through the port, counted from 0.
    pub table: Queues,
    /// The weight of each queue, from 1.
    pub weights: Vec<u8>,
}

/// What a controller wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// An application is to make connections with this level from now on: the answer to its
    /// registration (Saba 4.4.2, 3), or another level since. Those that it has keep theirs.
    Assign {
        /// The application.
        application: ApplicationId,
        /// Its level.
        level: PriorityLevel,
    },
    /// A port is to share its link so (Saba 4.4.2, 7).
    Configure {
        /// The port.
        port: PortId,
        /// Empty where nobody sends through it any more.
        config: PortConfig,
    },
}
