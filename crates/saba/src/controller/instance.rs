//! [`Instance`]: one of several controllers, each with a group of ports (Saba 4.3.4).

use super::{
    Accepted, ApplicationId, Command, Controller, Event, Levels, PortConfig, PortId, Refused,
    Settings, SharedTable,
};
use crate::mapping::PriorityLevel;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One of the instances of a distributed controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// The owner of each port. All instances have the same partition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Partition {
    instances: BTreeSet<InstanceId>,
    owner: BTreeMap<PortId, InstanceId>,
}

impl Partition {
    /// Returns a partition of these instances and all owners. An instance may own no port.
    pub fn new(
        instances: impl IntoIterator<Item = InstanceId>,
        owner: BTreeMap<PortId, InstanceId>,
    ) -> Self {
        let instances = instances.into_iter().chain(owner.values().copied()).collect();
        Partition { instances, owner }
    }

    /// Iterates over all instances.
    pub fn instances(&self) -> impl Iterator<Item = InstanceId> {
        self.instances.iter().copied()
    }

    /// Returns the owner of a port.
    ///
    /// # Errors
    ///
    /// Returns [`Refused::NoOwner`] if no instance owns the port.
    pub fn owner(&self, port: PortId) -> Result<InstanceId, Refused> {
        self.owner.get(&port).copied().ok_or(Refused::NoOwner(port))
    }
}

/// An event for another instance. It may arrive late, in any order and several times. If it is
/// lost, a retry of its cause repeats it.
#[derive(Debug, Clone, PartialEq)]
pub struct Forward {
    /// The receiver.
    pub to: InstanceId,
    /// The event, for the receiver's [`accept_forwarded`](Instance::accept_forwarded).
    pub event: Event,
}

/// A controller of some ports. All instances have one table of levels, so each assigns the same
/// level to an application.
///
/// A connection goes from one instance to the next along its path (Saba 4.3.4); each removes its
/// own ports. The instance that receives a registration, an end or a model forwards it to all
/// others, because it can affect any port.
#[derive(Debug, Clone)]
pub struct Instance {
    id: InstanceId,
    partition: Arc<Partition>,
    controller: Controller,
    /// The applications that registered here. Other instances assign the levels of the others.
    registered_here: BTreeSet<ApplicationId>,
    forwards: Vec<Forward>,
}

impl Instance {
    /// Returns an instance without any event.
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

    /// Accepts an event from outside: from an application's library or from discovery. Any instance
    /// may receive it. An event that concerns only other instances counts as new.
    ///
    /// # Errors
    ///
    /// Returns the reason if the event is refused.
    pub fn accept(&mut self, event: Event) -> Result<Accepted, Refused> {
        match &event {
            Event::Registered { application, .. } => {
                let application = *application;
                let accepted = self.accept_for_all(event)?;
                if self.controller.is_registered(application) {
                    self.registered_here.insert(application);
                }
                Ok(accepted)
            }
            Event::Gone { .. } | Event::ModelUpdated { .. } => self.accept_for_all(event),
            _ => self.accept_forwarded(event),
        }
    }

    /// Accepts an event that another instance has forwarded.
    ///
    /// # Errors
    ///
    /// Returns the reason if the event is refused.
    pub fn accept_forwarded(&mut self, event: Event) -> Result<Accepted, Refused> {
        match event {
            Event::Registered { .. } | Event::ModelUpdated { .. } => self.controller.handle(event),
            Event::Gone { application } => {
                self.registered_here.remove(&application);
                self.controller.handle(event)
            }
            Event::Connected { connection, application, level, path } => {
                let (own, rest) = self.split(path)?;
                let event = |path| Event::Connected { connection, application, level, path };
                let accepted = self.controller.handle(event(own))?;
                // A closed connection has not been announced to the others.
                if self.controller.is_open(connection) {
                    self.forward(rest, event);
                }
                Ok(accepted)
            }
            Event::Closed { connection, path } => {
                let (own, rest) = self.split(path)?;
                let event = |path| Event::Closed { connection, path };
                let accepted = self.controller.handle(event(own))?;
                self.forward(rest, event);
                Ok(accepted)
            }
            Event::PortFound { port, .. } | Event::PortLost { port, .. } => {
                let owner = self.partition.owner(port)?;
                if owner == self.id {
                    return self.controller.handle(event);
                }
                self.forwards.push(Forward { to: owner, event });
                Ok(Accepted::New)
            }
        }
    }

    fn accept_for_all(&mut self, event: Event) -> Result<Accepted, Refused> {
        let accepted = self.accept_forwarded(event.clone())?;
        let others = self.partition.instances().filter(|&other| other != self.id);
        self.forwards.extend(others.map(|to| Forward { to, event: event.clone() }));
        Ok(accepted)
    }

    /// Splits a path into own ports and those of other instances, in order.
    fn split(&self, path: Vec<PortId>) -> Result<(Vec<PortId>, Vec<PortId>), Refused> {
        let owners: Vec<InstanceId> =
            path.iter().map(|&port| self.partition.owner(port)).collect::<Result<_, _>>()?;
        let (own, rest): (Vec<_>, Vec<_>) =
            path.into_iter().zip(owners).partition(|of| of.1 == self.id);
        let ports = |of: Vec<(PortId, InstanceId)>| of.into_iter().map(|of| of.0).collect();
        Ok((ports(own), ports(rest)))
    }

    /// Forwards to the next instance on the path, if there is one. Each instance removes its ports,
    /// so the forwarding ends.
    fn forward(&mut self, rest: Vec<PortId>, event: impl Fn(Vec<PortId>) -> Event) {
        let next = rest.first().and_then(|&port| self.partition.owner(port).ok());
        self.forwards.extend(next.map(|to| Forward { to, event: event(rest) }));
    }

    /// Returns the events for other instances since the last call, oldest first.
    pub fn take_forwards(&mut self) -> Vec<Forward> {
        std::mem::take(&mut self.forwards)
    }

    /// Computes commands as [`Controller::settle`], with levels of applications that registered
    /// here only.
    pub fn settle(&mut self) -> Vec<Command> {
        let mut commands = self.controller.settle();
        commands.retain(|command| match command {
            Command::Assign { application, .. } => self.registered_here.contains(application),
            Command::Configure { .. } => true,
        });
        commands
    }

    /// Returns the level of an application, for retries and registrations at another instance.
    pub fn level(&self, application: ApplicationId) -> Option<PriorityLevel> {
        self.controller.level(application)
    }

    /// Iterates over the configurations of own ports, by id.
    pub fn configurations(&self) -> impl Iterator<Item = (PortId, &PortConfig)> {
        self.controller.configurations()
    }
}
