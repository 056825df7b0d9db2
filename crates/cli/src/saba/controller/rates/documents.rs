//! The parts of a controller's HTTP documents on which rates depend.

use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_switches::Names;
use serde::Deserialize;

/// `GET /v1/status`.
#[derive(Debug, Deserialize)]
pub(super) struct Status {
    /// Unset while ports are being written.
    pub settled: bool,
    pub applications: Vec<Application>,
    pub ports: Vec<Port>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Application {
    pub application: u64,
    pub name: String,
    pub job: Option<String>,
    /// The first registration of the application's job; the application itself if it has no job.
    pub whole: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Port {
    pub port: u64,
    pub name: String,
    pub read: Option<PortConfig>,
}

/// `GET /v1/connections`.
#[derive(Debug, Deserialize)]
pub(super) struct Connections {
    pub connections: Vec<Connection>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Connection {
    pub connection: u64,
    pub application: u64,
    pub level: u16,
    pub from: String,
    pub to: String,
    pub path: Vec<u64>,
}

impl Connection {
    /// Returns the connection with the names of hosts in the network.
    pub(super) fn named(&self, names: &Names) -> bandwise_enforce_simulated::Connection {
        let known = |name: &String| names.get(&**name).cloned().unwrap_or_else(|| (&**name).into());
        let (from, to) = (known(&self.from), known(&self.to));
        bandwise_enforce_simulated::Connection { from, to, level: PriorityLevel(self.level) }
    }
}
