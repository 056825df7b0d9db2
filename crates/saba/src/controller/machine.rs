//! [`Controller`]: events in, commands out.

use super::commanded::Commanded;
use super::facts::{Facts, PortFacts};
use super::merging::Merging;
use super::plan::Planner;
use super::roster::Roster;
use super::shares::Shares;
use super::{
    ApplicationId, Command, ConnectionId, Event, Heard, Levels, PortConfig, PortId, Refused,
    Settings,
};
use crate::mapping::PriorityLevel;

/// Saba's controller (Saba 4.3). See the [module](super) for what it takes and when.
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
    /// A controller that has heard of nobody. It knows the models of a shared table, with revision 0;
    /// of all others it has to be told.
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

    /// Takes an event. Nothing is computed before [`settle`](Controller::settle).
    pub fn handle(&mut self, event: Event) -> Result<Heard, Refused> {
        self.facts.hear(event, &self.levels)
    }

    /// Whether there is nothing to compute.
    pub fn is_settled(&self) -> bool {
        self.facts.changes.is_empty()
    }

    /// Computes what has changed, and says what is to be done about it: first levels, by application,
    /// then ports, by id. Each at most once, and only if it differs from what was said of it before.
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
            let PortFacts { id, said, senders } = facts.port(port);
            let Some(queues) = said.and_then(|said| said.queues) else { continue };
            let config = planner.plan(senders, queues);
            commands.extend(self.commanded.configure(port, *id, config));
        }
    }

    /// The level that an application was told last, for whoever asks again.
    pub fn level(&self, application: ApplicationId) -> Option<PriorityLevel> {
        self.commanded.level(application)
    }

    /// What ports have been told, by id; those that are lost, and those that nobody sends through, are
    /// not there.
    pub fn configurations(&self) -> impl Iterator<Item = (PortId, &PortConfig)> {
        let ports = self.facts.port_numbers.all();
        ports.filter_map(|(&id, number)| Some((id, self.commanded.port(number)?)))
    }

    /// Whether an application has registered and is not gone.
    pub fn is_registered(&self, application: ApplicationId) -> bool {
        self.facts.applications.contains_key(&application)
    }

    /// Whether a connection was made, and neither it is closed nor its application gone.
    pub fn is_open(&self, connection: ConnectionId) -> bool {
        self.facts.connections.contains_key(&connection)
    }
}
