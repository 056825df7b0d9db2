//! [`Samples`]: the measured completion times of an application.

use crate::Share;
use bandwise_units::Time;

/// A run of an application: its duration with a share of the bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample {
    /// The limit of its hosts.
    pub share: Share,
    /// The duration.
    pub time: Time,
}

/// The runs with one share, as a slowdown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The share.
    pub share: Share,
    /// The ratio of the mean time to the mean time with the whole bandwidth. Noise can make it less
    /// than 1.
    pub slowdown: f64,
    /// The number of runs.
    pub runs: u32,
}

/// Runs that suffice for a model: at least one with the whole bandwidth, and three shares.
///
/// Several runs with one share are repetitions. A point is their mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    runs: Vec<Sample>,
    points: Vec<Point>,
}

/// The reasons for which runs do not suffice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SamplesError {
    /// No run with the whole bandwidth.
    #[error("no sample with all of the bandwidth")]
    NoWhole,
    /// Too few shares for a curve.
    #[error("samples with {shares} share{} of the bandwidth", if *shares == 1 { "" } else { "s" })]
    TooFew {
        /// The number of different shares.
        shares: usize,
    },
    /// A run without duration.
    #[error("a time of 0 in sample {index}")]
    NoTime {
        /// The index of the run, counted from 0.
        index: usize,
    },
}

impl SamplesError {
    /// Returns the allowed values.
    pub fn allowed(&self) -> &'static str {
        match self {
            Self::NoWhole => "a sample with a share of 1, which slowdowns are relative to",
            Self::TooFew { .. } => "3 different shares or more, one of them 1",
            Self::NoTime { .. } => "a time above 0 such as \"172 s\"",
        }
    }

    /// Returns the index of the run at fault, if there is one.
    pub fn index(&self) -> Option<usize> {
        match *self {
            Self::NoTime { index } => Some(index),
            _ => None,
        }
    }
}

impl Samples {
    /// The minimum number of different shares. Two determine a line, without a test whether the
    /// line fits.
    pub const LEAST_SHARES: usize = 3;

    /// Returns samples of runs in any order.
    ///
    /// # Errors
    ///
    /// Returns a [`SamplesError`] if the whole bandwidth is missing, there are too few shares, or a
    /// run has no duration.
    pub fn new(runs: impl IntoIterator<Item = Sample>) -> Result<Self, SamplesError> {
        let mut runs: Vec<Sample> = runs.into_iter().collect();
        if let Some(index) = runs.iter().position(|run| run.time == Time::ZERO) {
            return Err(SamplesError::NoTime { index });
        }
        runs.sort();
        let means: Vec<(Share, f64, u32)> = runs
            .chunk_by(|a, b| a.share == b.share)
            .map(|same| (same[0].share, mean(same), same.len() as u32))
            .collect();
        let Some(&(_, whole, _)) = means.last().filter(|mean| mean.0 == Share::ALL) else {
            return Err(SamplesError::NoWhole);
        };
        if means.len() < Self::LEAST_SHARES {
            return Err(SamplesError::TooFew { shares: means.len() });
        }
        let point = |(share, time, runs)| Point { share, slowdown: time / whole, runs };
        Ok(Samples { runs, points: means.into_iter().map(point).collect() })
    }

    /// Returns all runs, by share and then by time.
    pub fn runs(&self) -> &[Sample] {
        &self.runs
    }

    /// Returns a point for each share, the least first. The last has the whole bandwidth and
    /// slowdown 1.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the least measured share.
    pub fn least(&self) -> Share {
        self.points[0].share
    }

    /// Returns the samples without a point, to test the prediction of a model of the others.
    ///
    /// # Errors
    ///
    /// Returns a [`SamplesError`] if too few are left.
    pub fn without(&self, share: Share) -> Result<Self, SamplesError> {
        Samples::new(self.runs.iter().copied().filter(|run| run.share != share))
    }
}

/// Returns the mean in picoseconds. The sum is of integers, so the order of runs does not matter.
fn mean(runs: &[Sample]) -> f64 {
    let sum: u128 = runs.iter().map(|run| u128::from(run.time.as_ps())).sum();
    sum as f64 / runs.len() as f64
}
