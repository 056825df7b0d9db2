//! [`Session`]: the session of a controller with the shared store. No I/O and no clock: a driver passes
//! [`SessionInput`]s with the time, and carries out [`SessionOutput`]s.
//!
//! When one etcd does not answer, the session continues with another etcd of the same store: with
//! the same lease, and from the last known revision. A write with an unknown outcome is repeated
//! there. It is stored at most once, since a write is valid only if the store has not changed since
//! the decision.
//!
//! An exchange with one etcd is a chain of `Step`s up to the watch, and goes on until a call fails.

mod advance;
mod events;
mod messages;
mod steps;

pub use messages::{CallId, Notice, SessionInput, SessionOutput};

use super::calls::{Call, Transaction};
use super::claims::{Claims, Holder};
use super::content::{Author, Loaded};
use super::keys::Keys;
use crate::core::Group;
use crate::daemon::{PersisterMessage, Write};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use steps::{Purpose, Step};

/// The pause before the next etcd is tried.
const REST: Duration = Duration::from_millis(200);

/// The parameters of a session.
#[derive(Debug, Clone)]
pub struct Parameters {
    /// The name of this controller.
    pub own: Group,
    /// A random number of this process, part of the author of its writes.
    pub run: u64,
    /// All groups.
    pub groups: Vec<Group>,
    /// The parameters that all controllers share, as text.
    pub rules: String,
    /// The layout of keys.
    pub keys: Keys,
    /// The lease after which a silent controller counts as dead.
    pub lease: Duration,
    /// The number of etcds, each of which serves the whole store.
    pub endpoints: usize,
}

/// The session of a controller with the shared store. See the [module](self).
#[derive(Debug)]
pub struct Session {
    of: Parameters,
    /// The index of the etcd in use, and the time at which it was tried.
    at: usize,
    opened: Duration,
    /// The last reported error, so that each is reported once.
    last_error: String,
    /// The id of etcd's cluster.
    cluster: u64,
    /// The last revision of etcd whose events are known.
    revision: i64,
    /// The revision of the last write, and its author.
    head: u64,
    author: Option<Author>,
    /// The write with an unknown outcome, and its start.
    pending: Option<(Write, Duration)>,
    /// Groups without outstanding orders that etcd does not know to be free yet.
    released: BTreeSet<Group>,
    lease: Option<Lease>,
    claims: Claims,
    /// The time from which no controller holds a group that the store has lost.
    sure_from: Duration,
    step: Step,
    /// Outstanding calls of this exchange.
    calls: BTreeMap<CallId, Purpose>,
    last_call: u64,
    /// The call that began the watch in use.
    watch: Option<CallId>,
    /// The time of the next keep-alive.
    keep_alive: Option<Duration>,
    /// The last report to the event loop in this exchange.
    reported: Option<Report>,
    /// True if the store has to be read before anything else, since it was not readable.
    is_unread: bool,
    /// True if etcd lacks this controller's name or the shared rules.
    lacks_name: bool,
    lacks_rules: bool,
    out: VecDeque<SessionOutput>,
}

/// The groups that the controller holds and has to release, and the time at which they expire.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Report {
    groups: Vec<Group>,
    given_back: Vec<Group>,
    until: Duration,
}

/// The lease that shows other controllers that this one is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lease {
    id: i64,
    /// The earliest end of the lease.
    until: Duration,
}

impl Session {
    /// Returns a session that continues from the loaded store, and opens the first etcd.
    pub fn new(of: Parameters, loaded: Loaded) -> Self {
        let nobody = Holder { instance: of.own.clone(), lease: 0 };
        let mut claims = Claims::new(nobody, of.groups.iter().cloned());
        claims.see(loaded.alive, loaded.holders);
        Session {
            of,
            at: 0,
            opened: Duration::ZERO,
            last_error: String::new(),
            cluster: loaded.cluster,
            revision: loaded.at,
            head: loaded.head,
            author: loaded.author,
            pending: None,
            released: BTreeSet::new(),
            lease: None,
            claims,
            sure_from: Duration::ZERO,
            step: Step::Rests(Duration::ZERO),
            calls: BTreeMap::new(),
            last_call: 0,
            watch: None,
            keep_alive: None,
            reported: None,
            is_unread: false,
            lacks_name: false,
            lacks_rules: false,
            out: VecDeque::new(),
        }
    }

    /// Handles an input. `now` comes from the clock of the core.
    pub fn handle(&mut self, now: Duration, input: SessionInput) {
        let handled = match input {
            SessionInput::Opened(Ok(())) if self.step == Step::Opens => {
                if self.is_unread {
                    self.load(Step::LoadsAgain);
                } else {
                    self.step = Step::Recognises;
                    self.call(Purpose::Recall, Call::Recall(self.revision));
                }
                Ok(())
            }
            SessionInput::Opened(Err(failure)) if self.step == Step::Opens => Err(failure),
            SessionInput::Opened(_) => Ok(()),
            SessionInput::Answered(call, answer) => match self.calls.remove(&call) {
                Some(purpose) => self.answered(now, call, purpose, answer),
                // The call belongs to an earlier exchange.
                None => Ok(()),
            },
            SessionInput::Updated(watch, update) if self.watch == Some(watch) => {
                self.updated(now, update)
            }
            SessionInput::Updated(..) => Ok(()),
            SessionInput::WatchLost(watch, failure) if self.watch == Some(watch) => Err(failure),
            SessionInput::WatchLost(..) => Ok(()),
            SessionInput::Message(PersisterMessage::Write(write)) => {
                self.take(now, write);
                Ok(())
            }
            SessionInput::Message(PersisterMessage::Released(group)) => {
                self.released.insert(group);
                Ok(())
            }
            SessionInput::Stop => {
                self.stop();
                Ok(())
            }
            SessionInput::Tick => Ok(()),
        };
        if let Err(failure) = handled {
            self.lost(now, failure.into_error());
        }
        self.advance(now);
    }

    /// Returns the next output. Outputs have to be carried out in this order.
    pub fn poll(&mut self) -> Option<SessionOutput> {
        self.out.pop_front()
    }

    /// Returns the time at which the session has work to do without another input.
    pub fn wake(&self) -> Option<Duration> {
        match self.step {
            Step::Rests(until) => Some(until),
            _ => self.keep_alive,
        }
    }

    /// Accepts a write, unless a later write is known to have changed the store since the decision.
    fn take(&mut self, now: Duration, write: Write) {
        if write.after != self.head {
            return;
        }
        self.pending = Some((write, now));
        if self.step == Step::Exchanges {
            self.write();
        }
    }

    /// Ends the exchange with the etcd in use. Outstanding calls may have been carried out.
    fn lost(&mut self, now: Duration, error: String) {
        if matches!(self.step, Step::Rests(_) | Step::Stops | Step::Ended) {
            return;
        }
        // An outage after a long connection is reported again.
        if self.last_error != error || now.saturating_sub(self.opened) > self.of.lease {
            self.last_error.clone_from(&error);
            self.out.push_back(SessionOutput::Notice(Notice::Lost { at: self.at, error }));
        }
        self.end_exchange();
        self.at = (self.at + 1) % self.of.endpoints;
        self.step = Step::Rests(now + REST);
    }

    fn end_exchange(&mut self) {
        self.calls.clear();
        (self.watch, self.keep_alive) = (None, None);
        self.reported = None;
        self.out.push_back(SessionOutput::Close);
    }

    /// Releases the lease at once. The lease expires by itself if this fails.
    fn stop(&mut self) {
        let lease = self.lease.filter(|_| !matches!(self.step, Step::Rests(_) | Step::Opens));
        self.end_exchange();
        self.step = match lease {
            Some(Lease { id, .. }) => {
                self.call(Purpose::Revoke, Call::Revoke(id));
                Step::Stops
            }
            None => Step::Ended,
        };
    }

    /// Reads the whole store.
    fn load(&mut self, step: Step) {
        self.step = step;
        self.is_unread = true;
        self.call(Purpose::Content, Call::Load);
    }

    fn call(&mut self, purpose: Purpose, call: Call) {
        self.last_call += 1;
        let id = CallId(self.last_call);
        self.calls.insert(id, purpose);
        self.out.push_back(SessionOutput::Call(id, call));
    }

    fn is_calling(&self, purpose: &Purpose) -> bool {
        self.calls.values().any(|of| of == purpose)
    }

    fn transact(&mut self, purpose: Purpose, transaction: Transaction) {
        self.call(purpose, Call::Transact(transaction));
    }
}
