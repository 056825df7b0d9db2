//! [`Session`]: the session of a controller with the shared store.
//!
//! When one etcd does not answer, the session continues with another etcd of the same store: with
//! the same lease, and from the last known revision. A write with an unknown outcome is repeated
//! there. It is stored at most once, since a write is valid only if the store has not changed since
//! the decision.

mod exchange;

use super::claims::{Claims, Holder};
use super::etcd::{Endpoints, EtcdError};
use super::keys::Keys;
use super::link::{Failure, Known, Link, Loaded};
use crate::core::Group;
use crate::daemon::{EventSender, Metrics, PersisterMessage, Stopped, Write};
use exchange::{Exchange, ExchangeEnd};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout_at;

/// The pause before the next etcd is tried.
const REST: Duration = Duration::from_millis(200);

/// The session of a controller with the shared store.
pub(super) struct Session {
    endpoints: Endpoints,
    keys: Keys,
    /// The parameters that all controllers share.
    rules: String,
    /// The index of the URL in use.
    at: usize,
    /// A random number of this process, part of the author of its writes.
    run: u64,
    /// The last revision of etcd whose events are known, and the revision of the last write.
    known: Known,
    head: u64,
    /// The write with an unknown outcome, and its start.
    pending: Option<(Write, Instant)>,
    /// Groups without outstanding orders that etcd does not know to be free yet.
    released: Vec<Group>,
    lease: Option<Lease>,
    claims: Claims,
    /// The time from which no controller holds a group that the store has lost.
    sure_from: Instant,
}

/// The lease that shows other controllers that this one is alive.
#[derive(Debug, Clone, Copy)]
struct Lease {
    id: i64,
    /// The earliest end of the lease.
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
            known: loaded.known,
            head: loaded.head,
            pending: None,
            released: Vec::new(),
            lease: None,
            claims,
            sure_from: Instant::now(),
        })
    }

    /// Runs until the event loop has ended, and then releases the lease at once.
    pub(super) async fn run(
        mut self,
        mut messages: UnboundedReceiver<PersisterMessage>,
        events: &EventSender,
        metrics: &Metrics,
    ) -> Result<(), Stopped> {
        // The last logged error, so that each is logged once.
        let mut last = String::new();
        loop {
            let url = self.endpoints.urls[self.at].clone();
            let options = self.endpoints.options.clone();
            let began = Instant::now();
            let end = match Link::open(&url, options, self.keys.clone()).await {
                Ok(link) => {
                    Exchange::new(&mut self, link, events, metrics).run(&mut messages).await
                }
                Err(Failure::Rejected(error) | Failure::Unknown(error)) => ExchangeEnd::Lost(error),
            };
            match end {
                ExchangeEnd::Stopped => return Ok(()),
                ExchangeEnd::Lost(error) => {
                    // An outage after a long connection is logged again.
                    if last != error || began.elapsed() > self.endpoints.lease {
                        tracing::warn!(url, error, "lost connection to etcd");
                        last = error;
                    }
                    self.at = (self.at + 1) % self.endpoints.urls.len();
                }
            }
            if !self.rest(&mut messages).await {
                return Ok(());
            }
        }
    }

    /// Pauses while it receives messages. Returns whether the event loop is still running.
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

    /// Accepts a write, unless a later write is known to have changed the store since the decision.
    fn takes(&mut self, write: Write) -> Option<Write> {
        if write.after != self.head {
            return None;
        }
        self.pending = Some((write.clone(), Instant::now()));
        Some(write)
    }
}
