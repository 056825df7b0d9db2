//! [`Rounds`] and [`Measure`]: what the methods that measure latency have in common.

use crate::Window;
use crate::latency::{AgainstTruth, Latency};
use crate::think::Think;
use crate::within::Within;
use bandwise_units::Time;

/// How often a method measures.
#[derive(Debug, Clone)]
pub struct Rounds {
    /// How many rounds come first and are not recorded.
    pub warmup: u64,
    /// How many rounds are recorded before the method is done.
    pub samples: u64,
    /// The pause after each round.
    pub think: Think,
}

/// The rounds of a method as they go by, and what they measured.
#[derive(Debug, Clone)]
pub struct Measure {
    warmup: u64,
    samples: u64,
    think: Think,
    latency: Latency,
    against_truth: Option<AgainstTruth>,
    /// When the last round ended.
    last: Option<Time>,
    /// When the round that goes on could begin.
    ready: Time,
    within: Option<Within>,
}

impl Measure {
    /// Rounds that are about to begin. On the heap: histograms are large beside the state of a
    /// method.
    pub(crate) fn new(rounds: Rounds) -> Box<Self> {
        Box::new(Measure {
            warmup: rounds.warmup,
            samples: rounds.samples,
            think: rounds.think,
            latency: Latency::new(),
            against_truth: None,
            last: None,
            ready: Time::ZERO,
            within: None,
        })
    }

    /// Has the rounds that lie in a window recorded by themselves, besides.
    pub(crate) fn count_within(&mut self, window: Window) {
        self.within = Some(Within::new(window));
    }

    /// Whether all rounds are over.
    pub(crate) fn is_done(&self) -> bool {
        self.left() == 0
    }

    /// How many rounds are not over.
    pub(crate) fn left(&self) -> u64 {
        self.warmup.saturating_add(self.samples)
    }

    /// Ends a round at `now`, with what it measured in picoseconds and what is known better, in the same. Answers
    /// when the next may begin.
    pub(crate) fn end_round(&mut self, now: Time, ps: i64, truth_ps: Option<i64>) -> Time {
        // Room for the truth is made with the first, so that no later round allocates.
        let against = truth_ps.map(|truth| (truth, self.against_truth.get_or_insert_default()));
        if self.warmup > 0 {
            self.warmup -= 1;
        } else if self.samples > 0 {
            self.samples -= 1;
            self.latency.record_ps(ps);
            if let Some((truth, against)) = against {
                against.record(ps, truth);
            }
            if let Some(within) = &mut self.within {
                within.end_round(self.ready, now, ps);
            }
        }
        self.last = Some(now);
        self.ready = now + self.think.draw();
        self.ready
    }

    /// The recorded rounds.
    pub fn latency(&self) -> &Latency {
        &self.latency
    }

    /// When the last round ended, recorded or not; `None` if none did.
    pub fn last(&self) -> Option<Time> {
        self.last
    }

    /// The rounds that lie in the window; `None` if there is no window.
    pub fn within(&self) -> Option<&Within> {
        self.within.as_ref()
    }

    /// The recorded rounds beside what is known better; `None` if no completion told that.
    pub fn against_truth(&self) -> Option<&AgainstTruth> {
        self.against_truth.as_ref()
    }
}
