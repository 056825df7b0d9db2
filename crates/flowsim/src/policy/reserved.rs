//! [`Reservations`] and [`Guarantees`].

use super::{Newcomer, Placement, Policy, QueueChoice};
use crate::network::{LinkConfig, Network, Queue};
use bandwise_units::BitRate;

/// Static reservations (Saba 2.5, 1): each class has its part of every link exclusively, and no
/// more even on an idle link. Classes beyond the list share the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservations(Parts);

/// Minimum guarantees (Saba 2.5, 2): each class has at least its part of every link if it can use
/// it. Unused bandwidth is shared by the same parts, so that no link is idle while a flow could use
/// it. Classes beyond the list have no guarantee and share as one class with a single part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarantees(Parts);

/// Parts of a whole, by class.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parts {
    parts: Vec<u32>,
    whole: u32,
}

/// The reasons for which parts are invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PartsError {
    /// A sum above the whole, or parts of zero.
    #[error("parts of {parts} in all, of {whole}")]
    TooMuch {
        /// The sum of the parts.
        parts: u64,
        /// The whole.
        whole: u32,
    },
    /// More classes than exist.
    #[error("parts for {classes} classes")]
    TooMany {
        /// The number of classes with parts.
        classes: usize,
    },
}

impl PartsError {
    /// Returns the allowed values.
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

    /// Returns, for every link, a queue for each class and one for those beyond.
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
            // Classes beyond the table use queue 0.
            let mut queues = vec![beyond(rest)];
            queues.extend(each.map(|(&rate, &part)| queue(BitRate::from_bps(rate), part)));
            let table = (1..=self.parts.len() as u8).collect();
            (link, LinkConfig::new(queues, table).expect("at most 256 queues with weights"))
        };
        (0..network.links()).map(config).collect()
    }
}

impl Reservations {
    /// Returns parts of `whole` for class 0, 1, …
    ///
    /// # Errors
    ///
    /// Returns a [`PartsError`] if the parts exceed the whole, or there are too many.
    pub fn new(parts: Vec<u32>, whole: u32) -> Result<Reservations, PartsError> {
        Parts::new(parts, whole).map(Reservations)
    }
}

impl Guarantees {
    /// Returns parts of `whole` for class 0, 1, …
    ///
    /// # Errors
    ///
    /// Returns a [`PartsError`] if the parts exceed the whole, or there are too many.
    pub fn new(parts: Vec<u32>, whole: u32) -> Result<Guarantees, PartsError> {
        Parts::new(parts, whole).map(Guarantees)
    }
}

impl Policy for Reservations {
    fn links(&self, network: &Network) -> Vec<(u32, LinkConfig)> {
        self.0.links(network, |rate, _| Queue::reserved(rate), Queue::reserved)
    }

    fn place(&mut self, _flow: &Newcomer<'_>) -> Placement {
        Placement { queue: QueueChoice::ByClass, ..Placement::COMMON }
    }
}

impl Policy for Guarantees {
    fn links(&self, network: &Network) -> Vec<(u32, LinkConfig)> {
        let weight = |part: u32| part.clamp(1, crate::MAX_WEIGHT);
        let queue = |rate, part| Queue::guaranteed(rate, weight(part));
        self.0.links(network, queue, |_| Queue::weighted(1))
    }

    fn place(&mut self, _flow: &Newcomer<'_>) -> Placement {
        Placement { queue: QueueChoice::ByClass, ..Placement::COMMON }
    }
}
