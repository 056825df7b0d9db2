//! What the core tells the controller of Saba, and what that says to ports.

use super::Core;
use crate::core::change::Change;
use bandwise_saba::controller::{Command, ConnectionId, Event, Profile, Refused};
use bandwise_saba::table::Application;

/// Why a core can't begin with what was stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A record says what can't be.
    #[error("connection {connection} was stored, and can't be: {why}")]
    Connection {
        /// The connection.
        connection: u64,
        /// Why not.
        why: Refused,
    },
    /// A name that is none.
    #[error("application {application} was stored with the name {name:?}, which is none")]
    Name {
        /// The application.
        application: u64,
        /// The name.
        name: String,
    },
    /// An application that is there otherwise.
    #[error("application {application} was stored, and can't be: {why}")]
    Application {
        /// The application.
        application: u64,
        /// Why not.
        why: Refused,
    },
}

impl Core {
    /// Tells the controller what is stored.
    pub(super) fn tell(&mut self, change: &Change) -> Result<(), Unfit> {
        match change {
            Change::Application(id, Some(of)) => {
                let name = Application::try_from(of.name.as_str());
                let name =
                    name.map_err(|error| Unfit::Name { application: id.0, name: error.0 })?;
                let profile = Profile::Named(name);
                if let Some(application) = self.jobs.registered(*id, of) {
                    let event = Event::Registered { application, profile };
                    let refused = |why| Unfit::Application { application: id.0, why };
                    self.controller.handle(event).map_err(refused)?;
                }
            }
            Change::Application(id, None) => {
                if let Some(application) = self.jobs.gone(*id) {
                    let event = Event::Gone { application };
                    self.controller.handle(event).expect("what is gone is gone");
                }
            }
            Change::Connection(id, Some(of)) => {
                let path = of.path.to_vec();
                let (application, level) = (self.jobs.whole(of.application), of.level);
                let connection = self.known_as(*id);
                let event = Event::Connected { connection, application, level, path };
                let refused = |why| Unfit::Connection { connection: id.0, why };
                self.controller.handle(event).map_err(refused)?;
                of.path.iter().for_each(|&port| self.ports.count(port, true));
            }
            Change::Connection(id, None) => {
                let connection = self.moved.remove(id).unwrap_or(*id);
                self.is_closed(connection);
            }
            _ => {}
        }
        Ok(())
    }

    /// What the controller of Saba is to know a connection by that takes a way. There a connection has one way for
    /// good, as what it hears may come in any order: so one that moves is closed, and is another from then on. Its
    /// numbers are given from the last one down, ours from 0 up.
    fn known_as(&mut self, id: ConnectionId) -> ConnectionId {
        let known = self.moved.get(&id).copied().unwrap_or(id);
        if !self.controller.is_open(known) {
            return known;
        }
        self.is_closed(known);
        let other = ConnectionId(u64::MAX - self.moves);
        self.moves += 1;
        self.moved.insert(id, other);
        other
    }

    fn is_closed(&mut self, connection: ConnectionId) {
        // A controller that is alone doesn't look at the path.
        let event = Event::Closed { connection, path: Vec::new() };
        self.controller.handle(event).expect("what is closed is closed");
    }

    pub(super) fn settle(&mut self) {
        for command in self.controller.settle() {
            // Levels are the table's, and were said when they were asked for.
            let Command::Configure { port, config } = command else { continue };
            self.ports.change(port, (self.now, &self.rules), |port| port.wanted = config);
        }
    }
}
