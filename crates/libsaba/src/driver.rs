//! [`Driver`]: sends the requests of a session, renews the lease, and finds a reachable controller.
//! Instances of a controller share a store. So a request without an answer is sent unchanged to the
//! next instance, and is carried out once.

use crate::failover::Failover;
use crate::http::HttpConnection;
use crate::pool::{AT_ONCE, Pool};
use crate::session::{HttpRequest, Reply, Session, Ticket};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// The shortest time between two renewals, however short the lease is.
const SHORTEST_RENEWAL: Duration = Duration::from_millis(50);

/// The time until the next call if nothing is due.
const IDLE: Duration = Duration::from_secs(60);

/// The connections to the controllers. The session is passed to the calls that need it, so that its owner can share it
/// while requests have no answer.
#[derive(Debug)]
pub(crate) struct Driver {
    /// The connections to each endpoint.
    pools: Vec<Pool>,
    failover: Failover,
    /// The last error of each endpoint, since the last answer.
    errors: Vec<Option<String>>,
    /// No controller has answered the last request.
    is_unreachable: bool,
    /// The time of the next attempt, if no controller is reachable.
    again: Option<Instant>,
    /// The time of the next renewal.
    renew: Option<Instant>,
}

impl Driver {
    /// Returns a driver with at least one connection.
    pub(crate) fn new(connections: Vec<HttpConnection>) -> Self {
        let endpoints = NonZeroUsize::new(connections.len()).expect("there is a endpoint");
        let (failover, errors) = (Failover::new(endpoints), vec![None; connections.len()]);
        let pools = connections.into_iter().map(Pool::new).collect();
        Driver { pools, failover, errors, is_unreachable: false, again: None, renew: None }
    }

    /// Returns the number of endpoints.
    pub(crate) fn endpoints(&self) -> usize {
        self.pools.len()
    }

    /// Returns the errors of all endpoints, if no controller is reachable.
    pub(crate) fn unreachable(&self) -> Option<String> {
        let errors = || self.errors.iter().flatten().cloned().collect::<Vec<_>>().join("; ");
        self.is_unreachable.then(errors)
    }

    /// Returns the requests to send now: none during the delay after a failure.
    pub(crate) fn due(&mut self, session: &mut Session) -> Vec<(Ticket, HttpRequest)> {
        let now = Instant::now();
        if self.again.is_some_and(|again| now < again) {
            return Vec::new();
        }
        self.again = None;
        let renewal = session.renewal().filter(|_| self.renew.is_none_or(|renew| now >= renew));
        let mut due: Vec<_> = renewal.into_iter().collect();
        due.extend(session.next_requests(AT_ONCE));
        due
    }

    /// Sends requests to the first controller that answers, and returns the answers.
    pub(crate) fn exchange(
        &mut self,
        mut requests: Vec<(Ticket, HttpRequest)>,
    ) -> Vec<(Ticket, Reply)> {
        let mut all = Vec::new();
        while !requests.is_empty() {
            let at = self.failover.at();
            let exchange = self.pools[at].exchange(requests);
            let is_any = !exchange.answered.is_empty();
            all.extend(exchange.answered);
            requests = exchange.unanswered;
            if is_any {
                self.answered();
                continue;
            }
            let why = exchange.error.unwrap_or_default();
            self.errors[at] = Some(format!("{}: {why}", self.pools[at].endpoint()));
            if let Some(wait) = self.failover.failed() {
                self.again = Some(Instant::now() + wait);
                self.is_unreachable = true;
                break;
            }
        }
        all
    }

    fn answered(&mut self) {
        self.failover.answered();
        self.errors.fill(None);
        self.is_unreachable = false;
    }

    /// Hands answers to the session. Every answered request renews the lease.
    pub(crate) fn settle(&mut self, session: &mut Session, replies: Vec<(Ticket, Reply)>) {
        let is_any = !replies.is_empty();
        for (ticket, reply) in replies {
            session.handle(ticket, reply);
        }
        if is_any {
            let wait = Duration::from_millis(session.lease_ms() / 3).max(SHORTEST_RENEWAL);
            self.renew = Some(Instant::now() + wait);
        }
    }

    /// Returns the time until requests are due, if none are added to the session.
    pub(crate) fn left(&self, session: &Session) -> Duration {
        let renew = self.renew.filter(|_| session.renewal().is_some());
        let due = self.again.or(renew);
        due.map_or(IDLE, |due| due.saturating_duration_since(Instant::now()))
    }
}
