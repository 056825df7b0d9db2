//! [`Ports`]: the ports of the network, and the schedule of their orders.

use super::group::Group;
use super::order::{OrderId, OrderOutcome, Task, Why};
use super::output::Output;
use super::port::{Order, PortState};
use super::rules::Rules;
use bandwise_saba::controller::PortId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// All ports. Each has at most one outstanding order, and pauses for [`Rules::order_gap`] after each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub(super) struct Ports {
    pub(super) all: BTreeMap<PortId, PortState>,
    /// True if all ports are restored because the daemon ends. Ports that are discovered later are
    /// restored too.
    pub(super) are_left: bool,
    agenda: BTreeSet<(Duration, PortId)>,
    outstanding: BTreeMap<OrderId, PortId>,
    next: u64,
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
struct Saved {
    ports: Vec<(PortId, PortState)>,
    are_left: bool,
    next: u64,
}

impl From<Saved> for Ports {
    fn from(Saved { ports, are_left, next }: Saved) -> Self {
        let all: BTreeMap<PortId, PortState> = ports.into_iter().collect();
        let agenda = all.iter().filter_map(|(&id, port)| Some((port.due?, id))).collect();
        let orders = all.iter().filter_map(|(&id, port)| Some((port.outstanding.as_ref()?.id, id)));
        let outstanding = orders.collect();
        Ports { all, are_left, agenda, outstanding, next }
    }
}

impl From<Ports> for Saved {
    fn from(Ports { all, are_left, next, .. }: Ports) -> Self {
        Saved { ports: all.into_iter().collect(), are_left, next }
    }
}

impl Ports {
    /// Changes a port and reschedules it.
    pub(super) fn change(
        &mut self,
        id: PortId,
        now: Duration,
        rules: &Rules,
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

    /// Restores all ports.
    pub(super) fn leave(&mut self, now: Duration, rules: &Rules) {
        self.are_left = true;
        let ids: Vec<PortId> = self.all.keys().copied().collect();
        for id in ids {
            self.change(id, now, rules, |port| port.is_left = true);
        }
    }

    /// Counts an opened or closed connection through a port.
    pub(super) fn count(&mut self, id: PortId, is_made: bool) {
        if let Some(port) = self.all.get_mut(&id) {
            *(if is_made { &mut port.made } else { &mut port.closed }) += 1;
        }
    }

    /// Returns whether a port of the group has an outstanding order.
    pub(super) fn is_busy(&self, group: &Group) -> bool {
        self.outstanding
            .values()
            .any(|port| self.all.get(port).is_some_and(|of| of.group == *group))
    }

    /// Returns the time at which the first port is due.
    pub(super) fn wake(&self) -> Option<Duration> {
        self.agenda.first().map(|first| first.0)
    }

    /// Gives the orders that are due.
    pub(super) fn advance(&mut self, now: Duration, rules: &Rules, out: &mut VecDeque<Output>) {
        while let Some(&(due, id)) = self.agenda.first().filter(|first| first.0 <= now) {
            debug_assert_eq!(self.all[&id].due, Some(due));
            let next = OrderId(self.next);
            let mut given = None;
            self.change(id, now, rules, |port| {
                if let Some(order) = &mut port.outstanding {
                    order.is_late = true;
                    out.push_back(Output::Late { order: order.id, port: id });
                    return;
                }
                let (task, cause) = (port.next_task(), port.cause());
                let (made, closed) =
                    (std::mem::take(&mut port.made), std::mem::take(&mut port.closed));
                let why = Why { cause, made, closed };
                given = Some(Output::Order { order: next, port: id, task: task.clone(), why });
                port.outstanding = Some(Order {
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
                self.outstanding.insert(next, id);
                out.push_back(order);
            }
        }
    }

    /// Handles the end of an order. An unknown order is ignored.
    pub(super) fn ended(
        &mut self,
        order: OrderId,
        outcome: OrderOutcome,
        now: Duration,
        rules: &Rules,
        out: &mut VecDeque<Output>,
    ) {
        let Some(id) = self.outstanding.remove(&order) else { return };
        self.change(id, now, rules, |port| {
            let Some(Order { task, why, is_stale, .. }) = port.outstanding.take() else { return };
            port.ended = Some(now);
            if is_stale {
                return;
            }
            match outcome {
                OrderOutcome::Done { is_written, config } => {
                    let before = port.read.replace(config.clone());
                    (port.failures, port.fault) = (0, None);
                    if !matches!(task, Task::Read | Task::Check(_)) {
                        (port.placed, port.is_overwritten) = (Some(task), false);
                    }
                    if is_written {
                        let after = config;
                        out.push_back(Output::Written { order, port: id, before, after, why });
                    }
                }
                OrderOutcome::Unchanged => (port.failures, port.fault) = (0, None),
                OrderOutcome::Differs { found } => {
                    let before = port.read.replace(found.clone());
                    (port.failures, port.fault, port.placed) = (0, None, None);
                    port.is_overwritten = true;
                    out.push_back(Output::Overwritten { order, port: id, before, found });
                }
                OrderOutcome::Failed { error } => {
                    (port.read, port.placed) = (None, None);
                    port.failures = port.failures.saturating_add(1);
                    port.fault = Some(error.clone());
                    // The next order reports the connections of the failed one.
                    (port.made, port.closed) = (port.made + why.made, port.closed + why.closed);
                    out.push_back(Output::Failed { order, port: id, error, why });
                }
            }
        });
    }
}
