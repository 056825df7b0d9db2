//! [`DiscoverySchedule`]: the times of network discoveries.

use super::output::Output;
use super::rules::Rules;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::time::Duration;

/// The shortest time between two discoveries, however many orders fail.
const REST: Duration = Duration::from_secs(1);

/// The times of network discoveries: periodically, and after an order has failed, since the port may be gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DiscoverySchedule {
    /// The start of the next discovery; `None` while one is running.
    due: Option<Duration>,
    ended: Duration,
    /// An order failed during a discovery, which may have been too early to see the cause.
    is_wanted: bool,
}

impl DiscoverySchedule {
    /// Returns the schedule before the first discovery.
    pub(super) fn new(now: Duration, rules: &Rules) -> Self {
        DiscoverySchedule {
            due: Some(now + rules.discovery_interval),
            ended: now,
            is_wanted: false,
        }
    }

    /// Brings the next discovery forward after an order has failed.
    pub(super) fn wanted(&mut self, now: Duration) {
        match &mut self.due {
            Some(due) => *due = (*due).min(now.max(self.ended + REST)),
            None => self.is_wanted = true,
        }
    }

    /// Handles the end of a discovery.
    pub(super) fn ended(&mut self, now: Duration, rules: &Rules) {
        let rest =
            if std::mem::take(&mut self.is_wanted) { REST } else { rules.discovery_interval };
        (self.due, self.ended) = (Some(now + rest), now);
    }

    pub(super) fn wake(&self) -> Option<Duration> {
        self.due
    }

    /// Starts a discovery that is due.
    pub(super) fn advance(&mut self, now: Duration, out: &mut VecDeque<Output>) {
        if self.due.take_if(|due| *due <= now).is_some() {
            out.push_back(Output::Discover);
        }
    }
}
