//! [`Rules`] and [`Limits`]: the parameters of the core.

use bandwise_saba::Share;
use bandwise_saba::controller::{Settings, Weighting};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The parameters of the core, apart from the sensitivity table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// The length of a client's lease, from its last call.
    pub lease: Duration,
    /// The shortest time between two orders at a port, from the end of the first to the start of
    /// the second.
    pub order_gap: Duration,
    /// The interval between checks of a port.
    pub check_interval: Duration,
    /// The interval between discoveries of the network.
    pub discovery_interval: Duration,
    /// The time after which an outstanding order is reported as late.
    pub late_after: Duration,
    /// The delay from a failed order to the next one; it doubles with each failure.
    pub retry: Duration,
    /// The longest delay from a failed order to the next one.
    pub max_retry: Duration,
    /// The largest number of changes in a write; `None` without a limit.
    #[serde(default)]
    pub max_changes: Option<u32>,
    /// The source of weights.
    #[serde(default)]
    pub weighting: Weighting,
    /// The fraction of an equal part of a port that each [`Owner`](super::Owner) with applications at the port gets at
    /// least, from 0 to 1.
    pub guaranteed: f64,
    /// The limits of clients.
    pub limits: Limits,
}

impl Rules {
    /// Returns the settings of Saba's controller.
    pub fn sharing(&self) -> Settings {
        let guaranteed = Share::try_from(self.guaranteed).ok();
        Settings { weighting: self.weighting, guaranteed, ..Settings::default() }
    }
}

/// The limits of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Clients of one [`Owner`](super::Owner).
    pub clients: u32,
    /// Applications of all clients of one owner.
    pub applications: u32,
    /// Connections of all clients of one owner.
    pub connections: u32,
    /// Requests of one client with unacknowledged answers.
    pub unacknowledged: u32,
    /// Unacknowledged answers of all clients of one owner, beyond the number of its applications and connections.
    pub answers: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            lease: Duration::from_secs(30),
            order_gap: Duration::from_millis(10),
            check_interval: Duration::from_secs(10),
            discovery_interval: Duration::from_secs(30),
            late_after: Duration::from_secs(2),
            retry: Duration::from_millis(100),
            max_retry: Duration::from_secs(30),
            max_changes: None,
            weighting: Weighting::default(),
            guaranteed: 0.5,
            limits: Limits::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            clients: 4_000,
            applications: 1_000,
            connections: 100_000,
            unacknowledged: 1_000,
            answers: 10_000,
        }
    }
}
