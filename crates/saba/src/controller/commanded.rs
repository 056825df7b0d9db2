//! [`Commanded`]: what was said before, so that nothing is said twice.

use super::{ApplicationId, Command, PortConfig, PortId};
use crate::mapping::PriorityLevel;
use std::collections::BTreeMap;

/// What applications and ports have been told.
#[derive(Debug, Clone, Default)]
pub(super) struct Commanded {
    levels: BTreeMap<ApplicationId, PriorityLevel>,
    ports: BTreeMap<PortId, PortConfig>,
}

impl Commanded {
    /// The commands after which applications have these levels, in order of ids.
    pub(super) fn assign(
        &mut self,
        levels: &BTreeMap<ApplicationId, PriorityLevel>,
    ) -> Vec<Command> {
        let is_new = |of: &(&ApplicationId, &PriorityLevel)| self.levels.get(of.0) != Some(of.1);
        let assign = |(&application, &level)| Command::Assign { application, level };
        let commands: Vec<Command> = levels.iter().filter(is_new).map(assign).collect();
        self.levels.clone_from(levels);
        commands
    }

    /// The command after which a port is configured so, if it isn't. A port that was told nothing has
    /// the empty configuration.
    pub(super) fn configure(&mut self, port: PortId, config: PortConfig) -> Option<Command> {
        let before = self.ports.get(&port);
        if before.map_or(config.weights.is_empty(), |before| *before == config) {
            return None;
        }
        match config.weights.is_empty() {
            true => self.ports.remove(&port),
            false => self.ports.insert(port, config.clone()),
        };
        Some(Command::Configure { port, config })
    }

    /// A port has lost what it was told.
    pub(super) fn forget(&mut self, port: PortId) {
        self.ports.remove(&port);
    }

    pub(super) fn level(&self, application: ApplicationId) -> Option<PriorityLevel> {
        self.levels.get(&application).copied()
    }

    pub(super) fn ports(&self) -> &BTreeMap<PortId, PortConfig> {
        &self.ports
    }
}
