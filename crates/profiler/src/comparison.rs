//! [`Comparison`]: programs that run at once, with links shared in several ways, and each alone; which comes next, and what
//! came of it.

use crate::{Outcome, Spread};
use bandwise_random::Stream;
use bandwise_units::Time;
use std::collections::{BTreeMap, VecDeque};

/// How links are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// There is no controller: what the network does by itself.
    Nobody,
    /// Each application has a queue, and all queues have the same weight.
    Equal,
    /// By what each loses (Saba 4.3).
    Saba,
}

impl Sharing {
    /// All of them.
    pub const ALL: [Sharing; 3] = [Sharing::Nobody, Sharing::Equal, Sharing::Saba];
}

/// What runs at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// The program with this number, and nobody shares.
    Alone(usize),
    /// All programs.
    Together(Sharing),
}

/// Something to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// From 1.
    pub round: u32,
    /// What runs.
    pub setting: Setting,
    /// How often it has failed so far.
    pub failed: u32,
}

/// What came of a program in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timed {
    /// From its start to its end.
    pub time: Time,
    /// How it ended.
    pub outcome: Outcome,
}

/// Programs to compare, and how far that is.
///
/// Each round has each setting once, in an order that is drawn by lot (a randomised block): what drifts hits all alike, and
/// what is compared is of one round.
#[derive(Debug, Clone)]
pub struct Comparison {
    programs: usize,
    attempts: u32,
    left: VecDeque<Step>,
    made: Vec<(Step, Vec<Timed>)>,
    given_up: Vec<Step>,
}

/// Times of a round in which all went well.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// Its number, from 1.
    pub number: u32,
    /// What each program took alone, in seconds.
    pub alone: Vec<f64>,
    /// What each took with all others.
    pub together: BTreeMap<Sharing, Vec<f64>>,
}

impl Comparison {
    /// Of so many programs. A step in which one fails is made again at the end, up to `attempts` times in all.
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

    /// What is next, if anything is left.
    pub fn next(&self) -> Option<Step> {
        self.left.front().copied()
    }

    /// What was next was made: what came of each program that ran, in their order.
    pub fn made(&mut self, timed: Vec<Timed>) {
        let Some(step) = self.left.pop_front() else { return };
        if timed.iter().any(|of| of.outcome != Outcome::Well) {
            let step = Step { failed: step.failed + 1, ..step };
            match step.failed < self.attempts {
                true => self.left.push_back(step),
                false => self.given_up.push(step),
            }
        }
        self.made.push((step, timed));
    }

    /// All that was made, in order.
    pub fn steps(&self) -> &[(Step, Vec<Timed>)] {
        &self.made
    }

    /// How many steps are left.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// Steps that failed as often as they may; their rounds are none.
    pub fn given_up(&self) -> &[Step] {
        &self.given_up
    }

    /// Rounds that are whole.
    pub fn rounds(&self) -> Vec<Round> {
        let mut rounds = BTreeMap::<u32, BTreeMap<Setting, Vec<f64>>>::new();
        let is_well = |of: &&(Step, Vec<Timed>)| of.1.iter().all(|of| of.outcome == Outcome::Well);
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
    /// How many times as long each program took with all others as alone.
    pub fn slowdowns(&self, sharing: Sharing) -> impl Iterator<Item = f64> {
        self.together[&sharing].iter().zip(&self.alone).map(|(together, alone)| together / alone)
    }

    /// The geometric mean of slowdowns, which Saba is judged by (Saba 4.6).
    pub fn mean_slowdown(&self, sharing: Sharing) -> f64 {
        let logs: f64 = self.slowdowns(sharing).map(f64::ln).sum();
        (logs / self.alone.len() as f64).exp()
    }

    /// How many times as fast programs are under Saba as with links shared otherwise: the ratio of the geometric means of
    /// their slowdowns. What they take alone has no part in it.
    pub fn gain(&self, over: Sharing) -> f64 {
        self.mean_slowdown(over) / self.mean_slowdown(Sharing::Saba)
    }
}

/// The slowdown of all programs, as a geometric mean, and of each, over rounds; none of no rounds.
pub fn slowdowns(rounds: &[Round], sharing: Sharing) -> Option<(Spread, Vec<Spread>)> {
    let all: Vec<f64> = rounds.iter().map(|round| round.mean_slowdown(sharing)).collect();
    let of = |program: usize| {
        let each = rounds.iter().filter_map(|round| round.slowdowns(sharing).nth(program));
        Spread::of(&each.collect::<Vec<f64>>())
    };
    let each = (0..rounds.first()?.alone.len()).map(of).collect::<Option<_>>()?;
    Some((Spread::of(&all)?, each))
}

/// How many times as fast programs are under Saba as with links shared otherwise, over rounds; none of no rounds.
pub fn gain(rounds: &[Round], over: Sharing) -> Option<Spread> {
    Spread::of(&rounds.iter().map(|round| round.gain(over)).collect::<Vec<f64>>())
}
