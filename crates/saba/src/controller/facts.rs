//! [`Facts`]: the known facts, independent of the order of events.

use super::ids::Ids;
use super::kinds::Kinds;
use super::numbers::{Marks, Numbers};
use super::senders::Senders;
use super::{ApplicationId, ConnectionId, PortId, Profile, Tenant};
use crate::mapping::PriorityLevel;
use crate::sensitivity::Model;
use crate::table::Application;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU8;

/// The known facts. Each part only grows: a set of accepted ids, and a set of ended ids or the
/// highest revision. So neither the order of events nor their copies matter.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// The applications that are registered and have not ended, with the number of their kind.
    pub(super) applications: BTreeMap<ApplicationId, u32>,
    /// The kinds: profiles with their tenants, by number.
    pub(super) kinds: Kinds,
    pub(super) gone: Ids,
    /// The open connections of applications that have not ended.
    pub(super) connections: BTreeMap<ConnectionId, Connection>,
    pub(super) closed: Ids,
    of_application: BTreeMap<ApplicationId, BTreeSet<ConnectionId>>,
    /// The number of connections by application and level.
    pub(super) senders: BTreeMap<(ApplicationId, PriorityLevel), u32>,
    /// The numbers of applications that are registered or have a connection.
    pub(super) numbers: Numbers<ApplicationId>,
    /// The numbers of all known ports.
    pub(super) port_numbers: Numbers<PortId>,
    /// The ports, by number.
    ports: Vec<PortFacts>,
    pub(super) models: BTreeMap<Application, (u64, Model)>,
    pub(super) changes: Changes,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) application: ApplicationId,
    pub(super) level: PriorityLevel,
    /// The numbers of its ports in order, each once.
    pub(super) ports: Vec<u32>,
}

/// The facts on a port.
#[derive(Debug, Clone)]
pub(super) struct PortFacts {
    pub(super) id: PortId,
    /// The port's last event, or `None` if only connections through it are known.
    pub(super) state: Option<Port>,
    pub(super) senders: Senders,
}

/// A port with its highest revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) revision: u64,
    /// The number of queues, or `None` if the port is lost.
    pub(super) queues: Option<NonZeroU8>,
}

/// The changes since the last computation.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes {
    /// The ports with changed senders, models or queues.
    pub(super) ports: Marks,
    /// Ports of these that were found or lost; their previous commands are void.
    pub(super) renewed: Marks,
    /// True if registrations or their models have changed.
    pub(super) models: bool,
    /// True if the levels of applications' connections have changed.
    pub(super) senders: bool,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.ports.is_empty() && !self.models && !self.senders
    }
}

impl Facts {
    /// Returns the profile and tenant of a registered application.
    pub(super) fn profile(&self, application: ApplicationId) -> Option<(&Profile, &Tenant)> {
        let kind = *self.applications.get(&application)?;
        Some((self.kinds.profile(kind), self.kinds.tenant(kind)))
    }

    /// Returns the model of a profile, if there is one.
    pub(super) fn model<'m>(&'m self, profile: &'m Profile) -> Option<&'m Model> {
        match profile {
            Profile::Model(model) => Some(model),
            Profile::Named(name) => self.models.get(name.as_str()).map(|known| &known.1),
        }
    }

    pub(super) fn register(
        &mut self,
        application: ApplicationId,
        profile: Profile,
        tenant: Tenant,
    ) {
        let number = self.numbers.give(application);
        let kind = self.kinds.join(profile, tenant);
        self.applications.insert(application, kind);
        for port in self.ports_of(application) {
            self.ports[port as usize].senders.change(number, None, Some(kind));
        }
        self.model_changed(application);
    }

    /// Returns the ports that an application sends through, each once.
    fn ports_of(&self, application: ApplicationId) -> BTreeSet<u32> {
        let connections = self.of_application.get(&application).into_iter().flatten();
        connections.flat_map(|of| &self.connections[of].ports).copied().collect()
    }

    pub(super) fn set_model(&mut self, name: Application, model: Model, revision: u64) {
        let has_name = |kind| matches!(self.kinds.profile(kind), Profile::Named(of) if *of == name);
        let named = self.applications.iter().filter(|of| has_name(*of.1));
        let named: Vec<ApplicationId> = named.map(|of| *of.0).collect();
        self.models.insert(name, (revision, model));
        for application in named {
            self.model_changed(application);
        }
    }

    fn model_changed(&mut self, application: ApplicationId) {
        self.changes.models = true;
        for port in self.ports_of(application) {
            self.changes.ports.insert(port);
        }
    }

    /// Returns the number of a port, and assigns one if needed.
    pub(super) fn port_number(&mut self, id: PortId) -> u32 {
        let number = self.port_numbers.give(id);
        if number as usize == self.ports.len() {
            self.ports.push(PortFacts { id, state: None, senders: Senders::default() });
        }
        number
    }

    /// Returns the facts on the port with this number.
    pub(super) fn port(&self, number: u32) -> &PortFacts {
        &self.ports[number as usize]
    }

    /// Returns the last event of a port.
    pub(super) fn port_state(&self, id: PortId) -> Option<Port> {
        self.port(self.port_numbers.of(&id)?).state
    }

    /// Marks all ports with senders as changed.
    pub(super) fn all_in_use_change(&mut self) {
        for (number, port) in (0..).zip(&self.ports) {
            if !port.senders.each().is_empty() {
                self.changes.ports.insert(number);
            }
        }
    }

    pub(super) fn connect(&mut self, id: ConnectionId, connection: Connection) {
        let number = self.numbers.give(connection.application);
        let sender = (connection.application, connection.level);
        let kind = self.applications.get(&connection.application).copied();
        for &port in &connection.ports {
            self.ports[port as usize].senders.add(number, kind, connection.level);
            self.changes.ports.insert(port);
        }
        let senders = self.senders.entry(sender).or_default();
        *senders += 1;
        self.changes.senders |= *senders == 1;
        self.of_application.entry(connection.application).or_default().insert(id);
        self.connections.insert(id, connection);
    }

    /// Removes a connection, if it exists.
    pub(super) fn disconnect(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.remove(&id) else { return };
        let application = connection.application;
        let number = self.numbers.of(&application).expect("it has a connection");
        let kind = self.applications.get(&application).copied();
        for &port in &connection.ports {
            self.ports[port as usize].senders.remove(number, kind, connection.level);
            self.changes.ports.insert(port);
        }
        self.changes.senders |= take_one(&mut self.senders, (application, connection.level));
        if let Some(others) = self.of_application.get_mut(&application) {
            others.remove(&id);
            if others.is_empty() {
                self.of_application.remove(&application);
            }
        }
        self.release(application);
    }

    /// Removes an application and its connections.
    pub(super) fn leave(&mut self, application: ApplicationId) {
        let connections = self.of_application.get(&application).cloned().unwrap_or_default();
        for connection in connections {
            self.disconnect(connection);
        }
        if let Some(kind) = self.applications.remove(&application) {
            self.kinds.leave(kind);
            self.changes.models = true;
        }
        self.release(application);
    }

    /// Releases an application's number if there are no more facts about it.
    fn release(&mut self, application: ApplicationId) {
        let is_known = self.applications.contains_key(&application)
            || self.of_application.contains_key(&application);
        if !is_known {
            self.numbers.release(&application);
        }
    }

    pub(super) fn set_port(&mut self, id: PortId, port: Port) {
        let number = self.port_number(id);
        self.ports[number as usize].state = Some(port);
        self.changes.ports.insert(number);
        self.changes.renewed.insert(number);
    }
}

/// Decrements a count, and returns whether the result is zero.
fn take_one<K: Ord>(counts: &mut BTreeMap<K, u32>, key: K) -> bool {
    let Some(count) = counts.get_mut(&key) else { return false };
    *count -= 1;
    let none_left = *count == 0;
    if none_left {
        counts.remove(&key);
    }
    none_left
}
