//! [`Controller`]: events in, commands out.

use super::commanded::Commanded;
use super::facts::{Facts, PortFacts};
use super::merging::Merging;
use super::plan::Planner;
use super::roster::Roster;
use super::shares::Shares;
use super::{
    Accepted, ApplicationId, Command, ConnectionId, Event, Levels, PortConfig, PortId, Refused,
    Settings,
};
use crate::mapping::PriorityLevel;

/// Saba's controller (Saba 4.3). The [module](super) describes its inputs.
#[derive(Debug, Clone)]
pub struct Controller {
    settings: Settings,
    levels: Levels,
    facts: Facts,
    shares: Shares,
    roster: Roster,
    merging: Merging,
    commanded: Commanded,
}

impl Controller {
    /// Returns a controller without any event. The controller has the models of a shared table,
    /// with revision 0; all other models come by events.
    pub fn new(settings: Settings, levels: Levels) -> Self {
        let mut facts = Facts::default();
        if let Levels::Shared(table) = &levels {
            for (name, model, _) in table.profiled() {
                facts.set_model(name.clone(), model.clone(), 0);
            }
        }
        let roster = Roster::default();
        let merging = roster.merging(&facts, &levels);
        Controller {
            settings,
            levels,
            facts,
            shares: Shares::default(),
            roster,
            merging,
            commanded: Commanded::default(),
        }
    }

    /// Returns a controller with the same settings and levels, without any event.
    pub fn emptied(&self) -> Self {
        Controller::new(self.settings, self.levels.clone())
    }

    /// Accepts an event. Computation is deferred to [`settle`](Controller::settle).
    ///
    /// # Errors
    ///
    /// Returns the reason if the event is refused.
    pub fn handle(&mut self, event: Event) -> Result<Accepted, Refused> {
        self.facts.accept(event, &self.levels)
    }

    /// Returns whether nothing is left to compute.
    pub fn is_settled(&self) -> bool {
        self.facts.changes.is_empty()
    }

    /// Computes the effects of changes and returns the commands: first levels, by application, then
    /// ports, by id. Each has at most one command, and only if it differs from the previous one.
    pub fn settle(&mut self) -> Vec<Command> {
        let changes = &mut self.facts.changes;
        let renewed = changes.renewed.take();
        let models = std::mem::take(&mut changes.models);
        let senders = std::mem::take(&mut changes.senders);
        let mut commands = Vec::new();
        if models {
            self.roster = Roster::new(&self.facts, &self.levels, &mut self.shares);
            commands.extend(self.commanded.assign(&self.roster.levels));
        }
        if models || senders {
            let merging = self.roster.merging(&self.facts, &self.levels);
            if merging != self.merging {
                self.merging = merging;
                self.facts.all_in_use_change();
            }
        }
        for port in renewed {
            self.commanded.forget(port);
        }
        self.settle_ports(&mut commands);
        commands
    }

    fn settle_ports(&mut self, commands: &mut Vec<Command>) {
        let mut ports = self.facts.changes.ports.take();
        let facts = &self.facts;
        ports.sort_unstable_by_key(|&port| *facts.port_numbers.id(port));
        let (models, shares) = (self.shares.models(), self.shares.of_ports(&self.settings));
        let mut planner =
            Planner::new(&self.settings, facts, &self.roster, &self.merging, models, shares);
        for port in ports {
            let PortFacts { id, state, senders } = facts.port(port);
            let Some(queues) = state.and_then(|state| state.queues) else { continue };
            let config = planner.plan(senders, queues);
            commands.extend(self.commanded.configure(port, *id, config));
        }
    }

    /// Returns the last level of an application, for retries.
    pub fn level(&self, application: ApplicationId) -> Option<PriorityLevel> {
        self.commanded.level(application)
    }

    /// Iterates over the configurations of ports, by id. Lost ports and those without senders are
    /// absent.
    pub fn configurations(&self) -> impl Iterator<Item = (PortId, &PortConfig)> {
        let ports = self.facts.port_numbers.all();
        ports.filter_map(|(&id, number)| Some((id, self.commanded.port(number)?)))
    }

    /// Returns whether an application has registered and has not ended.
    pub fn is_registered(&self, application: ApplicationId) -> bool {
        self.facts.applications.contains_key(&application)
    }

    /// Returns whether a connection is open and its application has not ended.
    pub fn is_open(&self, connection: ConnectionId) -> bool {
        self.facts.connections.contains_key(&connection)
    }
}
