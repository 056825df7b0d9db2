//! [`Driver`]: sends the requests of a session, renews the lease, and finds a reachable controller.
//! Instances of a controller share a store. So a request without an answer is sent unchanged to the
//! next instance, and is carried out once.

use crate::failover::Failover;
use crate::http::HttpConnection;
use crate::session::{HttpRequest, Reply, Session};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// The shortest time between two renewals, however short the lease is.
const SHORTEST_RENEWAL: Duration = Duration::from_millis(50);

/// A session with its connections to the controllers.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) session: Session,
    /// One connection for each endpoint.
    connections: Vec<HttpConnection>,
    failover: Failover,
    /// The last error of each endpoint, since the last answer.
    errors: Vec<Option<String>>,
    /// The time of the next attempt, if no controller is reachable.
    again: Option<Instant>,
    /// The time of the next renewal.
    renew: Option<Instant>,
}

impl Driver {
    /// Returns a driver with at least one connection.
    pub(crate) fn new(session: Session, connections: Vec<HttpConnection>) -> Self {
        let endpoints = NonZeroUsize::new(connections.len()).expect("there is a endpoint");
        let (failover, errors) = (Failover::new(endpoints), vec![None; connections.len()]);
        Driver { session, connections, failover, errors, again: None, renew: None }
    }

    /// Returns the reply of the first controller that answers, or `None`.
    fn exchange(&mut self, (method, path, body): &HttpRequest) -> Option<Reply> {
        loop {
            let at = self.failover.at();
            let answer = self.connections[at].request(method, path, body);
            match answer.and_then(|(status, body)| reply(status, body)) {
                Ok(reply) => {
                    self.failover.answered();
                    self.errors.fill(None);
                    self.again = None;
                    return Some(reply);
                }
                Err(why) => {
                    self.errors[at] = Some(format!("{}: {why}", self.connections[at].endpoint()))
                }
            }
            if let Some(wait) = self.failover.failed() {
                self.again = Some(Instant::now() + wait);
                return None;
            }
        }
    }

    /// Returns the errors of all endpoints, if no controller is reachable.
    pub(crate) fn unreachable(&self) -> Option<String> {
        self.again?;
        Some(self.errors.iter().flatten().cloned().collect::<Vec<_>>().join("; "))
    }

    /// Returns whether no controller was reachable at the last attempt.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.again.is_some()
    }

    /// Sends all pending requests, until no controller answers.
    pub(crate) fn send(&mut self) {
        while let Some(request) = self.session.next_request() {
            match self.exchange(&request) {
                Some(reply) => self.session.handle(reply),
                None => return,
            }
        }
    }

    /// Sends all pending requests, unless no controller was reachable at the last attempt: the
    /// program must not wait again.
    pub(crate) fn send_if_reachable(&mut self) {
        if !self.is_unreachable() {
            self.send();
        }
    }

    /// Returns the time until [`poll`](Self::poll) has work to do.
    fn left(&self) -> Duration {
        let due = self.again.or(self.renew);
        due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now()))
    }

    /// Renews the lease and sends the pending requests, if they are due. Returns the time until the next call.
    pub(crate) fn poll(&mut self) -> Duration {
        if self.left().is_zero() {
            self.again = None;
            self.renew();
        }
        self.left()
    }

    fn renew(&mut self) {
        if let Some(request) = self.session.renewal() {
            match self.exchange(&request) {
                Some(Reply::Forgotten) => self.session.forgotten(),
                Some(_) => {}
                None => return,
            }
        }
        self.send();
        let wait = Duration::from_millis(self.session.lease_ms() / 3).max(SHORTEST_RENEWAL);
        self.renew = Some(Instant::now() + wait);
    }

    /// Says goodbye if a controller is reachable; otherwise the lease ends.
    pub(crate) fn send_goodbye(&mut self) {
        if let Some(goodbye) = self.session.goodbye().filter(|_| !self.is_unreachable()) {
            self.exchange(&goodbye);
        }
    }
}

/// Interprets a response. After an error, the next controller has to be tried.
fn reply(status: u16, body: Value) -> Result<Reply, String> {
    let message = body["error"].as_str().map(str::to_owned);
    let describe = |message: Option<String>| message.unwrap_or_else(|| format!("status {status}"));
    match status {
        200..300 => Ok(Reply::Done(body)),
        _ if body["refusal"].get("no_such_client").is_some() => Ok(Reply::Forgotten),
        // The store has failed, too many requests are queued, or the instance is cut off. The
        // request can be repeated.
        500.. => Err(describe(message)),
        _ => Ok(Reply::Refused(describe(message))),
    }
}
