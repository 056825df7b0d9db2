//! [`Plan`]: which runs there are to be, and in which order.

use bandwise_random::Stream;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Samples;
use std::collections::BTreeSet;
use std::num::NonZeroU32;

/// Which runs there are to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    shares: Vec<Share>,
    repeats: NonZeroU32,
    warm_up: u32,
    attempts: NonZeroU32,
    seed: u64,
}

/// Why there is no such plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanError {
    /// A share is there twice.
    Twice(Share),
    /// There are too few for a model.
    TooFew(usize),
    /// All of the bandwidth, which others are compared with, is not among them.
    NoWhole,
}

impl PlanError {
    /// What would be allowed instead.
    pub const ALLOWED: &str = "3 different shares or more, one of them 100";
}

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PlanError::Twice(share) => write!(f, "{share} twice"),
            PlanError::TooFew(1) => write!(f, "one share"),
            PlanError::TooFew(count) => write!(f, "{count} shares"),
            PlanError::NoWhole => write!(f, "100% is not among them"),
        }
    }
}

impl Plan {
    /// Each of `shares` `repeats` times, after `warm_up` runs with all of the bandwidth that don't count. A run
    /// that fails is made again, up to `attempts` in all. `seed` is what the order is drawn from.
    pub fn new(
        shares: &[Share],
        repeats: NonZeroU32,
        warm_up: u32,
        attempts: NonZeroU32,
        seed: u64,
    ) -> Result<Self, PlanError> {
        let mut seen = BTreeSet::new();
        if let Some(&twice) = shares.iter().find(|&&share| !seen.insert(share)) {
            return Err(PlanError::Twice(twice));
        }
        if !seen.contains(&Share::ALL) {
            return Err(PlanError::NoWhole);
        }
        if seen.len() < Samples::LEAST_SHARES {
            return Err(PlanError::TooFew(seen.len()));
        }
        Ok(Plan { shares: seen.into_iter().collect(), repeats, warm_up, attempts, seed })
    }

    /// The shares, the least first.
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }

    /// How many runs warm up.
    pub fn warm_up(&self) -> u32 {
        self.warm_up
    }

    /// How often a run is tried before it is given up.
    pub fn attempts(&self) -> u32 {
        self.attempts.get()
    }

    /// What the order is drawn from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The shares in the order in which they are measured. Each repetition has all of them, shuffled (a
    /// randomised block): what drifts over the hours, such as a disk that fills, hits all shares alike, and there
    /// is a curve after the first.
    pub fn order(&self) -> Vec<Share> {
        let block = |repetition: u32| {
            let mut shares = self.shares.clone();
            Stream::new(self.seed, "profile", repetition.into()).shuffle(&mut shares);
            shares
        };
        (0..self.repeats.get()).flat_map(block).collect()
    }
}
