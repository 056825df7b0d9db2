//! Which groups a controller has, and what comes of it.

use super::Core;
use crate::core::group::{Group, Holding};
use crate::core::output::Output;
use crate::core::request::{ClientId, Refusal};
use bandwise_saba::controller::PortId;
use std::collections::BTreeSet;
use std::time::Duration;

impl Core {
    /// The same as one of several that share a store, which has come to `revision` with what it begins with. It is called
    /// as its own group is, and has no group until it is told.
    pub fn among_others(mut self, own: Group, revision: u64) -> Self {
        (self.holding, self.revision) = (Holding::of(own), revision);
        self.leases = Default::default();
        self
    }

    /// The groups that it has.
    pub fn held(&self) -> impl Iterator<Item = &Group> {
        self.holding.held.iter()
    }

    /// What it is called among others; nothing where it is alone.
    pub fn own_group(&self) -> Option<&Group> {
        self.holding.is_shared().then_some(&self.holding.own)
    }

    /// It has these groups from now on. Ports that come are read before they are written; clients that come have a
    /// whole lease.
    pub(super) fn hold(&mut self, groups: Vec<Group>, until: Option<Duration>) {
        self.holding.until = until.filter(|_| !groups.is_empty());
        let groups: BTreeSet<Group> = groups.into_iter().collect();
        let before = std::mem::replace(&mut self.holding.held, groups);
        let has = |core: &Core, group: &Group| core.holding.has(group);
        let changed = |core: &Core, group: &Group| before.contains(group) != has(core, group);
        let ports: Vec<PortId> =
            self.ports().filter(|of| changed(self, &of.1.group)).map(|of| of.0).collect();
        for id in ports {
            let is_anothers = !has(self, &self.ports.all[&id].group);
            let now = (self.now, &self.rules);
            self.ports.change(id, now, |port| port.hand_over(is_anothers));
        }
        let clients = self.state.clients.iter().filter(|of| changed(self, &of.1.home));
        let clients: Vec<(ClientId, bool)> =
            clients.map(|(&id, of)| (id, self.holding.has_client(of))).collect();
        for (client, is_ours) in clients {
            if is_ours { self.renew(client) } else { self.leases.forget(client) }
        }
        self.leaving.extend(before.into_iter().filter(|group| !self.holding.has(group)));
        self.leaving.retain(|group| !self.holding.held.contains(group));
        if self.holding.home().is_none() {
            self.refuse_all();
        }
    }

    /// What it was not told again in time it has no more: others take it soon.
    pub(super) fn end_holding(&mut self) {
        if self.holding.until.is_some_and(|until| until <= self.now) {
            self.hold(Vec::new(), None);
        }
    }

    /// Who waits is told so, also for what is being stored: whether that will be there is not known. It is the same
    /// request that is sent again, here or to another controller.
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

    /// Says which groups are free for others.
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
