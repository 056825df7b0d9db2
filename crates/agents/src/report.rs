//! [`Report`]: the results of one flow.

use bandwise_rperf::{PARTS, Summary};
use bandwise_units::{BitRate, Bytes, Time};
use serde::{Deserialize, Serialize};

/// The results of a time span.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// The number of completed messages.
    pub messages: u64,
    /// The payload of these messages.
    pub bytes: Bytes,
    /// The time of these messages; with one message at a time, from the start of the first to the
    /// end of the last.
    pub over: Time,
    /// The latencies of these messages, if the method measures latencies and there were any.
    pub latency: Option<Summary>,
}

impl Counted {
    /// The results of an empty time span.
    pub const NONE: Counted =
        Counted { messages: 0, bytes: Bytes::ZERO, over: Time::ZERO, latency: None };

    /// Returns payload divided by time; `None` without messages.
    pub fn rate(&self) -> Option<BitRate> {
        let is_some = self.messages > 0 && self.over > Time::ZERO;
        is_some.then(|| BitRate::over(self.bytes, self.over))
    }

    /// Returns the messages a second; `None` without messages.
    pub fn per_second(&self) -> Option<f64> {
        let is_some = self.messages > 0 && self.over > Time::ZERO;
        is_some.then(|| self.messages as f64 / self.over.as_s_f64())
    }
}

/// The reason for which one side of a flow ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowEnd {
    /// The time of the flow was over.
    Complete,
    /// The coordinator stopped the flow.
    Stopped,
    /// The device or the connection failed.
    Failed(String),
}

/// The results of the measuring side of a flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The reason of the end.
    pub end: FlowEnd,
    /// The start and the end, from the start of the run by the agent's clock; `None` if the flow did not start.
    pub active: Option<(Time, Time)>,
    /// The completion of the last message by the same clock; of several threads, the earliest. `None` without messages.
    pub carried: Option<Time>,
    /// The results of the whole flow.
    pub whole: Counted,
    /// The results of the window in which all flows were active.
    pub window: Counted,
    /// The results up to the end of each of the window's [`PARTS`], for a run that is cut short.
    pub parts: [Counted; PARTS],
    /// The part of the time in which the thread had a processor, 0 to 1, if the system reports it; the mean of several
    /// threads.
    pub cpu: Option<f64>,
    /// The number of values that a key-value store returned, all of them verified.
    pub values: Option<u64>,
}

impl Report {
    /// Returns the report of a flow that did not start.
    pub const fn none(end: FlowEnd) -> Report {
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
