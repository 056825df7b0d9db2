//! Acceptance of events: validation, and detection of copies.

use super::facts::{Connection, Facts, Port};
use super::{ApplicationId, ConnectionId, Event, Heard, Levels, PortId, Profile, Refused};
use crate::mapping::PriorityLevel;
use crate::sensitivity::Model;
use crate::table::Application;

impl Facts {
    /// Accepts an event, or refuses it.
    pub(super) fn hear(&mut self, event: Event, levels: &Levels) -> Result<Heard, Refused> {
        match event {
            Event::Registered { application, profile } => {
                self.registered(application, profile, levels)
            }
            Event::Gone { application } => Ok(self.is_gone(application)),
            Event::Connected { connection, application, level, path } => {
                levels.has(level)?;
                self.connected(connection, application, level, path)
            }
            Event::Closed { connection, path: _ } => Ok(self.is_closed(connection)),
            Event::PortFound { port, queues, revision } => {
                self.heard_of(port, Port { revision, queues: Some(queues) })
            }
            Event::PortLost { port, revision } => {
                self.heard_of(port, Port { revision, queues: None })
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
        levels: &Levels,
    ) -> Result<Heard, Refused> {
        if let Profile::Model(model) = &profile {
            levels.can_place(model)?;
        }
        if self.gone.contains(application.0) {
            return Ok(Heard::Known);
        }
        if let Some(known) = self.profile(application) {
            let is_same = *known == profile;
            return if is_same {
                Ok(Heard::Known)
            } else {
                Err(Refused::OtherProfile(application))
            };
        }
        self.register(application, profile);
        Ok(Heard::New)
    }

    fn is_gone(&mut self, application: ApplicationId) -> Heard {
        if !self.gone.insert(application.0) {
            return Heard::Known;
        }
        self.leave(application);
        Heard::New
    }

    fn connected(
        &mut self,
        id: ConnectionId,
        application: ApplicationId,
        level: PriorityLevel,
        path: Vec<PortId>,
    ) -> Result<Heard, Refused> {
        if self.closed.contains(id.0) || self.gone.contains(application.0) {
            return Ok(Heard::Known);
        }
        let mut ports: Vec<u32> = path.into_iter().map(|port| self.port_number(port)).collect();
        ports.sort_unstable();
        ports.dedup();
        let connection = Connection { application, level, ports };
        if let Some(known) = self.connections.get(&id) {
            let is_same = *known == connection;
            return if is_same { Ok(Heard::Known) } else { Err(Refused::OtherConnection(id)) };
        }
        self.connect(id, connection);
        Ok(Heard::New)
    }

    fn is_closed(&mut self, connection: ConnectionId) -> Heard {
        if !self.closed.insert(connection.0) {
            return Heard::Known;
        }
        self.disconnect(connection);
        Heard::New
    }

    fn heard_of(&mut self, id: PortId, port: Port) -> Result<Heard, Refused> {
        match self.said(id) {
            Some(known) if port.revision < known.revision => return Ok(Heard::Known),
            Some(known) if known == port => return Ok(Heard::Known),
            Some(known) if port.revision == known.revision => {
                return Err(Refused::OtherPort { port: id, revision: port.revision });
            }
            _ => {}
        }
        self.set_port(id, port);
        Ok(Heard::New)
    }

    fn model_updated(
        &mut self,
        name: Application,
        model: Model,
        revision: u64,
    ) -> Result<Heard, Refused> {
        match self.models.get(&name) {
            Some((known, _)) if revision < *known => return Ok(Heard::Known),
            Some((known, of)) if revision == *known => {
                return if *of == model {
                    Ok(Heard::Known)
                } else {
                    Err(Refused::OtherModel { revision })
                };
            }
            _ => {}
        }
        self.set_model(name, model, revision);
        Ok(Heard::New)
    }
}
