//! The work of a session that follows from its state: claims, releases, keep-alives, and reports to the core.

use super::steps::{Purpose, Step};
use super::{Lease, Notice, Report, Session, SessionOutput};
use crate::cluster::calls::Call;
use crate::cluster::content::{Author, claim, free, text, write};
use crate::core::{Group, Input};
use std::time::Duration;

impl Session {
    pub(super) fn advance(&mut self, now: Duration) {
        match self.step {
            Step::Rests(until) if until <= now => {
                (self.step, self.opened) = (Step::Opens, now);
                self.out.push_back(SessionOutput::Open(self.at));
            }
            Step::Exchanges => {
                self.restore();
                self.claim(now);
                self.free();
                self.hold();
            }
            Step::Ended => self.out.push_back(SessionOutput::Ended),
            _ => {}
        }
        if let Some(lease) = self.lease
            && self.keep_alive.take_if(|due| *due <= now).is_some()
        {
            self.call(Purpose::KeepAlive(now), Call::KeepAlive(lease.id));
        }
    }

    /// Restores keys that were removed by hand: the name, which shows that this controller is alive, and the rules,
    /// which new controllers need.
    fn restore(&mut self) {
        if let Some(lease) = self.lease.filter(|_| self.lacks_name)
            && !self.is_calling(&Purpose::RestoreName)
        {
            let name = self.of.keys.instance(&self.of.own);
            self.transact(Purpose::RestoreName, claim(name, text(&lease.id), lease.id));
        }
        if self.lacks_rules && !self.is_calling(&Purpose::RestoreRules) {
            let rules = self.of.rules.clone();
            self.transact(Purpose::RestoreRules, claim(self.of.keys.rules(), rules, 0));
        }
    }

    /// Stores the pending write, if there is one.
    pub(super) fn write(&mut self) {
        let Some((pending, _)) = &self.pending else { return };
        let number = pending.write;
        let author = Author { instance: self.of.own.clone(), run: self.of.run, write: number };
        let transaction = write(&self.of.keys, &author, pending);
        self.transact(Purpose::Write(number), transaction);
    }

    fn claim(&mut self, now: Duration) {
        let Some(lease) = self.lease else { return };
        if self.sure_from <= now {
            self.claims.is_sure();
        }
        let decided = self.claims.decide();
        self.released.extend(decided.free);
        for group in decided.claim {
            let (name, value) = (self.of.keys.holder(&group), text(self.claims.me()));
            self.transact(Purpose::Claim(group), claim(name, value, lease.id));
        }
    }

    /// Releases groups whose ports have no outstanding orders.
    fn free(&mut self) {
        self.released.retain(|group| self.claims.is_given_back(group));
        let is_new = |group: &&Group| !self.is_calling(&Purpose::Free((*group).clone()));
        let new: Vec<Group> = self.released.iter().filter(is_new).cloned().collect();
        for group in new {
            let value = text(self.claims.me());
            let transaction = free(self.of.keys.holder(&group), value);
            self.transact(Purpose::Free(group), transaction);
        }
    }

    /// Reports to the core which groups it holds, and until when, if anything has changed.
    fn hold(&mut self) {
        let Some(Lease { until, .. }) = self.lease else { return };
        let groups = self.claims.ours();
        let given_back = self.claims.given_back().cloned().collect();
        let report = Report { groups, given_back, until };
        if self.reported.as_ref() == Some(&report) {
            return;
        }
        if self.reported.as_ref().is_none_or(|before| before.groups != report.groups) {
            self.out.push_back(SessionOutput::Notice(Notice::Holds(report.groups.clone())));
        }
        self.reported = Some(report.clone());
        let Report { groups, given_back, until } = report;
        self.out.push_back(SessionOutput::Tell(Input::GroupsHeld { groups, given_back, until }));
    }
}
