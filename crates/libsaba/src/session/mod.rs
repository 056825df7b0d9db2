//! [`Session`]: the wanted and the registered state of an application, and its next requests. No I/O and no clock.
//!
//! Several requests may be outstanding at a time. A request without an answer is repeated with the same number, so the
//! controller carries it out once. Everything is registered again with a controller that does not know the client.

use crate::Mark;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The registration of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Registration {
    pub(crate) name: String,
    /// The job, if the application runs in several processes.
    pub(crate) job: Option<String>,
    pub(crate) nodes: Option<u32>,
    pub(crate) dataset: Option<String>,
}

/// The local number of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Local(u64);

#[derive(Debug)]
struct Link {
    from: String,
    to: String,
    /// The controller's id of the connection, once it is registered.
    known: Option<u64>,
    is_closed: bool,
    /// A request about the connection has no answer yet.
    is_outstanding: bool,
}

/// The kind of a request with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Hello,
    Register,
    Connect(Local),
    Close(Local),
}

/// The controller's reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// The request was carried out.
    Done(Value),
    /// The lease has ended, or the controller has another store.
    Forgotten,
    /// The request was refused.
    Refused(String),
}

/// A request of HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpRequest {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: String,
    /// The number that a successful answer has.
    pub(crate) answered: Option<&'static str>,
}

/// The request that a reply belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ticket {
    /// An outstanding request, by its number.
    Request(u64),
    /// A renewal of the lease, or its end.
    Lease,
}

#[derive(Debug)]
pub(crate) struct Session {
    registration: Registration,
    client: Option<u64>,
    lease_ms: u64,
    application: Option<u64>,
    mark: Option<Mark>,
    /// The controller's doubts about the application's model.
    doubts: Vec<String>,
    links: BTreeMap<Local, Link>,
    /// Connections whose next request is not sent: not registered yet, or registered and closed.
    pending: BTreeSet<Local>,
    /// The requests without an answer, by number.
    outstanding: BTreeMap<u64, Call>,
    /// The number of the next new request.
    number: u64,
    next: u64,
    /// The reasons why the application and connections were refused.
    refused: Option<String>,
    refusals: BTreeMap<Local, String>,
}

impl Session {
    pub(crate) fn new(registration: Registration) -> Self {
        Session {
            registration,
            client: None,
            lease_ms: 0,
            application: None,
            mark: None,
            doubts: Vec::new(),
            links: BTreeMap::new(),
            pending: BTreeSet::new(),
            outstanding: BTreeMap::new(),
            number: 0,
            next: 0,
            refused: None,
            refusals: BTreeMap::new(),
        }
    }

    /// Returns the mark, once a controller has assigned it. It stays valid while no controller is reachable.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// Returns the controller's doubts about the application's model for this run.
    pub(crate) fn doubts(&self) -> &[String] {
        &self.doubts
    }

    /// Returns the reason if the application was refused.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    pub(crate) fn lease_ms(&self) -> u64 {
        self.lease_ms
    }

    /// Adds a connection, if a controller has assigned a mark.
    pub(crate) fn open(&mut self, from: String, to: String) -> Option<Local> {
        self.mark?;
        let local = Local(self.next);
        self.next += 1;
        let link = Link { from, to, known: None, is_closed: false, is_outstanding: false };
        self.links.insert(local, link);
        self.pending.insert(local);
        Some(local)
    }

    /// Returns whether a connection is registered.
    pub(crate) fn is_known(&self, local: Local) -> bool {
        self.links.get(&local).is_some_and(|link| link.known.is_some())
    }

    /// Returns whether a connection was refused.
    pub(crate) fn is_refused(&self, local: Local) -> bool {
        self.refusals.contains_key(&local)
    }

    /// Returns the reason if a connection was refused, once.
    pub(crate) fn refusal(&mut self, local: Local) -> Option<String> {
        self.refusals.remove(&local)
    }

    /// Closes a connection.
    pub(crate) fn close(&mut self, local: Local) {
        self.refusals.remove(&local);
        let Some(link) = self.links.get_mut(&local) else { return };
        link.is_closed = true;
        match link.known {
            // The reply to the outstanding request decides.
            _ if link.is_outstanding => {}
            Some(_) => drop(self.pending.insert(local)),
            None => drop(self.remove(local)),
        }
    }

    fn remove(&mut self, local: Local) -> Option<Link> {
        self.pending.remove(&local);
        self.links.remove(&local)
    }

    /// Returns the next request that has not been sent. A request about the client or the application is sent alone.
    fn due(&self) -> Option<Call> {
        if self.client.is_none() || self.application.is_none() {
            let call = if self.client.is_none() { Call::Hello } else { Call::Register };
            return Some(call).filter(|_| self.outstanding.is_empty());
        }
        let first = *self.pending.first()?;
        Some(match self.links[&first].known {
            None => Call::Connect(first),
            Some(_) => Call::Close(first),
        })
    }

    /// Returns up to `most` requests to send: those without an answer, and then new ones.
    pub(crate) fn next_requests(&mut self, most: usize) -> Vec<(Ticket, HttpRequest)> {
        if self.refused.is_some() {
            return Vec::new();
        }
        while self.outstanding.len() < most {
            let Some(call) = self.due() else { break };
            self.outstanding.insert(self.number, call);
            self.number += 1;
            if let Call::Connect(local) | Call::Close(local) = call {
                self.pending.remove(&local);
                if let Some(link) = self.links.get_mut(&local) {
                    link.is_outstanding = true;
                }
            }
        }
        let all = self.outstanding.iter().take(most);
        all.map(|(number, call)| (Ticket::Request(*number), self.request(*number, *call))).collect()
    }

    fn request(&self, number: u64, call: Call) -> HttpRequest {
        let post = |path: &str, body, answered| HttpRequest {
            method: "POST",
            path: path.into(),
            body,
            answered,
        };
        let (request, answered) = match call {
            Call::Hello => return post("/v1/clients", String::new(), Some("client")),
            Call::Register => {
                let Registration { name, job, nodes, dataset } = &self.registration;
                let mut register = json!({ "name": name, "nodes": nodes, "dataset": dataset });
                if let Some(job) = job {
                    register["job"] = json!(job);
                }
                (json!({ "register": register }), Some("application"))
            }
            Call::Connect(local) => {
                let Link { from, to, .. } = &self.links[&local];
                let application = self.application;
                let connect = json!({ "application": application, "from": from, "to": to });
                (json!({ "connect": connect }), Some("connection"))
            }
            Call::Close(local) => {
                (json!({ "close": { "connection": self.links[&local].known } }), None)
            }
        };
        let (client, first) = (self.client, self.outstanding.keys().next());
        let body = json!({
            "client": client,
            "number": number,
            "acknowledged_below": first.unwrap_or(&number),
            "request": request,
        });
        post("/v1/requests", body.to_string(), answered)
    }

    /// Returns the request that renews the lease, if the client has one.
    pub(crate) fn renewal(&self) -> Option<(Ticket, HttpRequest)> {
        let (path, body) = (format!("/v1/clients/{}/renew", self.client?), String::new());
        Some((Ticket::Lease, HttpRequest { method: "POST", path, body, answered: None }))
    }

    /// Returns the request that says goodbye.
    pub(crate) fn goodbye(&self) -> Option<(Ticket, HttpRequest)> {
        let (path, body) = (format!("/v1/clients/{}", self.client?), String::new());
        Some((Ticket::Lease, HttpRequest { method: "DELETE", path, body, answered: None }))
    }

    /// Handles a reply. Replies to requests of a forgotten client are ignored.
    pub(crate) fn handle(&mut self, ticket: Ticket, reply: Reply) {
        let call = match ticket {
            Ticket::Request(number) => self.outstanding.remove(&number),
            Ticket::Lease if reply == Reply::Forgotten => return self.forgotten(),
            Ticket::Lease => return,
        };
        let Some(call) = call else { return };
        match (call, reply) {
            (_, Reply::Forgotten) => self.forgotten(),
            (Call::Hello, Reply::Done(answer)) => {
                self.client = answer["client"].as_u64();
                self.lease_ms = answer["lease_ms"].as_u64().unwrap_or(0);
                self.number = 0;
            }
            (Call::Register, Reply::Done(answer)) => {
                self.application = answer["application"].as_u64();
                let part = |name: &str| answer[name].as_u64();
                let small = |name: &str| part(name).and_then(|value| u8::try_from(value).ok());
                let level = part("level").and_then(|level| u16::try_from(level).ok());
                let (dscp, service_level) = (small("dscp"), small("sl"));
                let dscp = dscp.filter(|dscp| *dscp < 64);
                self.mark = level.map(|level| Mark { level, dscp, service_level });
                let doubts = answer["doubts"].as_array().into_iter().flatten();
                self.doubts = doubts.filter_map(Value::as_str).map(str::to_owned).collect();
            }
            (Call::Hello | Call::Register, Reply::Refused(why)) => self.refused = Some(why),
            (Call::Connect(local), Reply::Done(answer)) => {
                let Some(link) = self.links.get_mut(&local) else { return };
                (link.known, link.is_outstanding) = (answer["connection"].as_u64(), false);
                if link.is_closed {
                    self.pending.insert(local);
                }
            }
            (Call::Connect(local), Reply::Refused(why)) => {
                let link = self.remove(local);
                if link.is_some_and(|link| !link.is_closed) {
                    self.refusals.insert(local, why);
                }
            }
            // The connection is gone, also if the controller does not know it.
            (Call::Close(local), _) => drop(self.remove(local)),
        }
    }

    /// Handles a reply of a controller that does not know the client: everything is registered
    /// again.
    pub(crate) fn forgotten(&mut self) {
        (self.client, self.application, self.number) = (None, None, 0);
        self.outstanding.clear();
        self.links.retain(|_, link| !link.is_closed);
        for link in self.links.values_mut() {
            (link.known, link.is_outstanding) = (None, false);
        }
        self.pending = self.links.keys().copied().collect();
    }
}

#[cfg(test)]
mod tests;
