//! [`Session`]: what a controller and etcd tell each other for as long as both run.
//!
//! It goes on with another etcd of the same store when one does not answer: with the same lease, and with what happened
//! since. A write of which nobody knows whether it is there is written again to that one: it is there once at most, as it
//! counts only if nobody has written since it was decided.

mod talk;

use super::claims::{Claims, Holder};
use super::etcd::{Endpoints, EtcdError};
use super::keys::Keys;
use super::link::{Link, Loaded, Trouble};
use crate::core::Group;
use crate::daemon::{EventSender, Metrics, PersisterMessage, Stopped, Write};
use std::time::{Duration, Instant};
use talk::{End, Talk};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout_at;

/// From one etcd that does not answer to the next.
const REST: Duration = Duration::from_millis(200);

/// A controller's part in what others share.
pub(super) struct Session {
    endpoints: Endpoints,
    keys: Keys,
    /// What all controllers go by.
    rules: String,
    /// Which of the URLs is spoken to.
    at: usize,
    /// Of which run of this program writes are.
    run: u64,
    /// Up to which revision of etcd it was heard what happened, and which of them was the last write.
    heard: i64,
    head: u64,
    /// A write that was not heard of yet, and since when.
    pending: Option<(Write, Instant)>,
    /// Groups at whose ports nothing is under way any more, of which etcd does not know yet.
    released: Vec<Group>,
    lease: Option<Lease>,
    claims: Claims,
}

/// By which others know that this controller is alive.
#[derive(Debug, Clone, Copy)]
struct Lease {
    id: i64,
    /// Until when, at least.
    until: Instant,
}

impl Session {
    pub(super) fn new(
        endpoints: Endpoints,
        keys: Keys,
        groups: Vec<Group>,
        loaded: Loaded,
    ) -> Result<Self, EtcdError> {
        let mut run = [0; 8];
        getrandom::fill(&mut run).map_err(std::io::Error::other)?;
        let nobody = Holder { instance: endpoints.own.clone(), lease: 0 };
        let mut claims = Claims::new(nobody, groups);
        claims.see(loaded.alive, loaded.holders);
        Ok(Session {
            endpoints,
            keys,
            rules: loaded.rules,
            at: 0,
            run: u64::from_le_bytes(run),
            heard: loaded.at,
            head: loaded.head,
            pending: None,
            released: Vec::new(),
            lease: None,
            claims,
        })
    }

    /// Goes on until the event loop has ended. Others hear of it at once then.
    pub(super) async fn run(
        mut self,
        mut messages: UnboundedReceiver<PersisterMessage>,
        events: &EventSender,
        metrics: &Metrics,
    ) -> Result<(), Stopped> {
        // What was said last of why not, so that it is said once.
        let mut last = String::new();
        loop {
            let url = self.endpoints.urls[self.at].clone();
            let options = self.endpoints.options.clone();
            let began = Instant::now();
            let end = match Link::open(&url, options, self.keys.clone()).await {
                Ok(link) => {
                    Talk::new(&mut self, link, events, metrics).until_it_ends(&mut messages).await
                }
                Err(Trouble::Refused(said) | Trouble::Lost(said)) => End::Lost(said),
            };
            match end {
                End::Over => return Ok(()),
                End::Lost(said) => {
                    // Who was in touch for long is out of it anew.
                    if last != said || began.elapsed() > self.endpoints.lease {
                        tracing::warn!(url, said, "out of touch with etcd");
                        last = said;
                    }
                    self.at = (self.at + 1) % self.endpoints.urls.len();
                }
            }
            if !self.rest(&mut messages).await {
                return Ok(());
            }
        }
    }

    /// Waits a moment; whether the event loop is still there.
    async fn rest(&mut self, messages: &mut UnboundedReceiver<PersisterMessage>) -> bool {
        let until = tokio::time::Instant::now() + REST;
        loop {
            match timeout_at(until, messages.recv()).await {
                Err(_) => return true,
                Ok(None) => return false,
                Ok(Some(PersisterMessage::Write(write))) => drop(self.takes(write)),
                Ok(Some(PersisterMessage::Released(group))) => self.released.push(group),
            }
        }
    }

    /// A write is to be stored, if nobody has written since it was decided, as far as is known.
    fn takes(&mut self, write: Write) -> Option<Write> {
        if write.after != self.head {
            return None;
        }
        self.pending = Some((write.clone(), Instant::now()));
        Some(write)
    }
}
