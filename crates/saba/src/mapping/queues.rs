//! [`Queues`]: which levels share a queue of a port.

use super::PriorityLevel;
use std::collections::{BTreeMap, BTreeSet};

/// The queue of each priority level that is present at a port.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Queues {
    queue: BTreeMap<PriorityLevel, u8>,
    count: u8,
}

impl Queues {
    /// Queues of the clusters that levels are in, numbered in the order of their lowest level present.
    pub(super) fn new(present: &BTreeSet<PriorityLevel>, cluster: &[PriorityLevel]) -> Self {
        let mut number: BTreeMap<PriorityLevel, u8> = BTreeMap::new();
        let mut queue = BTreeMap::new();
        for &level in present {
            let Some(of) = cluster.get(usize::from(level.0)) else { continue };
            let next = number.len() as u8;
            queue.insert(level, *number.entry(*of).or_insert(next));
        }
        Queues { queue, count: number.len() as u8 }
    }

    /// The queue of a level, counted from 0; none if it isn't present.
    pub fn of(&self, level: PriorityLevel) -> Option<u8> {
        self.queue.get(&level).copied()
    }

    /// Each level that is present and its queue.
    pub fn iter(&self) -> impl Iterator<Item = (PriorityLevel, u8)> {
        self.queue.iter().map(|(level, queue)| (*level, *queue))
    }

    /// How many queues are used.
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Whether no level is present.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The share of each queue: the sum over its applications (Saba 4.3.3.2), each a level and its
    /// share. Those whose level is not present count for nothing.
    pub fn shares(&self, applications: impl IntoIterator<Item = (PriorityLevel, f64)>) -> Vec<f64> {
        let mut shares = vec![0.0; self.len()];
        for (level, share) in applications {
            if let Some(queue) = self.of(level) {
                shares[usize::from(queue)] += share;
            }
        }
        shares
    }
}
