//! [`Exchange`]: the part of a session with one etcd, as long as that answers.

mod events;

use super::{Lease, Session};
use crate::cluster::claims::Holder;
use crate::cluster::link::{Author, Failure, Link, text, within};
use crate::core::{Group, Input};
use crate::daemon::{EventSender, Metrics, PersisterMessage, Stopped, Write};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

/// The number of keep-alives in a lease; all but one of them may be lost.
const KEEP_ALIVES: u32 = 6;

/// The end of an exchange.
pub(super) enum ExchangeEnd {
    /// The event loop has ended.
    Stopped,
    /// etcd does not answer, or not as it should.
    Lost(String),
}

impl From<Failure> for ExchangeEnd {
    fn from(failure: Failure) -> Self {
        let (Failure::Rejected(error) | Failure::Unknown(error)) = failure;
        ExchangeEnd::Lost(error)
    }
}

impl From<Stopped> for ExchangeEnd {
    fn from(Stopped: Stopped) -> Self {
        ExchangeEnd::Stopped
    }
}

/// The result of a background task.
enum TaskResult {
    Write(u64, Result<(), Failure>),
    Claim(Group, Result<bool, Failure>),
    /// A keep-alive that was sent at this time.
    KeepAlive(Instant, Result<(), Failure>),
}

/// The part of a session with one etcd.
pub(super) struct Exchange<'a> {
    of: &'a mut Session,
    link: Link,
    events: &'a EventSender,
    metrics: &'a Metrics,
    /// Background tasks; they are aborted with the exchange.
    tasks: JoinSet<TaskResult>,
    /// The groups last reported to the event loop, and the time at which they expire.
    reported: (Vec<Group>, Option<Instant>),
    /// According to the last event, etcd lacks this controller's name or the shared rules.
    lacks_name: bool,
    lacks_rules: bool,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(
        of: &'a mut Session,
        link: Link,
        events: &'a EventSender,
        metrics: &'a Metrics,
    ) -> Self {
        let reported = (Vec::new(), None);
        let (tasks, lacks_name, lacks_rules) = (JoinSet::new(), false, false);
        Exchange { of, link, events, metrics, tasks, reported, lacks_name, lacks_rules }
    }

    /// Runs until the event loop has ended or etcd does not answer.
    pub(super) async fn run(
        mut self,
        messages: &mut UnboundedReceiver<PersisterMessage>,
    ) -> ExchangeEnd {
        let Err(end) = self.exchange(messages).await;
        if let (ExchangeEnd::Stopped, Some(lease)) = (&end, self.of.lease) {
            // The lease expires by itself if this fails.
            let _ = within(self.link.client.lease_revoke(lease.id)).await;
        }
        end
    }

    async fn exchange(
        &mut self,
        messages: &mut UnboundedReceiver<PersisterMessage>,
    ) -> Result<std::convert::Infallible, ExchangeEnd> {
        self.recognise().await?;
        self.lease().await?;
        let mut watch = self.link.watch(self.of.known.revision + 1).await?;
        if let Some((write, _)) = self.of.pending.clone() {
            self.write(write);
        }
        loop {
            self.name().await?;
            self.claim();
            self.free().await?;
            self.hold()?;
            tokio::select! {
                update = watch.message() => {
                    let lost = || ExchangeEnd::Lost("the watch has ended".into());
                    let response = update.map_err(Failure::from)?.ok_or_else(lost)?;
                    // The watch no longer reports single events.
                    let mut is_unclear = response.canceled();
                    for events in self.link.read(&response)? {
                        is_unclear |= events.is_manual_edit();
                        if is_unclear {
                            tracing::warn!(revision = events.revision, "reloading etcd after a manual edit");
                            break;
                        }
                        self.handle(events)?;
                    }
                    if is_unclear {
                        self.load().await?;
                        watch = self.link.watch(self.of.known.revision + 1).await?;
                    }
                }
                message = messages.recv() => match message.ok_or(ExchangeEnd::Stopped)? {
                    PersisterMessage::Write(write) => {
                        if let Some(write) = self.of.takes(write) {
                            self.write(write);
                        }
                    }
                    PersisterMessage::Released(group) => self.of.released.push(group),
                },
                // A keep-alive is always scheduled.
                Some(done) = self.tasks.join_next() => {
                    let done = done.map_err(|error| ExchangeEnd::Lost(error.to_string()))?;
                    self.done(done)?;
                }
            }
        }
    }

    /// Reloads the store if etcd was replaced by another cluster or restored from an older copy, whose events would not
    /// continue the known ones. Leases of the former cluster are gone.
    async fn recognise(&mut self) -> Result<(), ExchangeEnd> {
        if self.link.has(&self.of.known).await? {
            return Ok(());
        }
        let known = self.of.known.revision;
        self.load().await?;
        self.of.lease = None;
        let revision = self.of.known.revision;
        tracing::error!(known, revision, "etcd was replaced or restored: reloaded it");
        Ok(())
    }

    /// Starts a lease if there is none. Fails while another controller of the same name is alive.
    async fn lease(&mut self) -> Result<(), ExchangeEnd> {
        let own = self.of.endpoints.own.clone();
        self.renew_ended().await?;
        let id = match self.of.lease {
            Some(lease) => lease.id,
            None => {
                let (asked, lasts) = (Instant::now(), self.of.endpoints.lease);
                let granted = self.link.client.lease_grant(lasts.as_secs() as i64, None);
                let id = within(granted).await?.id();
                let name = self.of.keys.instance(&own);
                if !self.link.claim(name, text(&id), id).await? {
                    let _ = within(self.link.client.lease_revoke(id)).await;
                    let error =
                        format!("another controller called {own} is alive, or was until recently");
                    return Err(ExchangeEnd::Lost(error));
                }
                self.of.lease = Some(Lease { id, until: asked + lasts });
                id
            }
        };
        self.of.claims.begin(Holder { instance: own, lease: id });
        self.schedule_keep_alive(Duration::ZERO);
        Ok(())
    }

    /// Renews a lease that has ended by the clock of this controller. For etcd it may go on, as a new leader extends all
    /// leases; its groups then have no other holder.
    async fn renew_ended(&mut self) -> Result<(), ExchangeEnd> {
        let asked = Instant::now();
        let Some(Lease { id, .. }) = self.of.lease.filter(|lease| lease.until <= asked) else {
            return Ok(());
        };
        match within(self.link.client.lease_keep_alive(id)).await {
            Ok(_) => {
                // Somebody may have removed the holdings since, and others hold the groups.
                self.load().await?;
                let until = asked + self.of.endpoints.lease;
                self.of.lease = Some(Lease { id, until });
            }
            Err(Failure::Rejected(_)) => self.of.lease = None,
            Err(lost) => return Err(lost.into()),
        }
        Ok(())
    }

    /// Restores keys that were removed by hand: the name, which shows that this controller is alive, and the rules,
    /// which new controllers need.
    async fn name(&mut self) -> Result<(), ExchangeEnd> {
        if let Some(lease) = self.of.lease.filter(|_| self.lacks_name) {
            let name = self.of.keys.instance(&self.of.endpoints.own);
            self.link.claim(name, text(&lease.id), lease.id).await?;
        }
        if self.lacks_rules {
            self.link.claim(self.of.keys.rules(), self.of.rules.clone(), 0).await?;
        }
        (self.lacks_name, self.lacks_rules) = (false, false);
        Ok(())
    }

    /// Schedules the next keep-alive.
    fn schedule_keep_alive(&mut self, later: Duration) {
        let Some(lease) = self.of.lease else { return };
        let mut client = self.link.client.clone();
        self.tasks.spawn(async move {
            tokio::time::sleep(later).await;
            let at = Instant::now();
            let renewed = within(client.lease_keep_alive(lease.id)).await;
            TaskResult::KeepAlive(at, renewed.map(|_| ()))
        });
    }

    /// Writes in the background.
    fn write(&mut self, write: Write) {
        let (instance, run) = (self.of.endpoints.own.clone(), self.of.run);
        let author = Author { instance, run, write: write.write };
        let mut link = self.link.clone();
        self.tasks.spawn(async move {
            let written = link.write(&author, &write).await;
            TaskResult::Write(write.write, written)
        });
    }

    /// Claims groups in the background.
    fn claim(&mut self) {
        let Some(lease) = self.of.lease else { return };
        if self.of.sure_from <= Instant::now() {
            self.of.claims.is_sure();
        }
        let decided = self.of.claims.decide();
        self.of.released.extend(decided.free);
        for group in decided.claim {
            let (name, value) = (self.of.keys.holder(&group), text(self.of.claims.me()));
            let mut link = self.link.clone();
            self.tasks.spawn(async move {
                let claimed = link.claim(name, value, lease.id).await;
                TaskResult::Claim(group, claimed)
            });
        }
    }

    /// Releases groups whose ports have no outstanding orders.
    async fn free(&mut self) -> Result<(), ExchangeEnd> {
        while let Some(group) = self.of.released.last().cloned() {
            if self.of.claims.is_given_back(&group) {
                let value = text(self.of.claims.me());
                self.link.free(self.of.keys.holder(&group), value).await?;
            }
            self.of.released.pop();
        }
        Ok(())
    }

    /// Reports to the event loop which groups it holds, and until when, if either has changed.
    fn hold(&mut self) -> Result<(), Stopped> {
        let Some(Lease { until, .. }) = self.of.lease else { return Ok(()) };
        let groups = self.of.claims.ours();
        let now = (groups, Some(until));
        if self.reported == now {
            return Ok(());
        }
        if self.reported.0 != now.0 {
            let names: Vec<&str> = now.0.iter().map(AsRef::as_ref).collect();
            tracing::info!(groups = ?names, "holds groups");
        }
        self.reported = now;
        self.events.holds(self.reported.0.clone(), until)
    }

    fn done(&mut self, done: TaskResult) -> Result<(), ExchangeEnd> {
        match done {
            TaskResult::KeepAlive(at, Ok(())) => {
                let lasts = self.of.endpoints.lease;
                if let Some(lease) = &mut self.of.lease {
                    lease.until = at + lasts;
                }
                self.schedule_keep_alive(lasts / KEEP_ALIVES);
            }
            TaskResult::KeepAlive(_, Err(Failure::Rejected(error))) => {
                self.of.lease = None;
                return Err(ExchangeEnd::Lost(error));
            }
            TaskResult::Claim(group, claimed) => {
                self.of.claims.answered(&group);
                claimed?;
            }
            // The watch reports whether the write succeeded.
            TaskResult::Write(_, Ok(())) => {}
            TaskResult::Write(write, Err(Failure::Rejected(error))) => {
                if self.of.pending.take_if(|of| of.0.write == write).is_some() {
                    let error = Some(format!("etcd: {error}"));
                    self.events.send(Input::Stored { write, error, revision: self.of.head })?;
                }
            }
            TaskResult::KeepAlive(_, Err(lost)) | TaskResult::Write(_, Err(lost)) => {
                return Err(lost.into());
            }
        }
        Ok(())
    }
}
