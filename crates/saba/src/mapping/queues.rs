//! [`Queues`]: the levels that share each queue of a port.

use super::PriorityLevel;
use serde::{Deserialize, Serialize};

/// The queue of each priority level that is present at a port.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(PriorityLevel, u8)>", into = "Vec<(PriorityLevel, u8)>")]
pub struct Queues {
    /// The queues, in the order of levels.
    of: Vec<(PriorityLevel, u8)>,
}

impl Queues {
    /// Returns the queue of a level, counted from 0, or `None` if the level is not present.
    pub fn of(&self, level: PriorityLevel) -> Option<u8> {
        let at = self.of.binary_search_by_key(&level, |of| of.0).ok()?;
        Some(self.of[at].1)
    }

    /// Iterates over the levels present with their queues, in the order of levels.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (PriorityLevel, u8)> {
        self.of.iter().copied()
    }

    /// Returns the number of queues in use.
    pub fn len(&self) -> usize {
        self.of.iter().map(|of| usize::from(of.1) + 1).max().unwrap_or(0)
    }

    /// Returns whether no level is present.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Returns the share of each queue: the sum over its applications (Saba 4.3.3.2), each given by
    /// level and share. Levels that are not present are ignored.
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
    /// Collects levels and their queues, numbered from 0 without gaps. If a level occurs several
    /// times, the last queue applies.
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
