//! [`Facts`]: what is known, whatever the order in which it was heard.

use super::ids::Ids;
use super::kinds::Kinds;
use super::numbers::{Marks, Numbers};
use super::senders::Senders;
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
    /// Those that are registered and not gone, and the number of the profile that each has.
    pub(super) applications: BTreeMap<ApplicationId, u32>,
    /// The profiles that they have, by number.
    pub(super) kinds: Kinds,
    pub(super) gone: Ids,
    /// Those that were made and not closed, of applications that are not gone.
    pub(super) connections: BTreeMap<ConnectionId, Connection>,
    pub(super) closed: Ids,
    of_application: BTreeMap<ApplicationId, BTreeSet<ConnectionId>>,
    /// How many connections an application has with a level.
    pub(super) senders: BTreeMap<(ApplicationId, PriorityLevel), u32>,
    /// Of applications that are registered or have a connection.
    pub(super) numbers: Numbers<ApplicationId>,
    /// Of all ports that were ever heard of.
    pub(super) port_numbers: Numbers<PortId>,
    /// By number.
    ports: Vec<PortFacts>,
    pub(super) models: BTreeMap<Application, (u64, Model)>,
    pub(super) changes: Changes,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) application: ApplicationId,
    pub(super) level: PriorityLevel,
    /// The numbers of its ports in their order, each once.
    pub(super) ports: Vec<u32>,
}

/// What is known of a port.
#[derive(Debug, Clone)]
pub(super) struct PortFacts {
    pub(super) id: PortId,
    /// None if only connections through it were heard of.
    pub(super) said: Option<Port>,
    pub(super) senders: Senders,
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
    pub(super) ports: Marks,
    /// Those of them that were found or lost: what they were told before doesn't count.
    pub(super) renewed: Marks,
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
    /// What is known of an application that is registered.
    pub(super) fn profile(&self, application: ApplicationId) -> Option<&Profile> {
        Some(self.kinds.profile(*self.applications.get(&application)?))
    }

    /// The model that a profile comes to, if there is one.
    pub(super) fn model<'m>(&'m self, profile: &'m Profile) -> Option<&'m Model> {
        match profile {
            Profile::Model(model) => Some(model),
            Profile::Named(name) => self.models.get(name.as_str()).map(|known| &known.1),
        }
    }

    pub(super) fn register(&mut self, application: ApplicationId, profile: Profile) {
        let number = self.numbers.give(application);
        let kind = self.kinds.join(profile);
        self.applications.insert(application, kind);
        for port in self.ports_of(application) {
            self.ports[port as usize].senders.change(number, None, Some(kind));
        }
        self.model_changed(application);
    }

    /// The ports that an application sends through, each once.
    fn ports_of(&self, application: ApplicationId) -> BTreeSet<u32> {
        let connections = self.of_application.get(&application).into_iter().flatten();
        connections.flat_map(|of| &self.connections[of].ports).copied().collect()
    }

    pub(super) fn set_model(&mut self, name: Application, model: Model, revision: u64) {
        let kind = self.kinds.named(&name);
        self.models.insert(name, (revision, model));
        let named = self.applications.iter().filter(|of| Some(*of.1) == kind);
        let named: Vec<ApplicationId> = named.map(|of| *of.0).collect();
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

    /// The number of a port, from now on if it has none yet.
    pub(super) fn port_number(&mut self, id: PortId) -> u32 {
        let number = self.port_numbers.give(id);
        if number as usize == self.ports.len() {
            self.ports.push(PortFacts { id, said: None, senders: Senders::default() });
        }
        number
    }

    /// What is known of the port with this number.
    pub(super) fn port(&self, number: u32) -> &PortFacts {
        &self.ports[number as usize]
    }

    /// All that holds for a port so far.
    pub(super) fn said(&self, id: PortId) -> Option<Port> {
        self.port(self.port_numbers.of(&id)?).said
    }

    /// All ports that somebody sends through are to be looked at.
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

    /// Forgets a connection, if it is there.
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

    /// Forgets an application and its connections.
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

    /// Takes an application's number back if nothing is known of it.
    fn release(&mut self, application: ApplicationId) {
        let is_known = self.applications.contains_key(&application)
            || self.of_application.contains_key(&application);
        if !is_known {
            self.numbers.release(&application);
        }
    }

    pub(super) fn set_port(&mut self, id: PortId, port: Port) {
        let number = self.port_number(id);
        self.ports[number as usize].said = Some(port);
        self.changes.ports.insert(number);
        self.changes.renewed.insert(number);
    }
}

/// Counts one less; true if none is left.
fn take_one<K: Ord>(counts: &mut BTreeMap<K, u32>, key: K) -> bool {
    let Some(count) = counts.get_mut(&key) else { return false };
    *count -= 1;
    let none_left = *count == 0;
    if none_left {
        counts.remove(&key);
    }
    none_left
}
