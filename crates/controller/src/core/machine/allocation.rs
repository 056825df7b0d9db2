//! The link to Saba's controller: stored records go in, port configurations come out.

use super::Core;
use super::invalid_record::InvalidRecord;
use super::jobs::Jobs;
use crate::core::change::Change;
use crate::core::output::Output;
use crate::core::profiles::Profiles;
use bandwise_saba::controller::{
    Command, ConnectionId, Controller, Event, Levels, PortConfig, PortId, Profile, Settings,
};
use bandwise_saba::table::Application;
use std::collections::BTreeMap;

/// Returns Saba's controller before its first event.
pub(super) fn saba(settings: Settings, profiles: &Profiles) -> Controller {
    Controller::new(settings, Levels::Shared(profiles.shared().clone()))
}

impl Core {
    /// Passes a stored change to Saba's controller.
    pub(super) fn pass_on(&mut self, change: &Change) -> Result<(), InvalidRecord> {
        match change {
            Change::Application(id, Some(of)) => {
                let name = Application::try_from(of.name.as_str());
                let name =
                    name.map_err(|error| InvalidRecord::Name { application: id.0, name: error.0 })?;
                let profile = Profile::Named(name);
                if let Some(application) = self.jobs.registered(*id, of) {
                    let event = Event::Registered { application, profile };
                    let refused = |why| InvalidRecord::Application { application: id.0, why };
                    self.controller.handle(event).map_err(refused)?;
                }
            }
            Change::Application(id, None) => {
                if let Some(application) = self.jobs.gone(*id) {
                    let event = Event::Gone { application };
                    self.controller.handle(event).expect("an end is never refused");
                }
            }
            Change::Connection(id, Some(of)) => {
                let path = of.path.to_vec();
                let (application, level) = (self.jobs.whole(of.application), of.level);
                let connection = self.known_as(*id);
                let event = Event::Connected { connection, application, level, path };
                let refused = |why| InvalidRecord::Connection { connection: id.0, why };
                self.controller.handle(event).map_err(refused)?;
            }
            Change::Connection(id, None) => {
                let connection = self.moved.remove(id).unwrap_or(*id);
                self.is_closed(connection);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the id by which Saba's controller knows a connection. Saba's controller never
    /// changes the path of a connection, since events may arrive in any order. So a rerouted
    /// connection is closed and gets a new id. New ids count down from the largest number; regular
    /// ids count up from 0.
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

    /// Makes Saba's controller anew from the state and the ports. Saba's controller ignores ids that have ended, since
    /// events may arrive in any order.
    pub(super) fn begin_anew(&mut self) {
        self.controller = saba(self.settings, &self.profiles);
        (self.jobs, self.moved, self.moves) = (Jobs::default(), BTreeMap::new(), 0);
        let records: Vec<Change> = self.state.records().collect();
        for record in &records {
            if let Err(invalid) = self.pass_on(record) {
                self.out.push_back(Output::RecordIgnored { error: invalid.to_string() });
            }
        }
        self.find_known_ports();
        let ports: Vec<PortId> = self.ports().map(|of| of.0).collect();
        for port in ports {
            let nothing = PortConfig::default();
            self.ports.change(port, self.now, &self.rules, |port| port.wanted = nothing);
        }
        self.settle();
    }

    /// Tells a new controller of Saba's about the ports of the network.
    pub(super) fn find_known_ports(&mut self) {
        for (&port, known) in self.ports.all.iter().filter(|of| of.1.is_there) {
            let Some(queues) = known.queues else { continue };
            let event = Event::PortFound { port, queues, revision: known.revision };
            self.controller.handle(event).expect("each port is found once");
        }
    }

    fn is_closed(&mut self, connection: ConnectionId) {
        // Only a distributed controller uses the path.
        let event = Event::Closed { connection, path: Vec::new() };
        self.controller.handle(event).expect("a closing is never refused");
    }

    pub(super) fn settle(&mut self) {
        for command in self.controller.settle() {
            // Levels come from the table, and were part of the answer to the registration.
            let Command::Configure { port, config } = command else { continue };
            self.ports.change(port, self.now, &self.rules, |port| port.wanted = config);
        }
    }
}
