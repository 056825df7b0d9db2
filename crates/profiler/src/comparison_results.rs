//! [`ComparisonResults`]: slowdowns and gains over the complete rounds of a comparison.

use crate::{Comparison, Round, Sharing, Spread, gain, slowdowns};
use std::fmt;

/// The results of a comparison.
#[derive(Debug)]
pub struct ComparisonResults {
    /// The complete rounds.
    pub rounds: Vec<Round>,
    /// The slowdowns by sharing.
    pub slowdowns: Vec<Slowdowns>,
    /// The speedups under Saba over [`OTHERS`](Self::OTHERS).
    pub gains: Vec<Gain>,
    /// Doubts about the results.
    pub doubts: Vec<Omission>,
}

/// The slowdowns with one sharing.
#[derive(Debug)]
pub struct Slowdowns {
    /// The sharing.
    pub sharing: Sharing,
    /// The geometric mean of all programs.
    pub all: Spread,
    /// The slowdown of each program.
    pub each: Vec<Spread>,
}

/// The speedup under Saba.
#[derive(Debug)]
pub struct Gain {
    /// The sharing that Saba is compared with.
    pub over: Sharing,
    /// The speedup.
    pub spread: Spread,
}

/// The conclusion from a speedup and its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// Saba is faster, by more than rounds differ.
    Faster,
    /// Saba is slower, by more than rounds differ.
    Slower,
    /// No difference is shown.
    Nothing,
    /// One round does not show how far rounds differ.
    Unknown,
}

/// A number of steps that failed as often as allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Omission(pub usize);

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = if self.0 == 1 { "run" } else { "runs" };
        write!(f, "{} {runs} failed each time; their rounds are left out", self.0)
    }
}

impl Gain {
    /// Returns the conclusion.
    pub fn conclusion(&self) -> Conclusion {
        match self.spread.within {
            Some((low, _)) if low > 1.0 => Conclusion::Faster,
            Some((_, high)) if high < 1.0 => Conclusion::Slower,
            Some(_) => Conclusion::Nothing,
            None => Conclusion::Unknown,
        }
    }
}

impl ComparisonResults {
    /// The sharings that Saba is compared with.
    pub const OTHERS: [Sharing; 2] = [Sharing::Uncontrolled, Sharing::Equal];

    /// Returns the results of the steps so far.
    pub fn of(comparison: &Comparison) -> Self {
        let rounds = comparison.rounds();
        let with = |sharing| {
            let (all, each) = slowdowns(&rounds, sharing)?;
            Some(Slowdowns { sharing, all, each })
        };
        let over = |over| Some(Gain { over, spread: gain(&rounds, over)? });
        let omitted = comparison.given_up().len();
        ComparisonResults {
            slowdowns: Sharing::ALL.into_iter().filter_map(with).collect(),
            gains: Self::OTHERS.into_iter().filter_map(over).collect(),
            doubts: (omitted > 0).then_some(Omission(omitted)).into_iter().collect(),
            rounds,
        }
    }
}
