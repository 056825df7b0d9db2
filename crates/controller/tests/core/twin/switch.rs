//! [`Switch`]: the ports of a simulated switch, whose writes fail, get lost, and are done half.

use super::super::world::{PORTS, lowest};
use bandwise_controller::core::{OrderOutcome, Task};
use bandwise_saba::controller::{PortConfig, PortId};
use std::collections::BTreeMap;

/// A fault of a port, which lasts for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PortFault {
    /// The port refuses orders.
    Refuses,
    /// Orders are carried out, but the answer is lost.
    LosesAnswers,
    /// Only the first part of a configuration is written.
    WritesHalf,
}

/// The ports.
pub(super) struct Switch {
    pub(super) ports: BTreeMap<PortId, PortConfig>,
    pub(super) faults: BTreeMap<PortId, PortFault>,
}

impl Switch {
    pub(super) fn new() -> Self {
        let ports = (0..PORTS).map(|port| (PortId(port), PortConfig::default())).collect();
        Switch { ports, faults: BTreeMap::new() }
    }

    /// Carries out an order.
    pub(super) fn carry_out(&mut self, port: PortId, task: &Task) -> OrderOutcome {
        let failed = |error: &str| OrderOutcome::Failed { error: error.into() };
        let fault = self.faults.get(&port).copied();
        if fault == Some(PortFault::Refuses) {
            return failed("refused");
        }
        let stands = self.ports.get_mut(&port).unwrap();
        let wanted = match task {
            Task::Check(config) if *stands == lowest(config) => return OrderOutcome::Unchanged,
            Task::Check(_) => return OrderOutcome::Differs { found: stands.clone() },
            Task::Read => stands.clone(),
            Task::AsFound => PortConfig::default(),
            Task::Share(config) => lowest(config),
        };
        let is_written = *stands != wanted;
        match fault {
            Some(PortFault::WritesHalf) if is_written => {
                *stands = half(wanted);
                failed("half done")
            }
            Some(PortFault::LosesAnswers) => {
                *stands = wanted;
                failed("no answer")
            }
            _ => {
                *stands = wanted.clone();
                OrderOutcome::Done { is_written, config: wanted }
            }
        }
    }

    /// Returns whether an order would write the port.
    pub(super) fn would_write(&self, port: PortId, task: &Task) -> bool {
        let stands = &self.ports[&port];
        match task {
            Task::Check(_) | Task::Read => false,
            Task::AsFound => *stands != PortConfig::default(),
            Task::Share(config) => *stands != lowest(config),
        }
    }

    /// The port loses its configuration.
    pub(super) fn reset(&mut self, port: PortId) {
        self.ports.insert(port, PortConfig::default());
    }

    /// Someone else writes the port.
    pub(super) fn overwrite(&mut self, port: PortId) {
        let stands = self.ports.get_mut(&port).unwrap();
        stands.weights = vec![7; stands.weights.len().max(2)];
    }
}

fn half(mut config: PortConfig) -> PortConfig {
    if let Some(last) = config.weights.last_mut() {
        *last = last.saturating_add(1);
    }
    config
}
