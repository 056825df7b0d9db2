//! [`Task`], [`Why`] and [`OrderOutcome`]: an order to a port, its reason and its end.

use bandwise_saba::controller::PortConfig;
use serde::{Deserialize, Serialize};

/// The number of an order to a port, in the order in which orders are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OrderId(pub u64);

/// The action of an order at a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Read the configuration.
    Read,
    /// Compare the configuration with this one; write nothing.
    Check(PortConfig),
    /// Establish this configuration; write nothing if the port has it.
    Share(PortConfig),
    /// Restore the configuration from before the first write.
    AsFound,
}

/// The cause of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The port was discovered.
    Discovered,
    /// The wanted configuration has changed.
    Changed,
    /// The last order failed.
    Retry,
    /// The port is due for a periodic check.
    Check,
    /// Another program has written the port, or the port has lost its configuration.
    Overwritten,
}

/// The reason for an order: its cause, and the connections that changed since the last order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// The cause of the order.
    pub cause: Cause,
    /// The number of connections through the port that were opened since its last order.
    pub made: u32,
    /// The number of connections through the port that were closed since its last order.
    pub closed: u32,
}

/// The outcome of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderOutcome {
    /// The order was carried out.
    Done {
        /// True if the port was written.
        is_written: bool,
        /// The configuration that was read back, with weights in lowest terms.
        config: PortConfig,
    },
    /// The port was only checked, and has its configuration.
    Unchanged,
    /// The port was only checked, and has another configuration.
    Differs {
        /// The configuration that was found, with weights in lowest terms.
        found: PortConfig,
    },
    /// The order failed.
    Failed {
        /// The reason, and the configuration in which the port was left.
        error: String,
    },
}
