//! [`Survey`]: when the network is looked over.

use super::output::Output;
use super::rules::Rules;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::time::Duration;

/// From one survey to the next, at least, also where ports fail one after another.
const REST: Duration = Duration::from_secs(1);

/// When the network is looked over: now and then, and when an order has failed, since the port may be gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DiscoverySchedule {
    /// When the next begins; none while one is under way.
    due: Option<Duration>,
    ended: Duration,
    /// An order failed while one was under way, which may have come too early to see why.
    is_wanted: bool,
}

impl DiscoverySchedule {
    /// None was made yet.
    pub(super) fn new(now: Duration, rules: &Rules) -> Self {
        DiscoverySchedule { due: Some(now + rules.discover), ended: now, is_wanted: false }
    }

    /// An order failed.
    pub(super) fn wanted(&mut self, now: Duration) {
        match &mut self.due {
            Some(due) => *due = (*due).min(now.max(self.ended + REST)),
            None => self.is_wanted = true,
        }
    }

    /// One has ended.
    pub(super) fn ended(&mut self, now: Duration, rules: &Rules) {
        let rest = if std::mem::take(&mut self.is_wanted) { REST } else { rules.discover };
        (self.due, self.ended) = (Some(now + rest), now);
    }

    pub(super) fn wake(&self) -> Option<Duration> {
        self.due
    }

    /// Begins one if it is time.
    pub(super) fn advance(&mut self, now: Duration, out: &mut VecDeque<Output>) {
        if self.due.take_if(|due| *due <= now).is_some() {
            out.push_back(Output::Discover);
        }
    }
}
