//! Acceptance of events: validation, and detection of copies.

use super::facts::{Connection, Facts, Port};
use super::{
    Accepted, ApplicationId, ConnectionId, Event, Levels, PortId, Profile, Refused, Tenant,
};
use crate::mapping::PriorityLevel;
use crate::sensitivity::Model;
use crate::table::Application;

impl Facts {
    /// Accepts an event, or refuses it.
    pub(super) fn accept(&mut self, event: Event, levels: &Levels) -> Result<Accepted, Refused> {
        match event {
            Event::Registered { application, profile, tenant } => {
                self.registered(application, profile, tenant, levels)
            }
            Event::Gone { application } => Ok(self.ended(application)),
            Event::Connected { connection, application, level, path } => {
                levels.has(level)?;
                self.connected(connection, application, level, path)
            }
            Event::Closed { connection, path: _ } => Ok(self.closed(connection)),
            Event::PortFound { port, queues, revision } => {
                self.port_changed(port, Port { revision, queues: Some(queues) })
            }
            Event::PortLost { port, revision } => {
                self.port_changed(port, Port { revision, queues: None })
            }
            Event::ModelUpdated { name, model, revision } => {
                levels.can_place(&model)?;
                self.model_updated(name, model, revision)
            }
        }
    }

    fn registered(
        &mut self,
        application: ApplicationId,
        profile: Profile,
        tenant: Tenant,
        levels: &Levels,
    ) -> Result<Accepted, Refused> {
        if let Profile::Model(model) = &profile {
            levels.can_place(model)?;
        }
        if self.gone.contains(application.0) {
            return Ok(Accepted::Known);
        }
        if let Some(known) = self.profile(application) {
            let is_same = known == (&profile, &tenant);
            return if is_same {
                Ok(Accepted::Known)
            } else {
                Err(Refused::OtherProfile(application))
            };
        }
        self.register(application, profile, tenant);
        Ok(Accepted::New)
    }

    fn ended(&mut self, application: ApplicationId) -> Accepted {
        if !self.gone.insert(application.0) {
            return Accepted::Known;
        }
        self.leave(application);
        Accepted::New
    }

    fn connected(
        &mut self,
        id: ConnectionId,
        application: ApplicationId,
        level: PriorityLevel,
        path: Vec<PortId>,
    ) -> Result<Accepted, Refused> {
        if self.closed.contains(id.0) || self.gone.contains(application.0) {
            return Ok(Accepted::Known);
        }
        let mut ports: Vec<u32> = path.into_iter().map(|port| self.port_number(port)).collect();
        ports.sort_unstable();
        ports.dedup();
        let connection = Connection { application, level, ports };
        if let Some(known) = self.connections.get(&id) {
            let is_same = *known == connection;
            return if is_same { Ok(Accepted::Known) } else { Err(Refused::OtherConnection(id)) };
        }
        self.connect(id, connection);
        Ok(Accepted::New)
    }

    fn closed(&mut self, connection: ConnectionId) -> Accepted {
        if !self.closed.insert(connection.0) {
            return Accepted::Known;
        }
        self.disconnect(connection);
        Accepted::New
    }

    fn port_changed(&mut self, id: PortId, port: Port) -> Result<Accepted, Refused> {
        match self.port_state(id) {
            Some(known) if port.revision < known.revision => return Ok(Accepted::Known),
            Some(known) if known == port => return Ok(Accepted::Known),
            Some(known) if port.revision == known.revision => {
                return Err(Refused::OtherPort { port: id, revision: port.revision });
            }
            _ => {}
        }
        self.set_port(id, port);
        Ok(Accepted::New)
    }

    fn model_updated(
        &mut self,
        name: Application,
        model: Model,
        revision: u64,
    ) -> Result<Accepted, Refused> {
        match self.models.get(&name) {
            Some((known, _)) if revision < *known => return Ok(Accepted::Known),
            Some((known, of)) if revision == *known => {
                return if *of == model {
                    Ok(Accepted::Known)
                } else {
                    Err(Refused::OtherModel { revision })
                };
            }
            _ => {}
        }
        self.set_model(name, model, revision);
        Ok(Accepted::New)
    }
}
