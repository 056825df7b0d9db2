//! The groups that a controller holds, and the effect of gaining and losing a group.

use super::Core;
use crate::core::group::{Group, Holding};
use crate::core::output::Output;
use crate::core::request::{ClientId, Refusal};
use bandwise_saba::controller::PortId;
use std::collections::BTreeSet;
use std::time::Duration;

impl Core {
    /// Turns the core into one of several that share a store. `revision` is the store's revision for the stored state
    /// that the core started from. The controller has the name of its `own` group, and holds no group until the first
    /// [`Input::GroupsHeld`](crate::core::Input::GroupsHeld).
    pub fn shared(mut self, own: Group, revision: u64) -> Self {
        (self.holding, self.revision) = (Holding::of(own), revision);
        self.leases = Default::default();
        self
    }

    /// Iterates over the groups that the controller holds.
    pub fn held(&self) -> impl Iterator<Item = &Group> {
        self.holding.held.iter()
    }

    /// Returns the end of the time in which an order may begin: other controllers may hold the ports later. It is the
    /// time of the last input, and not a later one, if the controller holds no group.
    pub fn writes_until(&self) -> Duration {
        match self.holding.is_shared() {
            true => self.holding.until.unwrap_or(self.now),
            false => Duration::MAX,
        }
    }

    /// Returns the controller's name among others, or `None` for a single controller.
    pub fn own_group(&self) -> Option<&Group> {
        self.holding.is_shared().then_some(&self.holding.own)
    }

    /// Replaces the groups that the controller holds. New ports are read before they are written; new clients get a
    /// full lease.
    pub(super) fn hold(&mut self, groups: Vec<Group>, until: Option<Duration>) {
        self.holding.until = until.filter(|_| !groups.is_empty());
        let groups: BTreeSet<Group> = groups.into_iter().collect();
        let before = std::mem::replace(&mut self.holding.held, groups);
        let has = |core: &Core, group: &Group| core.holding.has(group);
        let changed = |core: &Core, group: &Group| before.contains(group) != has(core, group);
        let ports: Vec<PortId> =
            self.ports().filter(|of| changed(self, &of.1.group)).map(|of| of.0).collect();
        for id in ports {
            let is_foreign = !has(self, &self.ports.all[&id].group);
            self.ports.change(id, self.now, &self.rules, |port| port.hand_over(is_foreign));
        }
        let clients = self.state.clients.iter().filter(|of| changed(self, &of.1.home));
        let clients: Vec<(ClientId, bool)> =
            clients.map(|(&id, of)| (id, self.holding.has(&of.home))).collect();
        for (client, is_ours) in clients {
            if is_ours { self.renew(client) } else { self.leases.forget(client) }
        }
        if self.holding.home().is_none() {
            self.refuse_all();
        }
    }

    /// Releases groups once no order at their ports is outstanding. Each event that lists them is answered, also if the
    /// controller has lost them before.
    pub(super) fn give_back(&mut self, groups: Vec<Group>) {
        self.leaving = groups.into_iter().filter(|group| !self.holding.has(group)).collect();
    }

    /// Gives up the groups whose time has expired, since other controllers may claim them soon.
    pub(super) fn end_holding(&mut self) {
        if self.holding.until.is_some_and(|until| until <= self.now) {
            self.hold(Vec::new(), None);
        }
    }

    /// Refuses all waiting requests, including those of an unfinished write, whose outcome is
    /// unknown. Clients repeat their requests, to this or another controller.
    fn refuse_all(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut tickets: Vec<_> = waiting.iter().filter_map(|of| of.ticket()).collect();
        if let Some(writing) = &mut self.writing {
            tickets.extend(std::mem::take(&mut writing.batch.answers).into_iter().map(|of| of.0));
            writing.taken.retain(|waiting| waiting.ticket().is_none());
        }
        let refuse = |ticket| Output::Answer { ticket, answer: Err(Refusal::cut_off()) };
        self.out.extend(tickets.into_iter().map(refuse));
    }

    /// Reports the groups to release that have no outstanding orders: other controllers may claim them.
    pub(super) fn release(&mut self) {
        let (busy, free) =
            std::mem::take(&mut self.leaving).into_iter().partition(|of| self.ports.is_busy(of));
        self.leaving = busy;
        let free: BTreeSet<Group> = free;
        for group in free {
            self.out.push_back(Output::Released { group });
        }
    }
}
