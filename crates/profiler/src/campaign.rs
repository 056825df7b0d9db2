//! [`Campaign`]: which run comes next.

use crate::{Outcome, Plan, Run};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Sample;
use bandwise_units::Time;
use std::collections::{BTreeMap, VecDeque};

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To fill caches; it does not count.
    WarmUp,
    /// To be measured.
    Sample,
}

/// A run to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// With which share of the bandwidth.
    pub share: Share,
    /// What it is for.
    pub purpose: Purpose,
    /// How often it has failed so far.
    pub failed: u32,
}

/// A plan, and how far it is.
#[derive(Debug, Clone)]
pub struct Campaign {
    attempts: u32,
    left: VecDeque<Next>,
    made: Vec<Run>,
    given_up: Vec<Next>,
}

impl Campaign {
    /// A plan with nothing done.
    pub fn new(plan: &Plan) -> Self {
        let next = |share, purpose| Next { share, purpose, failed: 0 };
        let warm_up = (0..plan.warm_up()).map(|_| next(Share::ALL, Purpose::WarmUp));
        let samples = plan.order().into_iter().map(|share| next(share, Purpose::Sample));
        Campaign {
            attempts: plan.attempts(),
            left: warm_up.chain(samples).collect(),
            made: Vec::new(),
            given_up: Vec::new(),
        }
    }

    /// What is next, if anything is left.
    pub fn next(&self) -> Option<Next> {
        self.left.front().copied()
    }

    /// A run was made. It need not be the next one: those of an earlier plan with more shares count too.
    ///
    /// One that failed goes to the end of what is left, as what made it fail may pass.
    pub fn made(&mut self, run: Run) {
        let planned = |next: &Next| (next.share, next.purpose) == (run.share, run.purpose);
        let of_plan = self.left.iter().position(planned).and_then(|at| self.left.remove(at));
        if let (Some(next), true) = (of_plan, run.outcome != Outcome::Well) {
            let next = Next { failed: next.failed + 1, ..next };
            match next.failed < self.attempts {
                true => self.left.push_back(next),
                false => self.given_up.push(next),
            }
        }
        self.made.push(run);
    }

    /// All runs that were made, in order.
    pub fn runs(&self) -> &[Run] {
        &self.made
    }

    /// Those that failed as often as they may.
    pub fn given_up(&self) -> &[Next] {
        &self.given_up
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// What was measured: runs that ended well and count.
    pub fn samples(&self) -> Vec<Sample> {
        let counts = |run: &&Run| run.purpose == Purpose::Sample && run.outcome == Outcome::Well;
        let sample = |run: &Run| Sample { share: run.share, time: run.time };
        self.made.iter().filter(counts).map(sample).collect()
    }

    /// How long what is left will take, by what was made so far; none before the first run has ended well.
    ///
    /// A share that was not run yet is taken to need as long as the next smaller one that was; without one, as
    /// the least that was, times as much longer as it has less bandwidth: programs lose no more than that.
    pub fn time_left(&self) -> Option<Time> {
        let well = self.made.iter().filter(|run| run.outcome == Outcome::Well);
        let mut times: BTreeMap<Share, (f64, f64)> = BTreeMap::new();
        for run in well {
            let (sum, count) = times.entry(run.share).or_default();
            (*sum, *count) = (*sum + run.time.as_ps() as f64, *count + 1.0);
        }
        let (&least, &(sum, count)) = times.first_key_value()?;
        let expected = |share: Share| match times.range(..=share).next_back() {
            Some((_, (sum, count))) => sum / count,
            None => sum / count * least.get() / share.get(),
        };
        let left: f64 = self.left.iter().map(|next| expected(next.share)).sum();
        // Beyond 213 days it is all the same.
        Some(Time::from_ps(left as u64))
    }
}
