//! [`Rules`] and [`Limits`]: what the core goes by.

use bandwise_saba::controller::{Settings, Weighting};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the core goes by, beside the sensitivity table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// How long a client is taken for alive after it was last heard.
    pub lease: Duration,
    /// From the end of what was done at a port to the next at the same port, at least.
    pub apart: Duration,
    /// How long a port stays without being looked at.
    pub look: Duration,
    /// How long the network stays without being looked over: which ports there are, which routes.
    pub discover: Duration,
    /// After how long an order that has not ended is called late.
    pub late: Duration,
    /// From a failure to the next try; twice as long after each.
    pub retry: Duration,
    /// The longest such wait.
    pub longest_retry: Duration,
    /// How many changes a store takes at once; none where there is no limit.
    #[serde(default)]
    pub at_once: Option<u32>,
    /// Where weights come from.
    #[serde(default)]
    pub weighting: Weighting,
    /// What clients may have.
    pub limits: Limits,
}

impl Rules {
    /// How ports are shared.
    pub fn sharing(&self) -> Settings {
        Settings { weighting: self.weighting, ..Settings::default() }
    }
}

/// What clients may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Clients at one time.
    pub clients: u32,
    /// Applications of all clients of one [`Owner`](super::Owner).
    pub applications: u32,
    /// Connections of all clients of one owner.
    pub connections: u32,
    /// Requests of one client whose answers it has not said to have heard.
    pub unacknowledged: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            lease: Duration::from_secs(30),
            apart: Duration::from_millis(10),
            look: Duration::from_secs(10),
            discover: Duration::from_secs(30),
            late: Duration::from_secs(2),
            retry: Duration::from_millis(100),
            longest_retry: Duration::from_secs(30),
            at_once: None,
            weighting: Weighting::default(),
            limits: Limits::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { clients: 4_000, applications: 1_000, connections: 100_000, unacknowledged: 1_000 }
    }
}
