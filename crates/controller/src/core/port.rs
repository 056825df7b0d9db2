//! [`PortState`]: the wanted and the actual configuration of a port, and its next order.

use super::group::Group;
use super::order::{Cause, OrderId, Task, Why};
use super::rules::Rules;
use bandwise_saba::controller::PortConfig;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU8;
use std::time::Duration;

/// A port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortState {
    /// The port's name for people.
    pub name: String,
    /// True if the port is part of the network now.
    pub(super) is_there: bool,
    /// The group of the port.
    pub group: Group,
    /// True if another controller writes the port.
    pub is_foreign: bool,
    /// The latest revision of the port's events to Saba's controller.
    pub(super) revision: u64,
    /// The number of queues.
    pub(super) queues: Option<NonZeroU8>,
    /// The wanted configuration.
    pub wanted: PortConfig,
    /// True if an operator has drained the port. A drained port is restored, whatever configuration is wanted.
    pub is_drained: bool,
    /// True if the port is restored because the daemon ends.
    pub(super) is_left: bool,
    /// The configuration that was read last; `None` before the first read and after a failure.
    pub read: Option<PortConfig>,
    /// The action that was carried out last, if it did not fail.
    pub(super) placed: Option<Task>,
    pub(super) outstanding: Option<Order>,
    /// The end of the last order, also of one from before the port was discovered.
    pub(super) ended: Option<Duration>,
    /// The number of failed orders since the last success.
    pub failures: u32,
    /// The error of the last failed order.
    pub fault: Option<String>,
    pub(super) made: u32,
    pub(super) closed: u32,
    /// True if the port was found overwritten and has not been written since.
    pub(super) is_overwritten: bool,
    /// The time at which the port is due.
    pub(super) due: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) id: OrderId,
    pub(super) task: Task,
    pub(super) why: Why,
    pub(super) since: Duration,
    pub(super) is_late: bool,
    /// The port was lost or discovered since the order was given.
    pub(super) is_stale: bool,
}

impl PortState {
    /// Clears all knowledge of a port that was lost or discovered again. The result of an outstanding order is ignored.
    pub(super) fn forget(&mut self) {
        let (mut outstanding, due, ended) = (self.outstanding.take(), self.due, self.ended);
        if let Some(order) = &mut outstanding {
            order.is_stale = true;
        }
        let revision = self.revision;
        *self = PortState { revision, outstanding, due, ended, ..PortState::default() };
    }

    /// Hands the port over to another controller, or takes it over. Knowledge from earlier orders is cleared.
    pub(super) fn hand_over(&mut self, is_foreign: bool) {
        let known = self.clone();
        self.forget();
        let PortState { name, is_there, queues, wanted, group, is_drained, is_left, .. } = known;
        (self.name, self.is_there, self.queues, self.group) = (name, is_there, queues, group);
        (self.wanted, self.is_drained, self.is_left) = (wanted, is_drained, is_left);
        self.is_foreign = is_foreign;
    }

    /// Returns whether the outstanding order takes longer than it should.
    pub fn is_late(&self) -> bool {
        self.outstanding.as_ref().is_some_and(|order| order.is_late)
    }

    /// Returns whether the port needs nothing except periodic checks.
    pub fn is_settled(&self) -> bool {
        if self.is_foreign {
            return true;
        }
        let looks = |order: &Order| order.why.cause == Cause::Check;
        self.outstanding.as_ref().is_none_or(looks) && self.failures == 0 && !self.is_open()
    }

    /// Returns the action that the port needs. A port without any configuration is only read. A
    /// drained port is left to other writers.
    fn task(&self) -> Task {
        let is_ours = matches!(self.placed, Some(Task::Share(_)));
        let is_empty = |config: &PortConfig| config.weights.is_empty();
        if self.is_drained || self.is_left {
            if self.placed == Some(Task::AsFound) { Task::Read } else { Task::AsFound }
        } else if !is_empty(&self.wanted)
            || is_ours
            || self.read.as_ref().is_some_and(|r| !is_empty(r))
        {
            Task::Share(self.wanted.clone())
        } else {
            Task::Read
        }
    }

    /// Returns the next order's action. A port with the wanted configuration is only checked.
    pub(super) fn next_task(&self) -> Task {
        match self.task() {
            Task::Share(config) if !self.is_open() => Task::Check(config),
            task => task,
        }
    }

    /// Returns whether an action is needed that was not carried out yet.
    fn is_open(&self) -> bool {
        match self.task() {
            Task::Read => self.read.is_none(),
            task => self.placed.as_ref() != Some(&task),
        }
    }

    pub(super) fn cause(&self) -> Cause {
        match (self.failures, self.read.is_some(), self.is_open()) {
            (1.., ..) => Cause::Retry,
            _ if self.is_overwritten => Cause::Overwritten,
            (0, false, _) => Cause::Discovered,
            (0, true, true) => Cause::Changed,
            (0, true, false) => Cause::Check,
        }
    }

    /// Returns the time at which the port needs the next order, or at which its outstanding order is late.
    pub(super) fn due(&self, now: Duration, rules: &Rules) -> Option<Duration> {
        if let Some(order) = &self.outstanding {
            return (!order.is_late).then(|| order.since + rules.late_after);
        }
        if !self.is_there || self.is_foreign {
            return None;
        }
        let Some(ended) = self.ended else { return Some(now) };
        let rest = match (self.failures, self.is_open()) {
            (0, true) => rules.order_gap,
            (0, false) => rules.check_interval,
            (failures, _) => {
                let doubled = rules.retry.saturating_mul(1 << (failures - 1).min(20));
                doubled.min(rules.max_retry).max(rules.order_gap)
            }
        };
        Some(ended + rest)
    }
}
