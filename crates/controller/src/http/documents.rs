//! The documents of the HTTP interface, for the controller that sends them and for clients that read
//! them. A client ignores fields of newer controllers.

use crate::core::{Application, Connection, Core, Group, PortState};
use crate::credentials::Caller;
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortConfig, PortId};
use bandwise_saba::mapping::PriorityLevel;
use serde::{Deserialize, Serialize};

/// `GET /v1/status`: the state of a controller, without single connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusDocument {
    /// The version of the controller.
    pub version: String,
    /// True if clients, connections and applications are those of the caller only, and the ports are those on the paths
    /// of its connections.
    pub own_only: bool,
    /// True if no port is being written, and the controller is not cut off.
    pub settled: bool,
    /// True if the controller shares a store with others and does not reach it, or has just started: what it says may be
    /// out of date. False from older controllers.
    #[serde(default)]
    pub cut_off: bool,
    /// The controller's name among others; `None` for a single controller.
    pub instance: Option<Group>,
    /// The groups of ports that the controller writes, without that of a single controller.
    pub groups: Vec<Group>,
    /// The number of clients.
    pub clients: usize,
    /// The number of connections.
    pub connections: usize,
    /// The registrations, several for a job with parts.
    pub applications: Vec<ApplicationStatus>,
    /// The ports.
    pub ports: Vec<PortStatus>,
}

/// A registration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplicationStatus {
    /// The registration's id.
    pub application: ApplicationId,
    /// The name, by which the application's model is found.
    pub name: String,
    /// The client that registered it.
    pub client: u64,
    /// The priority level.
    pub level: PriorityLevel,
    /// The name of the job.
    pub job: Option<String>,
    /// The first registration of the job; the registration itself if it has no job.
    pub whole: ApplicationId,
    /// The number of its connections.
    pub connections: usize,
    /// Doubts about the application's model under the conditions of this run; none from older controllers.
    #[serde(default)]
    pub doubts: Vec<String>,
}

/// A port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortStatus {
    /// The port's id.
    pub port: PortId,
    /// The port's name.
    pub name: String,
    /// The group of the port.
    pub group: Group,
    /// True if another controller writes the port.
    pub foreign: bool,
    /// The wanted configuration.
    pub wanted: PortConfig,
    /// The configuration that was read last; `None` before the first read and after a failure.
    pub read: Option<PortConfig>,
    /// True if an operator has drained the port.
    pub drained: bool,
    /// True if the port needs nothing except periodic checks.
    pub settled: bool,
    /// True if the outstanding order takes longer than it should.
    pub late: bool,
    /// The number of failed orders since the last success.
    pub failures: u32,
    /// The error of the last failed order.
    pub fault: Option<String>,
}

/// `GET /v1/connections`: all connections, by their ids. It is read page by page: a connection that is made or closed
/// meanwhile may be in it or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionsDocument {
    /// The connections.
    pub connections: Vec<ConnectionStatus>,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionStatus {
    /// The connection's id.
    pub connection: ConnectionId,
    /// The registration that it belongs to.
    pub application: ApplicationId,
    /// The priority level, which the connection keeps.
    pub level: PriorityLevel,
    /// The host of the sender.
    pub from: String,
    /// The host of the receiver.
    pub to: String,
    /// The ports on the path.
    pub path: Vec<PortId>,
}

impl StatusDocument {
    /// Returns the state as this caller may see it.
    pub(super) fn of(core: &Core, caller: &Caller) -> Self {
        let state = core.state();
        let is_seen = |client| caller.sees(state.owner_of(client));
        let (clients, connections) = match caller.sees_all() {
            true => (state.clients().len(), state.connections().len()),
            false => {
                let held = state.held_by(caller.owner());
                (held.clients as usize, held.connections as usize)
            }
        };
        let applications = state.applications().filter(|(_, of)| is_seen(of.client));
        let application = |(id, of): (ApplicationId, &Application)| ApplicationStatus {
            application: id,
            name: of.name.to_string(),
            client: of.client.0,
            level: of.level,
            job: of.job.as_ref().map(|job| job.name.to_string()),
            whole: of.job.as_ref().map_or(id, |job| job.whole),
            connections: state.connections_of(id).count(),
            doubts: of.doubts.clone(),
        };
        let own_ports = (!caller.sees_all()).then(|| state.ports_of(caller.owner()));
        let ports =
            core.ports().filter(|(id, _)| own_ports.as_ref().is_none_or(|own| own.contains(id)));
        StatusDocument {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            own_only: !caller.sees_all(),
            settled: core.is_settled(),
            cut_off: core.is_cut_off(),
            instance: core.own_group().cloned(),
            groups: core.held().filter(|group| !group.is_nameless()).cloned().collect(),
            clients,
            connections,
            applications: applications.map(application).collect(),
            ports: ports.map(PortStatus::from).collect(),
        }
    }
}

impl From<(PortId, &PortState)> for PortStatus {
    fn from((id, port): (PortId, &PortState)) -> Self {
        PortStatus {
            port: id,
            name: port.name.clone(),
            group: port.group.clone(),
            foreign: port.is_foreign,
            wanted: port.wanted.clone(),
            read: port.read.clone(),
            drained: port.is_drained,
            settled: port.is_settled(),
            late: port.is_late(),
            failures: port.failures,
            fault: port.fault.clone(),
        }
    }
}

impl From<(ConnectionId, &Connection)> for ConnectionStatus {
    fn from((id, of): (ConnectionId, &Connection)) -> Self {
        ConnectionStatus {
            connection: id,
            application: of.application,
            level: of.level,
            from: of.from.to_string(),
            to: of.to.to_string(),
            path: of.path.to_vec(),
        }
    }
}
