//! [`Occupancy`]: who sends through which port.

use super::{ApplicationId, PortId};
use crate::mapping::PriorityLevel;
use std::collections::BTreeMap;

/// Of each port the applications that send through it, by level, and with how many connections.
#[derive(Debug, Clone, Default)]
pub(super) struct Occupancy {
    at: BTreeMap<PortId, BTreeMap<Sender, u32>>,
}

/// An application, and the level of some of its connections.
pub(super) type Sender = (ApplicationId, PriorityLevel);

impl Occupancy {
    pub(super) fn add(&mut self, port: PortId, sender: Sender) {
        *self.at.entry(port).or_default().entry(sender).or_default() += 1;
    }

    /// Takes back what was added.
    pub(super) fn remove(&mut self, port: PortId, sender: Sender) {
        let Some(senders) = self.at.get_mut(&port) else { return };
        take_one(senders, sender);
        if senders.is_empty() {
            self.at.remove(&port);
        }
    }

    /// The senders at a port and how many connections each has.
    pub(super) fn at(&self, port: PortId) -> impl Iterator<Item = (Sender, u32)> {
        self.at
            .get(&port)
            .into_iter()
            .flatten()
            .map(|(sender, connections)| (*sender, *connections))
    }

    /// The ports that somebody sends through.
    pub(super) fn ports(&self) -> impl Iterator<Item = PortId> {
        self.at.keys().copied()
    }
}

/// Counts one less; true if none is left.
pub(super) fn take_one<K: Ord>(counts: &mut BTreeMap<K, u32>, key: K) -> bool {
    let Some(count) = counts.get_mut(&key) else { return false };
    *count -= 1;
    let none_left = *count == 0;
    if none_left {
        counts.remove(&key);
    }
    none_left
}
