//! [`Commanded`]: previous commands, so that none is repeated.

use super::{ApplicationId, Command, PortConfig, PortId};
use crate::mapping::PriorityLevel;
use std::collections::BTreeMap;

/// The last commands to applications and ports.
#[derive(Debug, Clone, Default)]
pub(super) struct Commanded {
    levels: BTreeMap<ApplicationId, PriorityLevel>,
    /// The configurations, by number.
    ports: Vec<PortConfig>,
}

impl Commanded {
    /// Returns the commands that give applications these levels, in order of ids.
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

    /// Returns the command that configures a port, if its configuration differs. A port without a
    /// command has the empty configuration.
    pub(super) fn configure(
        &mut self,
        number: u32,
        port: PortId,
        config: PortConfig,
    ) -> Option<Command> {
        let at = number as usize;
        if at >= self.ports.len() {
            self.ports.resize(at + 1, PortConfig::default());
        }
        if self.ports[at] == config {
            return None;
        }
        self.ports[at].clone_from(&config);
        Some(Command::Configure { port, config })
    }

    /// Forgets the configuration of a port that has lost it.
    pub(super) fn forget(&mut self, number: u32) {
        if let Some(config) = self.ports.get_mut(number as usize) {
            *config = PortConfig::default();
        }
    }

    pub(super) fn level(&self, application: ApplicationId) -> Option<PriorityLevel> {
        self.levels.get(&application).copied()
    }

    /// Returns the last configuration of a port, if there is one.
    pub(super) fn port(&self, number: u32) -> Option<&PortConfig> {
        self.ports.get(number as usize).filter(|config| !config.weights.is_empty())
    }
}
