//! [`Ports`]: what ports are to be, what they are, and when which order goes out.

use super::input::{Cause, End, OrderId, Output, Task, Why};
use super::rules::Rules;
use bandwise_saba::controller::{PortConfig, PortId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// A port.
#[derive(Debug, Clone, Default)]
pub struct PortState {
    /// What people call it.
    pub name: String,
    /// Whether it is there.
    pub(super) is_there: bool,
    /// Of what is said to the controller of it, the latest.
    pub(super) revision: u64,
    /// How it is to share its link.
    pub wanted: PortConfig,
    /// Whether it is to be as it was found, whatever is wanted.
    pub is_drained: bool,
    /// Whether it is to be so because the daemon ends.
    pub(super) is_left: bool,
    /// What was read there last; none before that and after a failure.
    pub read: Option<PortConfig>,
    /// What was carried out last, if it did not fail.
    placed: Option<Task>,
    under_way: Option<Order>,
    /// When the last order ended, also one of before it was found.
    ended: Option<Duration>,
    /// How many orders have failed since one was carried out.
    pub failures: u32,
    /// Why the last of them failed.
    pub fault: Option<String>,
    made: u32,
    closed: u32,
    /// Where it stands on the agenda.
    due: Option<Duration>,
}

#[derive(Debug, Clone)]
struct Order {
    id: OrderId,
    task: Task,
    why: Why,
    since: Duration,
    is_late: bool,
    /// The port was lost or found since.
    is_stale: bool,
}

/// All ports. Each has at most one order under way, and rests for [`Rules::apart`] after each.
#[derive(Debug, Clone, Default)]
pub(super) struct Ports {
    pub(super) all: BTreeMap<PortId, PortState>,
    /// Whether all are to be as they were found, those too that are found later.
    pub(super) are_left: bool,
    agenda: BTreeSet<(Duration, PortId)>,
    under_way: BTreeMap<OrderId, PortId>,
    next: u64,
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

    /// Whether an order has not ended though it should have.
    pub fn is_late(&self) -> bool {
        self.under_way.as_ref().is_some_and(|order| order.is_late)
    }

    /// Whether there is nothing to do but to look now and then.
    pub fn is_settled(&self) -> bool {
        self.under_way.is_none() && self.failures == 0 && !self.is_open()
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

    /// Whether something is to be done that wasn't.
    fn is_open(&self) -> bool {
        match self.task() {
            Task::Read => self.read.is_none(),
            task => self.placed.as_ref() != Some(&task),
        }
    }

    fn cause(&self) -> Cause {
        match (self.failures, self.read.is_some(), self.is_open()) {
            (1.., ..) => Cause::Again,
            (0, false, _) => Cause::Found,
            (0, true, true) => Cause::Wanted,
            (0, true, false) => Cause::Look,
        }
    }

    /// When to look at it next, or to give an order.
    fn due(&self, now: Duration, rules: &Rules) -> Option<Duration> {
        if let Some(order) = &self.under_way {
            return (!order.is_late).then(|| order.since + rules.late);
        }
        if !self.is_there {
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

impl Ports {
    /// Changes a port and puts it on the agenda anew.
    pub(super) fn change(
        &mut self,
        id: PortId,
        (now, rules): (Duration, &Rules),
        how: impl FnOnce(&mut PortState),
    ) {
        let port = self.all.entry(id).or_default();
        how(port);
        let due = port.due(now, rules);
        let before = std::mem::replace(&mut port.due, due);
        if before != due {
            self.agenda.extend(due.map(|due| (due, id)));
            if let Some(before) = before {
                self.agenda.remove(&(before, id));
            }
        }
    }

    /// All are to be as they were found.
    pub(super) fn leave(&mut self, (now, rules): (Duration, &Rules)) {
        self.are_left = true;
        let ids: Vec<PortId> = self.all.keys().copied().collect();
        for id in ids {
            self.change(id, (now, rules), |port| port.is_left = true);
        }
    }

    /// A connection through a port was made or closed.
    pub(super) fn count(&mut self, id: PortId, is_made: bool) {
        if let Some(port) = self.all.get_mut(&id) {
            *(if is_made { &mut port.made } else { &mut port.closed }) += 1;
        }
    }

    /// The first time at which there is something to do.
    pub(super) fn wake(&self) -> Option<Duration> {
        self.agenda.first().map(|first| first.0)
    }

    /// Gives the orders that are due.
    pub(super) fn advance(&mut self, now: Duration, rules: &Rules, out: &mut VecDeque<Output>) {
        while let Some(&(due, id)) = self.agenda.first().filter(|first| first.0 <= now) {
            debug_assert_eq!(self.all[&id].due, Some(due));
            let next = OrderId(self.next);
            let mut given = None;
            self.change(id, (now, rules), |port| {
                if let Some(order) = &mut port.under_way {
                    order.is_late = true;
                    out.push_back(Output::Late { order: order.id, port: id });
                    return;
                }
                let (task, cause) = (port.task(), port.cause());
                let (made, closed) =
                    (std::mem::take(&mut port.made), std::mem::take(&mut port.closed));
                let why = Why { cause, made, closed };
                given = Some(Output::Order { order: next, port: id, task: task.clone(), why });
                port.under_way = Some(Order {
                    id: next,
                    task,
                    why,
                    since: now,
                    is_late: false,
                    is_stale: false,
                });
            });
            if let Some(order) = given {
                self.next += 1;
                self.under_way.insert(next, id);
                out.push_back(order);
            }
        }
    }

    /// An order has ended. One that isn't under way says nothing.
    pub(super) fn ended(
        &mut self,
        order: OrderId,
        end: End,
        (now, rules): (Duration, &Rules),
        out: &mut VecDeque<Output>,
    ) {
        let Some(id) = self.under_way.remove(&order) else { return };
        self.change(id, (now, rules), |port| {
            let Some(Order { task, why, is_stale, .. }) = port.under_way.take() else { return };
            port.ended = Some(now);
            if is_stale {
                return;
            }
            match end {
                End::Done { is_written, config } => {
                    let before = port.read.replace(config.clone());
                    (port.failures, port.fault) = (0, None);
                    if task != Task::Read {
                        port.placed = Some(task);
                    }
                    if is_written {
                        let after = config;
                        out.push_back(Output::Written { order, port: id, before, after, why });
                    }
                }
                End::Failed { said } => {
                    (port.read, port.placed) = (None, None);
                    port.failures = port.failures.saturating_add(1);
                    port.fault = Some(said.clone());
                    // What was to be told with it is told with the next.
                    (port.made, port.closed) = (port.made + why.made, port.closed + why.closed);
                    out.push_back(Output::Failed { order, port: id, said, why });
                }
            }
        });
    }
}
