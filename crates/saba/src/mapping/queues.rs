//! [`Queues`]: which levels share a queue of a port.

use super::PriorityLevel;
use serde::{Deserialize, Serialize};

/// The queue of each priority level that is present at a port.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(PriorityLevel, u8)>", into = "Vec<(PriorityLevel, u8)>")]
pub struct Queues {
    /// In the order of levels.
    of: Vec<(PriorityLevel, u8)>,
}

impl Queues {
    /// The queue of a level, counted from 0; none if it isn't present.
    pub fn of(&self, level: PriorityLevel) -> Option<u8> {
        let at = self.of.binary_search_by_key(&level, |of| of.0).ok()?;
        Some(self.of[at].1)
    }

    /// Each level that is present and its queue, in the order of levels.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (PriorityLevel, u8)> {
        self.of.iter().copied()
    }

    /// How many queues are used.
    pub fn len(&self) -> usize {
        self.of.iter().map(|of| usize::from(of.1) + 1).max().unwrap_or(0)
    }

    /// Whether no level is present.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
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

impl From<Vec<(PriorityLevel, u8)>> for Queues {
    fn from(all: Vec<(PriorityLevel, u8)>) -> Self {
        all.into_iter().collect()
    }
}

impl From<Queues> for Vec<(PriorityLevel, u8)> {
    fn from(queues: Queues) -> Self {
        queues.of
    }
}

impl FromIterator<(PriorityLevel, u8)> for Queues {
    /// Levels and their queues, which are numbered from 0 without gaps. Of a level that is there twice
    /// the last counts.
    fn from_iter<I: IntoIterator<Item = (PriorityLevel, u8)>>(all: I) -> Self {
        let mut of: Vec<(PriorityLevel, u8)> = Vec::new();
        for (level, queue) in all {
            match of.last() {
                Some(last) if last.0 >= level => match of.binary_search_by_key(&level, |of| of.0) {
                    Ok(at) => of[at].1 = queue,
                    Err(at) => of.insert(at, (level, queue)),
                },
                _ => of.push((level, queue)),
            }
        }
        Queues { of }
    }
}
