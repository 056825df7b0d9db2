//! [`Talk`]: a session with one etcd, for as long as that answers.

mod heard;

use super::{Lease, Session};
use crate::cluster::claims::Holder;
use crate::cluster::link::{Author, Link, Trouble, text, within};
use crate::core::{Group, Input};
use crate::daemon::{EventSender, Metrics, PersisterMessage, Stopped, Write};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

/// How many words there are in a lease: all of them but one may be lost.
const WORDS: u32 = 6;

/// How it ended.
pub(super) enum End {
    /// The event loop has ended.
    Over,
    /// It does not answer, or otherwise than it should.
    Lost(String),
}

impl From<Trouble> for End {
    fn from(trouble: Trouble) -> Self {
        let (Trouble::Refused(said) | Trouble::Lost(said)) = trouble;
        End::Lost(said)
    }
}

impl From<Stopped> for End {
    fn from(Stopped: Stopped) -> Self {
        End::Over
    }
}

/// What was done beside has ended.
enum Done {
    Write(u64, Result<(), Trouble>),
    Claim(Group, Result<bool, Trouble>),
    /// A word that this controller is alive was said at that time.
    Word(Instant, Result<(), Trouble>),
}

/// A session with one etcd.
pub(super) struct Talk<'a> {
    of: &'a mut Session,
    link: Link,
    events: &'a EventSender,
    metrics: &'a Metrics,
    /// What is done meanwhile, and is given up with all of this.
    beside: JoinSet<Done>,
    /// What the event loop was told that it has, and until when.
    told: (Vec<Group>, Option<Instant>),
    /// Its name does not stand in etcd, as far as was heard last, or what all go by.
    is_unnamed: bool,
    is_unruled: bool,
}

impl<'a> Talk<'a> {
    pub(super) fn new(
        of: &'a mut Session,
        link: Link,
        events: &'a EventSender,
        metrics: &'a Metrics,
    ) -> Self {
        let told = (Vec::new(), None);
        let (beside, is_unnamed, is_unruled) = (JoinSet::new(), false, false);
        Talk { of, link, events, metrics, beside, told, is_unnamed, is_unruled }
    }

    /// Talks until the event loop has ended, or etcd does not answer.
    pub(super) async fn until_it_ends(
        mut self,
        messages: &mut UnboundedReceiver<PersisterMessage>,
    ) -> End {
        let Err(end) = self.talk(messages).await;
        if let (End::Over, Some(lease)) = (&end, self.of.lease) {
            // It ends by itself if this is not heard.
            let _ = within(self.link.client.lease_revoke(lease.id)).await;
        }
        end
    }

    async fn talk(
        &mut self,
        messages: &mut UnboundedReceiver<PersisterMessage>,
    ) -> Result<std::convert::Infallible, End> {
        self.lease().await?;
        let mut watch = self.link.watch(self.of.heard + 1).await?;
        if let Some((write, _)) = self.of.pending.clone() {
            self.write(write);
        }
        loop {
            self.name().await?;
            self.claim();
            self.free().await?;
            self.hold()?;
            tokio::select! {
                heard = watch.message() => {
                    let lost = || End::Lost("it hears no more of what happens".into());
                    let response = heard.map_err(Trouble::from)?.ok_or_else(lost)?;
                    // What happened is no longer known one by one.
                    let mut is_unclear = response.canceled();
                    for happened in self.link.read(&response)? {
                        is_unclear |= happened.is_by_hand();
                        if is_unclear {
                            tracing::warn!(revision = happened.revision, "written by hand in etcd");
                            break;
                        }
                        self.happened(happened)?;
                    }
                    if is_unclear {
                        self.load().await?;
                        watch = self.link.watch(self.of.heard + 1).await?;
                    }
                }
                message = messages.recv() => match message.ok_or(End::Over)? {
                    PersisterMessage::Write(write) => {
                        if let Some(write) = self.of.takes(write) {
                            self.write(write);
                        }
                    }
                    PersisterMessage::Released(group) => self.of.released.push(group),
                },
                // There is always the next word.
                Some(done) = self.beside.join_next() => {
                    let done = done.map_err(|error| End::Lost(error.to_string()))?;
                    self.done(done)?;
                }
            }
        }
    }

    /// Begins a lease, if there is none any more. While another of the same name is alive there is none to be had.
    async fn lease(&mut self) -> Result<(), End> {
        let own = self.of.endpoints.own.clone();
        self.of.lease = self.of.lease.filter(|lease| lease.until > Instant::now());
        let id = match self.of.lease {
            Some(lease) => lease.id,
            None => {
                let (asked, lasts) = (Instant::now(), self.of.endpoints.lease);
                let granted = self.link.client.lease_grant(lasts.as_secs() as i64, None);
                let id = within(granted).await?.id();
                let name = self.of.keys.instance(&own);
                if !self.link.claim(name, text(&id), id).await? {
                    let _ = within(self.link.client.lease_revoke(id)).await;
                    let said = format!("a controller called {own} is alive, or was a moment ago");
                    return Err(End::Lost(said));
                }
                self.of.lease = Some(Lease { id, until: asked + lasts });
                id
            }
        };
        self.of.claims.begin(Holder { instance: own, lease: id });
        self.say_word(Duration::ZERO);
        Ok(())
    }

    /// Puts its name where somebody took it away by hand, so that others know that it is alive, and what all go by, so
    /// that those that come do too.
    async fn name(&mut self) -> Result<(), End> {
        if let Some(lease) = self.of.lease.filter(|_| self.is_unnamed) {
            let name = self.of.keys.instance(&self.of.endpoints.own);
            self.link.claim(name, text(&lease.id), lease.id).await?;
        }
        if self.is_unruled {
            self.link.claim(self.of.keys.rules(), self.of.rules.clone(), 0).await?;
        }
        (self.is_unnamed, self.is_unruled) = (false, false);
        Ok(())
    }

    /// Says a while later that this controller is alive.
    fn say_word(&mut self, later: Duration) {
        let Some(lease) = self.of.lease else { return };
        let mut client = self.link.client.clone();
        self.beside.spawn(async move {
            tokio::time::sleep(later).await;
            let at = Instant::now();
            let heard = within(client.lease_keep_alive(lease.id)).await;
            Done::Word(at, heard.map(|_| ()))
        });
    }

    /// Writes beside all else.
    fn write(&mut self, write: Write) {
        let (instance, run) = (self.of.endpoints.own.clone(), self.of.run);
        let author = Author { instance, run, write: write.write };
        let mut link = self.link.clone();
        self.beside.spawn(async move {
            let written = link.write(&author, &write).await;
            Done::Write(write.write, written)
        });
    }

    /// Claims groups beside all else.
    fn claim(&mut self) {
        let Some(lease) = self.of.lease else { return };
        let decided = self.of.claims.decide();
        self.of.released.extend(decided.free);
        for group in decided.claim {
            let (name, value) = (self.of.keys.holder(&group), text(self.of.claims.me()));
            let mut link = self.link.clone();
            self.beside.spawn(async move {
                let claimed = link.claim(name, value, lease.id).await;
                Done::Claim(group, claimed)
            });
        }
    }

    /// Gives back what is to be given back, where nothing is under way any more.
    async fn free(&mut self) -> Result<(), End> {
        while let Some(group) = self.of.released.last().cloned() {
            if self.of.claims.is_given_back(&group) {
                let value = text(self.of.claims.me());
                self.link.free(self.of.keys.holder(&group), value).await?;
            }
            self.of.released.pop();
        }
        Ok(())
    }

    /// Tells the event loop what it has, and until when, if it does not know.
    fn hold(&mut self) -> Result<(), Stopped> {
        let Some(Lease { until, .. }) = self.of.lease else { return Ok(()) };
        let groups = self.of.claims.ours();
        let now = (groups, Some(until));
        if self.told == now {
            return Ok(());
        }
        if self.told.0 != now.0 {
            let names: Vec<&str> = now.0.iter().map(AsRef::as_ref).collect();
            tracing::info!(groups = ?names, "has these groups");
        }
        self.told = now;
        self.events.holds(self.told.0.clone(), until)
    }

    fn done(&mut self, done: Done) -> Result<(), End> {
        match done {
            Done::Word(at, Ok(())) => {
                let lasts = self.of.endpoints.lease;
                if let Some(lease) = &mut self.of.lease {
                    lease.until = at + lasts;
                }
                self.say_word(lasts / WORDS);
            }
            Done::Word(_, Err(Trouble::Refused(said))) => {
                self.of.lease = None;
                return Err(End::Lost(said));
            }
            Done::Claim(group, claimed) => {
                self.of.claims.answered(&group);
                claimed?;
            }
            // Whether it is there is heard by the watch.
            Done::Write(_, Ok(())) => {}
            Done::Write(write, Err(Trouble::Refused(said))) => {
                if self.of.pending.take_if(|of| of.0.write == write).is_some() {
                    let error = Some(format!("etcd: {said}"));
                    self.events.tell(Input::Stored { write, error, revision: self.of.head })?;
                }
            }
            Done::Word(_, Err(lost)) | Done::Write(_, Err(lost)) => return Err(lost.into()),
        }
        Ok(())
    }
}
