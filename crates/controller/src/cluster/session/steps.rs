//! The steps of an exchange with one etcd, and the answers to its calls.

use super::{CallId, Lease, Notice, Session, SessionOutput};
use crate::cluster::calls::{Call, Failure, Reply};
use crate::cluster::claims::Holder;
use crate::cluster::content::{Loaded, claim, text};
use crate::core::{Group, Input};
use std::time::Duration;

/// The number of keep-alives in a lease; all but one of them may be lost.
const KEEP_ALIVES: u32 = 6;

/// The progress of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// No connection until this time.
    Rests(Duration),
    Opens,
    Recognises,
    /// Reads the store of an etcd that was replaced, before the lease.
    LoadsFirst,
    /// Reads the store that was not readable before. Until it is, the lease is not renewed: this controller does not
    /// know what the others do.
    LoadsAgain,
    /// Asks for a lease, and then for the name of this controller. Renews a lease that has ended.
    Leases,
    /// Reads the store before this lease goes on, which had ended by the clock of this controller.
    LoadsFor(Lease),
    Watches,
    /// Handles events, writes, claims and keep-alives.
    Exchanges,
    /// Revokes the lease, since the event loop has ended.
    Stops,
    Ended,
}

/// The purpose of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    Recall,
    Content,
    /// A lease that was asked for at this time.
    Lease(Duration),
    /// A keep-alive of an ended lease, which then goes on as this one.
    Revive(Lease),
    /// The name of this controller, under a new lease.
    Begin(Lease),
    /// The lease of a controller whose name is taken.
    GiveUp,
    Watch,
    /// A key that was removed by hand.
    RestoreName,
    RestoreRules,
    Write(u64),
    Claim(Group),
    Free(Group),
    /// A keep-alive that was sent at this time.
    KeepAlive(Duration),
    Revoke,
}

impl Session {
    pub(super) fn answered(
        &mut self,
        now: Duration,
        call: CallId,
        purpose: Purpose,
        answer: Result<Reply, Failure>,
    ) -> Result<(), Failure> {
        match (purpose, answer) {
            (Purpose::Recall, Ok(Reply::Content(content))) => {
                let then = Loaded::read(&self.of.keys, &content)?;
                let is_same = then.cluster == self.cluster
                    && (then.head, &then.author) == (self.head, &self.author)
                    && self.claims.knows(&then.alive, &then.holders);
                match is_same {
                    true => self.begin(now),
                    false => self.replaced(),
                }
            }
            (Purpose::Recall, Ok(Reply::Future)) => self.replaced(),
            // The watch will say so too, and the store is read then.
            (Purpose::Recall, Ok(Reply::Compacted)) => self.begin(now),
            (Purpose::Content, Ok(Reply::Content(content))) => {
                self.loaded(now, &content)?;
                self.is_unread = false;
                if let Step::LoadsFor(lease) = self.step {
                    self.lease = Some(lease);
                    self.leased(now, lease.id);
                } else {
                    // Another etcd does not know the lease.
                    self.lease = self.lease.filter(|_| self.step != Step::LoadsFirst);
                    self.begin(now);
                }
            }
            (Purpose::Lease(asked), Ok(Reply::Granted(id))) => {
                let name = self.of.keys.instance(&self.of.own);
                let lease = Lease { id, until: asked + self.of.lease };
                self.transact(Purpose::Begin(lease), claim(name, text(&id), id));
            }
            // Somebody may have removed the holdings since, and others hold the groups.
            (Purpose::Revive(lease), Ok(Reply::KeptAlive)) => {
                self.load(Step::LoadsFor(lease));
            }
            (Purpose::Revive(_), Err(Failure::Rejected(_))) => {
                self.lease = None;
                self.begin(now);
            }
            (Purpose::Begin(lease), Ok(Reply::Transacted(true))) => {
                (self.lease, self.lacks_name) = (Some(lease), false);
                self.leased(now, lease.id);
            }
            // Another controller of this name is alive.
            (Purpose::Begin(lease), Ok(_)) => {
                self.call(Purpose::GiveUp, Call::Revoke(lease.id));
            }
            (Purpose::GiveUp, _) => {
                let own = &self.of.own;
                let error =
                    format!("another controller called {own} is alive, or was until recently");
                return Err(Failure::Unknown(error));
            }
            (Purpose::Watch, Ok(Reply::Watching)) => {
                self.watch = Some(call);
                self.step = Step::Exchanges;
                self.write();
            }
            (Purpose::KeepAlive(sent), Ok(_)) => {
                if let Some(lease) = &mut self.lease {
                    lease.until = sent + self.of.lease;
                }
                self.keep_alive = Some(now + self.of.lease / KEEP_ALIVES);
            }
            (Purpose::KeepAlive(_), Err(failure)) => {
                if let Failure::Rejected(_) = failure {
                    self.lease = None;
                }
                return Err(failure);
            }
            (Purpose::Claim(group), answer) => {
                self.claims.answered(&group);
                answer?;
            }
            (Purpose::Free(group), Ok(_)) => drop(self.released.remove(&group)),
            // The watch reports whether the write succeeded.
            (Purpose::Write(_), Ok(_)) => {}
            (Purpose::RestoreName, Ok(_)) => self.lacks_name = false,
            (Purpose::RestoreRules, Ok(_)) => self.lacks_rules = false,
            (Purpose::Write(write), Err(Failure::Rejected(error))) => {
                if self.pending.take_if(|of| of.0.write == write).is_some() {
                    let error = Some(format!("etcd: {error}"));
                    let stored = Input::Stored { write, error, revision: self.head };
                    self.out.push_back(SessionOutput::Tell(stored));
                }
            }
            (Purpose::Revoke, _) => self.step = Step::Ended,
            (_, Err(failure)) => return Err(failure),
            (purpose, Ok(reply)) => {
                return Err(Failure::Unknown(format!("{reply:?} to {purpose:?}")));
            }
        }
        Ok(())
    }

    /// Reloads the store, since etcd was replaced by another cluster or restored from an older copy: its events do not
    /// continue the known ones.
    fn replaced(&mut self) {
        self.out.push_back(SessionOutput::Notice(Notice::Replaced { known: self.revision }));
        self.load(Step::LoadsFirst);
    }

    /// Starts a lease if there is none. Fails while another controller of the same name is alive. A lease that has ended
    /// by the clock of this controller is renewed: for etcd it may go on, as a new leader extends all leases; its groups
    /// then have no other holder.
    fn begin(&mut self, now: Duration) {
        self.step = Step::Leases;
        match self.lease {
            Some(lease) if lease.until > now => self.leased(now, lease.id),
            Some(Lease { id, .. }) => {
                let until = now + self.of.lease;
                self.call(Purpose::Revive(Lease { id, until }), Call::KeepAlive(id));
            }
            None => self.call(Purpose::Lease(now), Call::Grant(self.of.lease)),
        }
    }

    fn leased(&mut self, now: Duration, lease: i64) {
        self.claims.begin(Holder { instance: self.of.own.clone(), lease });
        self.keep_alive = Some(now);
        self.watch();
    }

    /// Watches the changes after the last known revision.
    fn watch(&mut self) {
        self.step = Step::Watches;
        self.watch = None;
        self.call(Purpose::Watch, Call::Watch(self.revision + 1));
    }
}
