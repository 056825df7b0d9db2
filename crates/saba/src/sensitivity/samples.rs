//! [`Samples`]: what an application was measured to take.

use crate::Share;
use bandwise_units::Time;

/// One run of an application: how long it took with a share of the bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample {
    /// What its hosts were limited to.
    pub share: Share,
    /// From its start to its end.
    pub time: Time,
}

/// All runs with one share, as a slowdown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The share.
    pub share: Share,
    /// Their mean time over the mean time with all of the bandwidth. Noise can put it below 1.
    pub slowdown: f64,
    /// How many runs it is the mean of.
    pub runs: u32,
}

/// Runs that a model can be made of: some with all of the bandwidth, and three shares or more.
///
/// Several runs with one share are repetitions, as people make who distrust a single run. A point is
/// their mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    runs: Vec<Sample>,
    points: Vec<Point>,
}

/// Why runs make no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SamplesError {
    /// Nothing to compare with.
    #[error("no sample with all of the bandwidth")]
    NoWhole,
    /// Too few for a curve.
    #[error("samples with {shares} share{} of the bandwidth", if *shares == 1 { "" } else { "s" })]
    TooFew {
        /// How many different shares there are.
        shares: usize,
    },
    /// A run that took no time.
    #[error("a time of 0 in sample {index}")]
    NoTime {
        /// Which run, counted from 0 in the order given.
        index: usize,
    },
}

impl SamplesError {
    /// What would be allowed instead.
    pub fn allowed(&self) -> &'static str {
        match self {
            Self::NoWhole => "a sample with a share of 1, which slowdowns are relative to",
            Self::TooFew { .. } => "3 different shares or more, one of them 1",
            Self::NoTime { .. } => "a time above 0 such as \"172 s\"",
        }
    }

    /// The run at fault, counted from 0, if it is one.
    pub fn index(&self) -> Option<usize> {
        match *self {
            Self::NoTime { index } => Some(index),
            _ => None,
        }
    }
}

impl Samples {
    /// The fewest different shares. With two there is a line and no telling whether it is one.
    pub const LEAST_SHARES: usize = 3;

    /// The runs, in any order.
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

    /// All runs, by share and then by time.
    pub fn runs(&self) -> &[Sample] {
        &self.runs
    }

    /// A point for each share, the least first; the last has all of the bandwidth and a slowdown of 1.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The least share that was measured.
    pub fn least(&self) -> Share {
        self.points[0].share
    }

    /// The samples without a point, if what is left is enough: to see how well a model of the others
    /// says what it would have been.
    pub fn without(&self, share: Share) -> Result<Self, SamplesError> {
        Samples::new(self.runs.iter().copied().filter(|run| run.share != share))
    }
}

/// In picoseconds. The sum is one of integers, so the order of runs does not matter.
fn mean(runs: &[Sample]) -> f64 {
    let sum: u128 = runs.iter().map(|run| u128::from(run.time.as_ps())).sum();
    sum as f64 / runs.len() as f64
}
