//! [`Comparison`]: programs that run together, with links shared in several ways, and each alone;
//! the order of steps and their results.

use crate::{Outcome, Spread};
use bandwise_random::Stream;
use bandwise_units::Time;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ops::Range;

/// The control of shared links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// No controller: the network's own behaviour.
    Uncontrolled,
    /// A queue for each application, all with the same weight.
    Equal,
    /// Weights by sensitivity (Saba 4.3).
    Saba,
}

impl Sharing {
    /// All kinds.
    pub const ALL: [Sharing; 3] = [Sharing::Uncontrolled, Sharing::Equal, Sharing::Saba];
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sharing::Uncontrolled => "no controller",
            Sharing::Equal => "equal weights",
            Sharing::Saba => "Saba",
        })
    }
}

/// The programs of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// The program with this number, without a controller.
    Alone(usize),
    /// All programs.
    Together(Sharing),
}

impl Setting {
    /// Returns the numbers of its programs, of `all` that are compared.
    pub fn programs(self, all: usize) -> Range<usize> {
        match self {
            Setting::Alone(program) => program..program + 1,
            Setting::Together(_) => 0..all,
        }
    }
}

/// A step to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The round, counted from 1.
    pub round: u32,
    /// The programs and the sharing.
    pub setting: Setting,
    /// The number of failures so far.
    pub failed: u32,
}

/// The result of a program in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timed {
    /// The duration.
    pub time: Time,
    /// The outcome.
    pub outcome: Outcome,
}

/// Programs to compare, and the progress.
///
/// Each round has each setting once, in random order (a randomised block). So drift affects all
/// settings alike, and comparisons are within a round.
#[derive(Debug, Clone)]
pub struct Comparison {
    programs: usize,
    attempts: u32,
    left: VecDeque<Step>,
    made: Vec<(Step, Vec<Timed>)>,
    given_up: Vec<Step>,
}

/// The times of a round in which all steps succeeded.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The number, counted from 1.
    pub number: u32,
    /// The time of each program alone, in seconds.
    pub alone: Vec<f64>,
    /// The time of each program with all others, in seconds.
    pub together: BTreeMap<Sharing, Vec<f64>>,
}

impl Comparison {
    /// Returns a comparison of `programs` programs. A step with a failure is repeated at the end,
    /// up to `attempts` times in all.
    pub fn new(programs: usize, rounds: u32, attempts: u32, seed: u64) -> Self {
        let round = |round: u32| {
            let alone = (0..programs).map(Setting::Alone);
            let mut settings: Vec<_> = alone.chain(Sharing::ALL.map(Setting::Together)).collect();
            Stream::new(seed, "compare", round.into()).shuffle(&mut settings);
            settings.into_iter().map(move |setting| Step { round, setting, failed: 0 })
        };
        let left = (1..=rounds).flat_map(round).collect();
        Comparison { programs, attempts, left, made: Vec::new(), given_up: Vec::new() }
    }

    /// Returns the next step, if one is left.
    pub fn next(&self) -> Option<Step> {
        self.left.front().copied()
    }

    /// Records the next step: the result of each of its programs, in their order.
    pub fn made(&mut self, timed: Vec<Timed>) {
        let Some(step) = self.left.pop_front() else { return };
        if timed.iter().any(|of| of.outcome != Outcome::Success) {
            let step = Step { failed: step.failed + 1, ..step };
            match step.failed < self.attempts {
                true => self.left.push_back(step),
                false => self.given_up.push(step),
            }
        }
        self.made.push((step, timed));
    }

    /// Returns all recorded steps, in order.
    pub fn steps(&self) -> &[(Step, Vec<Timed>)] {
        &self.made
    }

    /// Returns the number of steps left.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// Returns the steps that have failed as often as allowed. Their rounds have no times.
    pub fn given_up(&self) -> &[Step] {
        &self.given_up
    }

    /// Returns the complete rounds.
    pub fn rounds(&self) -> Vec<Round> {
        let mut rounds = BTreeMap::<u32, BTreeMap<Setting, Vec<f64>>>::new();
        let is_well =
            |of: &&(Step, Vec<Timed>)| of.1.iter().all(|of| of.outcome == Outcome::Success);
        for (step, timed) in self.made.iter().filter(is_well) {
            let seconds = timed.iter().map(|of| of.time.as_s_f64()).collect();
            rounds.entry(step.round).or_default().insert(step.setting, seconds);
        }
        let whole = |(number, mut of): (u32, BTreeMap<Setting, Vec<f64>>)| {
            let alone = (0..self.programs)
                .map(|program| of.remove(&Setting::Alone(program)).map(|seconds| seconds[0]))
                .collect::<Option<_>>()?;
            let together = Sharing::ALL
                .map(|sharing| Some((sharing, of.remove(&Setting::Together(sharing))?)))
                .into_iter()
                .collect::<Option<_>>()?;
            Some(Round { number, alone, together })
        };
        rounds.into_iter().filter_map(whole).collect()
    }
}

impl Round {
    /// Iterates over the slowdowns: the time of each program with all others over that alone.
    pub fn slowdowns(&self, sharing: Sharing) -> impl Iterator<Item = f64> {
        self.together[&sharing].iter().zip(&self.alone).map(|(together, alone)| together / alone)
    }

    /// Returns the geometric mean of the slowdowns, Saba's metric (Saba 4.6).
    pub fn mean_slowdown(&self, sharing: Sharing) -> f64 {
        let logs: f64 = self.slowdowns(sharing).map(f64::ln).sum();
        (logs / self.alone.len() as f64).exp()
    }

    /// Returns the speedup under Saba over another sharing: the ratio of the geometric means of
    /// slowdowns. Times alone cancel out.
    pub fn gain(&self, over: Sharing) -> f64 {
        self.mean_slowdown(over) / self.mean_slowdown(Sharing::Saba)
    }
}

/// Returns the slowdown over rounds: the geometric mean of all programs, and of each one. Returns
/// `None` if there are no rounds.
pub fn slowdowns(rounds: &[Round], sharing: Sharing) -> Option<(Spread, Vec<Spread>)> {
    let all: Vec<f64> = rounds.iter().map(|round| round.mean_slowdown(sharing)).collect();
    let of = |program: usize| {
        let each = rounds.iter().filter_map(|round| round.slowdowns(sharing).nth(program));
        Spread::of(&each.collect::<Vec<f64>>())
    };
    let each = (0..rounds.first()?.alone.len()).map(of).collect::<Option<_>>()?;
    Some((Spread::of(&all)?, each))
}

/// Returns the speedup under Saba over another sharing, over rounds. Returns `None` if there are no
/// rounds.
pub fn gain(rounds: &[Round], over: Sharing) -> Option<Spread> {
    Spread::of(&rounds.iter().map(|round| round.gain(over)).collect::<Vec<f64>>())
}
