//! [`Reservations`] and [`Guarantees`].

use super::{Newcomer, Place, Policy, QueueChoice};
use crate::network::{LinkConfig, Network, Queue};
use bandwise_units::BitRate;

/// Static reservations (Saba 2.5, 1): each class has its part of every link for itself, and no more though
/// the link be idle. What no class has is for the classes beyond.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservations(Parts);

/// Minimum guarantees (Saba 2.5, 2): each class has at least its part of every link when it can use it. What
/// others don't use is shared by the same parts, so that no link is idle while somebody could use it. The
/// classes beyond have no guarantee and share as one class of a single part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarantees(Parts);

/// Parts of a whole, by class.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parts {
    parts: Vec<u32>,
    whole: u32,
}

/// Why parts are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PartsError {
    /// More than there is, or of nothing.
    #[error("parts of {parts} in all, of {whole}")]
    TooMuch {
        /// Their sum.
        parts: u64,
        /// What they are parts of.
        whole: u32,
    },
    /// More classes than there are.
    #[error("parts for {classes} classes")]
    TooMany {
        /// For how many there are parts.
        classes: usize,
    },
}

impl PartsError {
    /// What would be allowed instead.
    pub fn allowed(&self) -> &'static str {
        match self {
            Self::TooMuch { .. } => "parts that are the whole together, or less",
            Self::TooMany { .. } => "up to 255 classes",
        }
    }
}

impl Parts {
    fn new(parts: Vec<u32>, whole: u32) -> Result<Parts, PartsError> {
        let sum = parts.iter().map(|&part| u64::from(part)).sum::<u64>();
        if sum > u64::from(whole) || whole == 0 {
            return Err(PartsError::TooMuch { parts: sum, whole });
        }
        if parts.len() > 255 {
            return Err(PartsError::TooMany { classes: parts.len() });
        }
        Ok(Parts { parts, whole })
    }

    /// At every link a queue for each class and one for those beyond.
    fn links(
        &self,
        network: &Network,
        queue: impl Fn(BitRate, u32) -> Queue,
        beyond: impl Fn(BitRate) -> Queue,
    ) -> Vec<(u32, LinkConfig)> {
        let config = |link| {
            let capacity = network.capacity(link).as_bps();
            let part = |part: u32| u128::from(capacity) * u128::from(part) / u128::from(self.whole);
            let rates: Vec<u64> = self.parts.iter().map(|&p| part(p) as u64).collect();
            let rest = BitRate::from_bps(capacity - rates.iter().sum::<u64>());
            let each = rates.iter().zip(&self.parts);
            // Classes that the table does not reach stand in queue 0.
            let mut queues = vec![beyond(rest)];
            queues.extend(each.map(|(&rate, &part)| queue(BitRate::from_bps(rate), part)));
            let table = (1..=self.parts.len() as u8).collect();
            (link, LinkConfig::new(queues, table).expect("at most 256 queues with weights"))
        };
        (0..network.links()).map(config).collect()
    }
}

impl Reservations {
    /// For class 0, 1, … so many parts of `whole`.
    pub fn new(parts: Vec<u32>, whole: u32) -> Result<Reservations, PartsError> {
        Parts::new(parts, whole).map(Reservations)
    }
}

impl Guarantees {
    /// For class 0, 1, … so many parts of `whole`.
    pub fn new(parts: Vec<u32>, whole: u32) -> Result<Guarantees, PartsError> {
        Parts::new(parts, whole).map(Guarantees)
    }
}

impl Policy for Reservations {
    fn links(&self, network: &Network) -> Vec<(u32, LinkConfig)> {
        self.0.links(network, |rate, _| Queue::reserved(rate), Queue::reserved)
    }

    fn place(&mut self, _flow: &Newcomer<'_>) -> Place {
        Place { queue: QueueChoice::ByClass, ..Place::COMMON }
    }
}

impl Policy for Guarantees {
    fn links(&self, network: &Network) -> Vec<(u32, LinkConfig)> {
        let weight = |part: u32| part.clamp(1, crate::MAX_WEIGHT);
        let queue = |rate, part| Queue::guaranteed(rate, weight(part));
        self.0.links(network, queue, |_| Queue::weighted(1))
    }

    fn place(&mut self, _flow: &Newcomer<'_>) -> Place {
        Place { queue: QueueChoice::ByClass, ..Place::COMMON }
    }
}
