//! [`Campaign`]: the order and the state of the runs of a profile.

use crate::{Outcome, Plan, Run};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Sample;
use bandwise_units::Time;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// The purpose of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To fill caches. The run is not a sample.
    Warmup,
    /// To be a sample.
    Sample,
}

/// A run to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// The share of the bandwidth.
    pub share: Share,
    /// The purpose.
    pub purpose: Purpose,
    /// The number of failures so far.
    pub failed: u32,
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.purpose {
            Purpose::Warmup => f.write_str("to warm up")?,
            Purpose::Sample => write!(f, "{}", self.share)?,
        }
        match self.failed {
            0 => Ok(()),
            failed => write!(f, ", after {failed} that failed"),
        }
    }
}

/// A plan and its progress.
#[derive(Debug, Clone)]
pub struct Campaign {
    attempts: u32,
    left: VecDeque<Next>,
    made: Vec<Run>,
    given_up: Vec<Next>,
}

impl Campaign {
    /// Returns a campaign without any run.
    pub fn new(plan: &Plan) -> Self {
        let next = |share, purpose| Next { share, purpose, failed: 0 };
        let warmup = (0..plan.warmup()).map(|_| next(Share::ALL, Purpose::Warmup));
        let samples = plan.order().into_iter().map(|share| next(share, Purpose::Sample));
        Campaign {
            attempts: plan.attempts(),
            left: warmup.chain(samples).collect(),
            made: Vec::new(),
            given_up: Vec::new(),
        }
    }

    /// Returns the next run, if one is left.
    pub fn next(&self) -> Option<Next> {
        self.left.front().copied()
    }

    /// Records a run. It need not be the next one; runs of an earlier plan with other shares are
    /// accepted.
    ///
    /// A failed run moves to the end of those left, because its cause may pass.
    pub fn made(&mut self, run: Run) {
        let planned = |next: &Next| (next.share, next.purpose) == (run.share, run.purpose);
        let of_plan = self.left.iter().position(planned).and_then(|at| self.left.remove(at));
        if let (Some(next), true) = (of_plan, run.outcome != Outcome::Success) {
            let next = Next { failed: next.failed + 1, ..next };
            match next.failed < self.attempts {
                true => self.left.push_back(next),
                false => self.given_up.push(next),
            }
        }
        self.made.push(run);
    }

    /// Returns all recorded runs, in order.
    pub fn runs(&self) -> &[Run] {
        &self.made
    }

    /// Returns the runs that have failed as often as the plan allows.
    pub fn given_up(&self) -> &[Next] {
        &self.given_up
    }

    /// Returns the number of runs left.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// Returns the samples: successful runs that are not warm-up.
    pub fn samples(&self) -> Vec<Sample> {
        let counts = |run: &&Run| run.purpose == Purpose::Sample && run.outcome == Outcome::Success;
        let sample = |run: &Run| Sample { share: run.share, time: run.time };
        self.made.iter().filter(counts).map(sample).collect()
    }

    /// Returns the expected time of the runs left, or `None` before the first successful run.
    ///
    /// A share without a run is expected to take as long as the next smaller share with one. If
    /// there is none, it is expected to take the time of the least share that was run, multiplied
    /// by the ratio of bandwidths; no program loses more than that.
    pub fn time_left(&self) -> Option<Time> {
        let well = self.made.iter().filter(|run| run.outcome == Outcome::Success);
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
        // A time beyond 213 days saturates.
        Some(Time::from_ps(left as u64))
    }
}
