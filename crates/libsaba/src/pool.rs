//! [`Pool`]: connections to one controller, over which requests are sent at once.

use crate::Endpoint;
use crate::http::{HttpConnection, TIMEOUT};
use crate::session::{HttpRequest, Reply, Ticket};
use serde_json::Value;
use std::time::Instant;

/// The number of requests that are sent at once. A controller stores requests that arrive together in one write.
pub(crate) const AT_ONCE: usize = 16;

/// The connections to a controller, at least one. Further ones are open only while several requests are outstanding.
#[derive(Debug)]
pub(crate) struct Pool {
    connections: Vec<HttpConnection>,
    /// The number of connections that the controller serves, as far as the current requests have shown.
    most: usize,
}

/// The result of sending some requests.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) answered: Vec<(Ticket, Reply)>,
    pub(crate) unanswered: Vec<(Ticket, HttpRequest)>,
    /// The reason why the first unanswered request has no answer, unless it was not sent.
    pub(crate) error: Option<String>,
}

impl Pool {
    pub(crate) fn new(first: HttpConnection) -> Self {
        Pool { connections: vec![first], most: AT_ONCE }
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.connections[0].endpoint()
    }

    /// Sends requests, each on its own connection, and waits for all answers. Takes up to [`TIMEOUT`].
    pub(crate) fn exchange(&mut self, requests: Vec<(Ticket, HttpRequest)>) -> Exchange {
        let deadline = Instant::now() + TIMEOUT;
        if requests.len() < 2 {
            self.most = AT_ONCE;
        }
        let count = requests.len().min(self.most);
        while self.connections.len() < count {
            self.connections.push(self.connections[0].another());
        }
        // Without further requests, one connection is enough.
        self.connections.truncate(count.max(1));
        let mut error = None;
        let mut sent = 0;
        for (connection, (_, request)) in self.connections.iter_mut().zip(&requests) {
            match connection.send(request, deadline) {
                Ok(()) => sent += 1,
                Err(why) => {
                    error = Some(why);
                    break;
                }
            }
        }
        let (mut answered, mut unanswered) = (Vec::new(), Vec::new());
        for (i, (ticket, request)) in requests.into_iter().enumerate() {
            let Some(connection) = self.connections.get_mut(i).filter(|_| i < sent) else {
                unanswered.push((ticket, request));
                continue;
            };
            let response = connection.receive(&request, deadline);
            match response.and_then(|(status, body)| reply(status, body, request.answered)) {
                Ok(reply) => answered.push((ticket, reply)),
                Err(why) => {
                    error.get_or_insert(why);
                    unanswered.push((ticket, request));
                }
            }
        }
        if error.is_some() {
            self.most = answered.len().max(1);
        }
        Exchange { answered, unanswered, error }
    }
}

/// Interprets a response. After an error, the request has to be repeated.
fn reply(status: u16, body: Value, answered: Option<&str>) -> Result<Reply, String> {
    let message = body["error"].as_str().map(str::to_owned);
    let describe = |message: Option<String>| message.unwrap_or_else(|| format!("status {status}"));
    match (status, answered) {
        (200..300, Some(name)) if body[name].as_u64().is_none() => {
            Err(format!("an answer without {name:?}"))
        }
        (200..300, _) => Ok(Reply::Done(body)),
        _ if body["refusal"].get("no_such_client").is_some() => Ok(Reply::Forgotten),
        // The store has failed, too many requests are queued, or the instance is cut off. The
        // request can be repeated.
        (500.., _) => Err(describe(message)),
        _ => Ok(Reply::Refused(describe(message))),
    }
}
