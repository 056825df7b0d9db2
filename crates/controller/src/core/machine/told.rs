//! What the core tells the controller of Saba, and what that says to ports.

use super::{Core, Unfit};
use crate::core::change::Change;
use bandwise_saba::controller::{ApplicationId, Command, Event, PortId, Profile};
use bandwise_saba::table::Application;
use std::num::NonZeroU8;

impl Core {
    /// Tells the controller what is stored.
    pub(super) fn tell(&mut self, change: &Change) -> Result<(), Unfit> {
        match change {
            Change::Application(id, Some(of)) => {
                let name = Application::try_from(of.name.as_str());
                let name =
                    name.map_err(|error| Unfit::Application { application: id.0, name: error.0 })?;
                let profile = Profile::Named(name);
                let event = Event::Registered { application: *id, profile };
                self.controller.handle(event).expect("an id is given once");
            }
            Change::Application(application, None) => self.is_gone(*application),
            Change::Connection(id, Some(of)) => {
                let path = of.path.to_vec();
                let (application, level) = (of.application, of.level);
                let event = Event::Connected { connection: *id, application, level, path };
                let refused = |why| Unfit::Connection { connection: id.0, why };
                self.controller.handle(event).map_err(refused)?;
                of.path.iter().for_each(|&port| self.ports.count(port, true));
            }
            Change::Connection(id, None) => {
                // A controller that is alone doesn't look at the path.
                let event = Event::Closed { connection: *id, path: Vec::new() };
                self.controller.handle(event).expect("what is closed is closed");
            }
            _ => {}
        }
        Ok(())
    }

    fn is_gone(&mut self, application: ApplicationId) {
        self.controller.handle(Event::Gone { application }).expect("what is gone is gone");
    }

    pub(super) fn found(&mut self, port: PortId, name: String, queues: NonZeroU8) {
        let is_drained = self.state.drained.contains(&port);
        let is_left = self.ports.are_left;
        let mut revision = 0;
        self.ports.change(port, (self.now, &self.rules), |known| {
            known.revision += 1;
            revision = known.revision;
            known.forget();
            (known.name, known.is_there) = (name, true);
            (known.is_drained, known.is_left) = (is_drained, is_left);
        });
        let event = Event::PortFound { port, queues, revision };
        self.controller.handle(event).expect("each revision is higher");
        self.settle();
    }

    pub(super) fn lost(&mut self, port: PortId) {
        let mut revision = 0;
        self.ports.change(port, (self.now, &self.rules), |known| {
            known.revision += 1;
            revision = known.revision;
            known.forget();
        });
        let event = Event::PortLost { port, revision };
        self.controller.handle(event).expect("each revision is higher");
        self.settle();
    }

    pub(super) fn settle(&mut self) {
        for command in self.controller.settle() {
            // Levels are the table's, and were said when they were asked for.
            let Command::Configure { port, config } = command else { continue };
            self.ports.change(port, (self.now, &self.rules), |port| port.wanted = config);
        }
    }
}
