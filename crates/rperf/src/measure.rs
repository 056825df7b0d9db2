//! [`Rounds`] and [`Measure`]: the common part of the methods that measure latency.

use crate::Window;
use crate::latency::{AgainstTruth, Latency};
use crate::think::Think;
use crate::window_latency::WindowLatency;
use bandwise_units::Time;

/// Number of rounds of a method.
#[derive(Debug, Clone)]
pub struct Rounds {
    /// Number of unrecorded rounds at the start.
    pub warmup: u64,
    /// Number of recorded rounds, after which the method is done.
    pub samples: u64,
    /// Pause after each round.
    pub think: Think,
}

/// Progress of a method's rounds, and their measurements.
#[derive(Debug, Clone)]
pub struct Measure {
    warmup: u64,
    samples: u64,
    think: Think,
    latency: Latency,
    against_truth: Option<AgainstTruth>,
    /// End of the last round.
    last: Option<Time>,
    /// Earliest start of the current round.
    ready: Time,
    window_latency: Option<WindowLatency>,
}

impl Measure {
    /// Creates a measurement. Boxed, because the histograms are large beside the state of a method.
    pub(crate) fn new(rounds: Rounds) -> Box<Self> {
        Box::new(Measure {
            warmup: rounds.warmup,
            samples: rounds.samples,
            think: rounds.think,
            latency: Latency::new(),
            against_truth: None,
            last: None,
            ready: Time::ZERO,
            window_latency: None,
        })
    }

    /// Also records the rounds within a window separately.
    pub(crate) fn record_window(&mut self, window: Window) {
        self.window_latency = Some(WindowLatency::new(window));
    }

    /// Returns whether all rounds have ended.
    pub(crate) fn is_done(&self) -> bool {
        self.left() == 0
    }

    /// Returns the number of rounds that have not ended.
    pub(crate) fn left(&self) -> u64 {
        self.warmup.saturating_add(self.samples)
    }

    /// Ends a round at `now` with its measured value and a more accurate value, both in
    /// picoseconds. Returns when the next round may start.
    pub(crate) fn end_round(&mut self, now: Time, ps: i64, truth_ps: Option<i64>) -> Time {
        // The comparison is allocated in the first round, so that no later round allocates.
        let against = truth_ps.map(|truth| (truth, self.against_truth.get_or_insert_default()));
        if self.warmup > 0 {
            self.warmup -= 1;
        } else if self.samples > 0 {
            self.samples -= 1;
            self.latency.record_ps(ps);
            if let Some((truth, against)) = against {
                against.record(ps, truth);
            }
            if let Some(window_latency) = &mut self.window_latency {
                window_latency.end_round(self.ready, now, ps);
            }
        }
        self.last = Some(now);
        self.ready = now + self.think.draw();
        self.ready
    }

    /// Returns the recorded rounds.
    pub fn latency(&self) -> &Latency {
        &self.latency
    }

    /// Returns the end of the last round, recorded or not; `None` if none has ended.
    pub fn last(&self) -> Option<Time> {
        self.last
    }

    /// Returns the rounds within the window, or `None` if there is no window.
    pub fn window_latency(&self) -> Option<&WindowLatency> {
        self.window_latency.as_ref()
    }

    /// Returns the recorded rounds beside more accurate values, or `None` if no completion had one.
    pub fn against_truth(&self) -> Option<&AgainstTruth> {
        self.against_truth.as_ref()
    }
}
