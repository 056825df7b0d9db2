//! [`Instance`]: one of several controllers, each with a group of ports (Saba 4.3.4).

use super::{
    ApplicationId, Command, Controller, Event, Heard, Levels, PortConfig, PortId, Refused,
    Settings, SharedTable,
};
use crate::mapping::PriorityLevel;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One of the instances of a distributed controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// Which instance owns which ports. All instances go by the same one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Partition {
    instances: BTreeSet<InstanceId>,
    owner: BTreeMap<PortId, InstanceId>,
}

impl Partition {
    /// These instances and all owners; an instance may own no port.
    pub fn new(
        instances: impl IntoIterator<Item = InstanceId>,
        owner: BTreeMap<PortId, InstanceId>,
    ) -> Self {
        let instances = instances.into_iter().chain(owner.values().copied()).collect();
        Partition { instances, owner }
    }

    /// All instances.
    pub fn instances(&self) -> impl Iterator<Item = InstanceId> {
        self.instances.iter().copied()
    }

    /// Who owns a port.
    pub fn owner(&self, port: PortId) -> Result<InstanceId, Refused> {
        self.owner.get(&port).copied().ok_or(Refused::NoOwner(port))
    }
}

/// What another instance has to be told. Whoever carries it may do so late, in any order and several
/// times. If it is lost, a retry of the event that it came from says it again.
#[derive(Debug, Clone, PartialEq)]
pub struct Forward {
    /// To whom.
    pub to: InstanceId,
    /// What, for its [`handed`](Instance::handed).
    pub event: Event,
}

/// A controller of some ports. All instances have one table of levels, so any of them gives an
/// application the same level.
///
/// A connection goes from one instance to the next along its path (Saba 4.3.4), each of which takes its
/// own ports out of it. Who is registered and gone, and models of the table, go to all others from the
/// instance that heard it, since any port may be concerned.
#[derive(Debug, Clone)]
pub struct Instance {
    id: InstanceId,
    partition: Arc<Partition>,
    controller: Controller,
    /// Applications that registered here: the others are told their level elsewhere.
    registered_here: BTreeSet<ApplicationId>,
    forwards: Vec<Forward>,
}

impl Instance {
    /// An instance that has heard of nobody.
    pub fn new(
        id: InstanceId,
        partition: Arc<Partition>,
        settings: Settings,
        table: Arc<SharedTable>,
    ) -> Self {
        let controller = Controller::new(settings, Levels::Shared(table));
        let (registered_here, forwards) = (BTreeSet::new(), Vec::new());
        Instance { id, partition, controller, registered_here, forwards }
    }

    /// Takes an event from outside: the library of an application, or whoever finds ports. It may be
    /// any instance that they tell. Of what concerns only others it says that it is new.
    pub fn hear(&mut self, event: Event) -> Result<Heard, Refused> {
        match &event {
            Event::Registered { application, .. } => {
                let application = *application;
                let heard = self.hear_for_all(event)?;
                if self.controller.is_registered(application) {
                    self.registered_here.insert(application);
                }
                Ok(heard)
            }
            Event::Gone { .. } | Event::ModelUpdated { .. } => self.hear_for_all(event),
            _ => self.handed(event),
        }
    }

    /// Takes what another instance has forwarded.
    pub fn handed(&mut self, event: Event) -> Result<Heard, Refused> {
        match event {
            Event::Registered { .. } | Event::ModelUpdated { .. } => self.controller.handle(event),
            Event::Gone { application } => {
                self.registered_here.remove(&application);
                self.controller.handle(event)
            }
            Event::Connected { connection, application, level, path } => {
                let (own, rest) = self.split(path)?;
                let event = |path| Event::Connected { connection, application, level, path };
                let heard = self.controller.handle(event(own))?;
                // Who has closed it by now has never told the others of it.
                if self.controller.is_open(connection) {
                    self.hand_on(rest, event);
                }
                Ok(heard)
            }
            Event::Closed { connection, path } => {
                let (own, rest) = self.split(path)?;
                let event = |path| Event::Closed { connection, path };
                let heard = self.controller.handle(event(own))?;
                self.hand_on(rest, event);
                Ok(heard)
            }
            Event::PortFound { port, .. } | Event::PortLost { port, .. } => {
                let owner = self.partition.owner(port)?;
                if owner == self.id {
                    return self.controller.handle(event);
                }
                self.forwards.push(Forward { to: owner, event });
                Ok(Heard::New)
            }
        }
    }

    fn hear_for_all(&mut self, event: Event) -> Result<Heard, Refused> {
        let heard = self.handed(event.clone())?;
        let others = self.partition.instances().filter(|&other| other != self.id);
        self.forwards.extend(others.map(|to| Forward { to, event: event.clone() }));
        Ok(heard)
    }

    /// The own ports of a path, and those of others in their order.
    fn split(&self, path: Vec<PortId>) -> Result<(Vec<PortId>, Vec<PortId>), Refused> {
        let owners: Vec<InstanceId> =
            path.iter().map(|&port| self.partition.owner(port)).collect::<Result<_, _>>()?;
        let (own, rest): (Vec<_>, Vec<_>) =
            path.into_iter().zip(owners).partition(|of| of.1 == self.id);
        let ports = |of: Vec<(PortId, InstanceId)>| of.into_iter().map(|of| of.0).collect();
        Ok((ports(own), ports(rest)))
    }

    /// To the next on the path, if there is one. Each takes its ports out, so this comes to an end.
    fn hand_on(&mut self, rest: Vec<PortId>, event: impl Fn(Vec<PortId>) -> Event) {
        let next = rest.first().and_then(|&port| self.partition.owner(port).ok());
        self.forwards.extend(next.map(|to| Forward { to, event: event(rest) }));
    }

    /// What is to be carried to other instances since the last time, oldest first.
    pub fn take_forwards(&mut self) -> Vec<Forward> {
        std::mem::take(&mut self.forwards)
    }

    /// As [`Controller::settle`]; levels only of applications that registered here.
    pub fn settle(&mut self) -> Vec<Command> {
        let mut commands = self.controller.settle();
        commands.retain(|command| match command {
            Command::Assign { application, .. } => self.registered_here.contains(application),
            Command::Configure { .. } => true,
        });
        commands
    }

    /// The level of an application, for whoever asks again, or registers again with another instance.
    pub fn level(&self, application: ApplicationId) -> Option<PriorityLevel> {
        self.controller.level(application)
    }

    /// What own ports have been told, by id.
    pub fn configurations(&self) -> impl Iterator<Item = (PortId, &PortConfig)> {
        self.controller.configurations()
    }
}
