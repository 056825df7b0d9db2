//! [`Plan`]: the runs of a profile and their order.

use bandwise_random::Stream;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Samples;
use std::collections::BTreeSet;
use std::num::NonZeroU32;

/// The runs of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    shares: Vec<Share>,
    repeats: NonZeroU32,
    warmup: u32,
    attempts: NonZeroU32,
    seed: u64,
}

/// The reasons for which a plan is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanError {
    /// A share that occurs twice.
    Twice(Share),
    /// Too few shares for a model.
    TooFew(usize),
    /// Shares without the whole bandwidth, to which the others are compared.
    NoWhole,
}

impl PlanError {
    /// The allowed shares.
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
    /// Returns a plan with each of `shares` `repeats` times, after `warmup` runs with the whole
    /// bandwidth that are not samples. A failed run is repeated, up to `attempts` times in all.
    /// `seed` randomises the order.
    ///
    /// # Errors
    ///
    /// Returns a [`PlanError`] if a share occurs twice, there are too few, or the whole bandwidth
    /// is missing.
    pub fn new(
        shares: &[Share],
        repeats: NonZeroU32,
        warmup: u32,
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
        Ok(Plan { shares: seen.into_iter().collect(), repeats, warmup, attempts, seed })
    }

    /// Returns the shares, the least first.
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }

    /// Returns the number of warm-up runs.
    pub fn warmup(&self) -> u32 {
        self.warmup
    }

    /// Returns the maximum number of attempts of a run.
    pub fn attempts(&self) -> u32 {
        self.attempts.get()
    }

    /// Returns the seed of the order.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the shares in the order of measurement. Each repetition has all of them in random
    /// order (a randomised block). So drift over hours, such as a disk that fills, affects all
    /// shares alike, and the first repetition gives a curve.
    pub fn order(&self) -> Vec<Share> {
        let block = |repetition: u32| {
            let mut shares = self.shares.clone();
            Stream::new(self.seed, "profile", repetition.into()).shuffle(&mut shares);
            shares
        };
        (0..self.repeats.get()).flat_map(block).collect()
    }
}
