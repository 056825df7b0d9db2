//! [`Report`]: what an agent found of a flow.

use bandwise_rperf::{PARTS, Summary};
use bandwise_units::{BitRate, Bytes, Time};
use serde::{Deserialize, Serialize};

/// What was counted in some time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// Messages that were completed.
    pub messages: u64,
    /// Their payload.
    pub bytes: Bytes,
    /// How long that took: of messages one at a time from the beginning of the first to the end of the last.
    pub over: Time,
    /// How long each took, of a method that measures that and if there was one.
    pub latency: Option<Summary>,
}

impl Counted {
    /// Nothing.
    pub const NONE: Counted =
        Counted { messages: 0, bytes: Bytes::ZERO, over: Time::ZERO, latency: None };

    /// Payload over time; `None` where nothing was counted.
    pub fn rate(&self) -> Option<BitRate> {
        let is_some = self.messages > 0 && self.over > Time::ZERO;
        is_some.then(|| BitRate::over(self.bytes, self.over))
    }

    /// Messages a second; `None` where nothing was counted.
    pub fn per_second(&self) -> Option<f64> {
        let is_some = self.messages > 0 && self.over > Time::ZERO;
        is_some.then(|| self.messages as f64 / self.over.as_s_f64())
    }
}

/// Why a flow's part ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Its time was over.
    Complete,
    /// The coordinator said so.
    Stopped,
    /// The device has failed, or what it is connected with.
    Failed(String),
}

/// What who measures a flow found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Why it ended.
    pub end: End,
    /// When it began and ended, from the start of the run by the agent's clock; `None` where it did not begin.
    pub active: Option<(Time, Time)>,
    /// When its last message was completed, by the same clock; of several threads the first that had its last. `None`
    /// where there was none.
    pub carried: Option<Time>,
    /// All that was counted.
    pub whole: Counted,
    /// What was counted while all flows were active.
    pub window: Counted,
    /// What was counted until the end of each of the window's [`PARTS`]: what is left of a run that is cut short.
    pub parts: [Counted; PARTS],
    /// The part of the time in which its thread had a processor, 0 to 1, where the system says so; of several threads
    /// the mean.
    pub cpu: Option<f64>,
    /// How many values came back, of a key-value store: each was looked at and right.
    pub values: Option<u64>,
}

impl Report {
    /// Of a flow that did not begin.
    pub const fn none(end: End) -> Report {
        Report {
            end,
            active: None,
            carried: None,
            whole: Counted::NONE,
            window: Counted::NONE,
            parts: [Counted::NONE; PARTS],
            cpu: None,
            values: None,
        }
    }
}
