//! [`PortState`]: what a port is to be, what it is, and what is to be done there.

use super::group::Group;
use super::output::{Cause, OrderId, Task, Why};
use super::rules::Rules;
use bandwise_saba::controller::PortConfig;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU8;
use std::time::Duration;

/// A port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortState {
    /// What people call it.
    pub name: String,
    /// Whether it is there.
    pub(super) is_there: bool,
    /// Whose it is.
    pub group: Group,
    /// Whether another controller writes it.
    pub is_anothers: bool,
    /// Of what is said to the controller of it, the latest.
    pub(super) revision: u64,
    /// How many queues it has.
    pub(super) queues: Option<NonZeroU8>,
    /// How it is to share its link.
    pub wanted: PortConfig,
    /// Whether it is to be as it was found, whatever is wanted.
    pub is_drained: bool,
    /// Whether it is to be so because the daemon ends.
    pub(super) is_left: bool,
    /// What was read there last; none before that and after a failure.
    pub read: Option<PortConfig>,
    /// What was carried out last, if it did not fail.
    pub(super) placed: Option<Task>,
    pub(super) under_way: Option<Order>,
    /// When the last order ended, also one of before it was found.
    pub(super) ended: Option<Duration>,
    /// How many orders have failed since one was carried out.
    pub failures: u32,
    /// Why the last of them failed.
    pub fault: Option<String>,
    pub(super) made: u32,
    pub(super) closed: u32,
    /// It was found to have something else than was written there, and was not written since.
    pub(super) is_overwritten: bool,
    /// Where it stands on the agenda.
    pub(super) due: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) id: OrderId,
    pub(super) task: Task,
    pub(super) why: Why,
    pub(super) since: Duration,
    pub(super) is_late: bool,
    /// The port was lost or found since.
    pub(super) is_stale: bool,
}

impl PortState {
    /// It is no longer there, or was found anew: nothing is known of it. An order that is under way ends some
    /// time, and says nothing then.
    pub(super) fn forget(&mut self) {
        let (mut under_way, due, ended) = (self.under_way.take(), self.due, self.ended);
        if let Some(order) = &mut under_way {
            order.is_stale = true;
        }
        let revision = self.revision;
        *self = PortState { revision, under_way, due, ended, ..PortState::default() };
    }

    /// Another controller writes it from now on, or none does but this one. What is known of it by orders is known no more.
    pub(super) fn hand_over(&mut self, is_anothers: bool) {
        let known = self.clone();
        self.forget();
        let PortState { name, is_there, queues, wanted, group, is_drained, is_left, .. } = known;
        (self.name, self.is_there, self.queues, self.group) = (name, is_there, queues, group);
        (self.wanted, self.is_drained, self.is_left) = (wanted, is_drained, is_left);
        self.is_anothers = is_anothers;
    }

    /// Whether an order has not ended though it should have.
    pub fn is_late(&self) -> bool {
        self.under_way.as_ref().is_some_and(|order| order.is_late)
    }

    /// Whether there is nothing to do but to look now and then.
    pub fn is_settled(&self) -> bool {
        if self.is_anothers {
            return true;
        }
        let looks = |order: &Order| order.why.cause == Cause::Look;
        self.under_way.as_ref().is_none_or(looks) && self.failures == 0 && !self.is_open()
    }

    /// What is to be done there. A port that nobody ever sent through is only read, and one that was put back
    /// as it was found is anyone's.
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

    /// What the next order says: where it stands as it is to, it is only looked at.
    pub(super) fn next_task(&self) -> Task {
        match self.task() {
            Task::Share(config) if !self.is_open() => Task::Check(config),
            task => task,
        }
    }

    /// Whether something is to be done that wasn't.
    fn is_open(&self) -> bool {
        match self.task() {
            Task::Read => self.read.is_none(),
            task => self.placed.as_ref() != Some(&task),
        }
    }

    pub(super) fn cause(&self) -> Cause {
        match (self.failures, self.read.is_some(), self.is_open()) {
            (1.., ..) => Cause::Again,
            _ if self.is_overwritten => Cause::Overwritten,
            (0, false, _) => Cause::Found,
            (0, true, true) => Cause::Wanted,
            (0, true, false) => Cause::Look,
        }
    }

    /// When to look at it next, or to give an order.
    pub(super) fn due(&self, now: Duration, rules: &Rules) -> Option<Duration> {
        if let Some(order) = &self.under_way {
            return (!order.is_late).then(|| order.since + rules.late);
        }
        if !self.is_there || self.is_anothers {
            return None;
        }
        let Some(ended) = self.ended else { return Some(now) };
        let rest = match (self.failures, self.is_open()) {
            (0, true) => rules.apart,
            (0, false) => rules.look,
            (failures, _) => {
                let doubled = rules.retry.saturating_mul(1 << (failures - 1).min(20));
                doubled.min(rules.longest_retry).max(rules.apart)
            }
        };
        Some(ended + rest)
    }
}
