//! [`Facts`]: what is known, whatever the order in which it was heard.

use super::ids::Ids;
use super::occupancy::{Occupancy, Sender, take_one};
use super::{ApplicationId, ConnectionId, PortId, Profile};
use crate::mapping::PriorityLevel;
use crate::sensitivity::Model;
use crate::table::Application;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU8;

/// What is known. Each part only grows: a set of what was heard, and a set of what is over, or what has
/// the highest revision. So the order of events and their copies change nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// Those that are registered and not gone.
    pub(super) applications: BTreeMap<ApplicationId, Profile>,
    pub(super) gone: Ids,
    /// Those that were made and not closed, of applications that are not gone.
    pub(super) connections: BTreeMap<ConnectionId, Connection>,
    pub(super) closed: Ids,
    of_application: BTreeMap<ApplicationId, BTreeSet<ConnectionId>>,
    pub(super) occupancy: Occupancy,
    /// How many connections an application has with a level.
    pub(super) senders: BTreeMap<Sender, u32>,
    pub(super) ports: BTreeMap<PortId, Port>,
    pub(super) models: BTreeMap<Application, (u64, Model)>,
    pub(super) changes: Changes,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) application: ApplicationId,
    pub(super) level: PriorityLevel,
    /// In order of their ids, each once.
    pub(super) ports: Vec<PortId>,
}

/// A port with the highest revision heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) revision: u64,
    /// None if it is lost.
    pub(super) queues: Option<NonZeroU8>,
}

/// What has changed since somebody last looked.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes {
    /// Ports whose senders, models or queues are others.
    pub(super) ports: BTreeSet<PortId>,
    /// Those of them that were found or lost: what they were told before doesn't count.
    pub(super) renewed: BTreeSet<PortId>,
    /// Who is registered, or a model of them.
    pub(super) models: bool,
    /// Which applications have connections with which levels.
    pub(super) senders: bool,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.ports.is_empty() && !self.models && !self.senders
    }
}

impl Facts {
    /// The model of an application, if it is registered and there is one.
    pub(super) fn model(&self, application: ApplicationId) -> Option<&Model> {
        match self.applications.get(&application)? {
            Profile::Model(model) => Some(model),
            Profile::Named(name) => self.models.get(name.as_str()).map(|known| &known.1),
        }
    }

    pub(super) fn register(&mut self, application: ApplicationId, profile: Profile) {
        self.applications.insert(application, profile);
        self.model_changed(application);
    }

    pub(super) fn set_model(&mut self, name: Application, model: Model, revision: u64) {
        let is_named = |profile: &&Profile| matches!(profile, Profile::Named(of) if *of == name);
        let named = self.applications.iter().filter(|known| is_named(&known.1));
        let named: Vec<ApplicationId> = named.map(|known| *known.0).collect();
        self.models.insert(name, (revision, model));
        for application in named {
            self.model_changed(application);
        }
    }

    fn model_changed(&mut self, application: ApplicationId) {
        self.changes.models = true;
        for connection in self.of_application.get(&application).into_iter().flatten() {
            self.changes.ports.extend(&self.connections[connection].ports);
        }
    }

    pub(super) fn connect(&mut self, id: ConnectionId, connection: Connection) {
        let sender = (connection.application, connection.level);
        for &port in &connection.ports {
            self.occupancy.add(port, sender);
        }
        self.changes.ports.extend(&connection.ports);
        let senders = self.senders.entry(sender).or_default();
        *senders += 1;
        self.changes.senders |= *senders == 1;
        self.of_application.entry(connection.application).or_default().insert(id);
        self.connections.insert(id, connection);
    }

    /// Forgets a connection, if it is there.
    pub(super) fn disconnect(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.remove(&id) else { return };
        let sender = (connection.application, connection.level);
        for &port in &connection.ports {
            self.occupancy.remove(port, sender);
        }
        self.changes.ports.extend(&connection.ports);
        self.changes.senders |= take_one(&mut self.senders, sender);
        if let Some(others) = self.of_application.get_mut(&connection.application) {
            others.remove(&id);
            if others.is_empty() {
                self.of_application.remove(&connection.application);
            }
        }
    }

    /// Forgets an application and its connections.
    pub(super) fn leave(&mut self, application: ApplicationId) {
        let connections = self.of_application.get(&application).cloned().unwrap_or_default();
        for connection in connections {
            self.disconnect(connection);
        }
        self.changes.models |= self.applications.remove(&application).is_some();
    }

    pub(super) fn set_port(&mut self, id: PortId, port: Port) {
        self.ports.insert(id, port);
        self.changes.ports.insert(id);
        self.changes.renewed.insert(id);
    }
}
