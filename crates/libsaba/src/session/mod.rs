//! [`Session`]: the wanted and the registered state of an application, and its next request. No I/O and no clock.
//!
//! One request is outstanding at a time. A request without an answer is repeated with the same number, so the
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
}

/// The kind of the next request.
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

/// A method, a path and a body.
pub(crate) type HttpRequest = (&'static str, String, String);

#[derive(Debug)]
pub(crate) struct Session {
    registration: Registration,
    client: Option<u64>,
    lease_ms: u64,
    application: Option<u64>,
    mark: Option<Mark>,
    links: BTreeMap<Local, Link>,
    /// Connections with a pending request: not registered yet, or registered and closed.
    pending: BTreeSet<Local>,
    /// The request without an answer, if there is one.
    outstanding: Option<Call>,
    /// The number of the next request.
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
            links: BTreeMap::new(),
            pending: BTreeSet::new(),
            outstanding: None,
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
        self.links.insert(local, Link { from, to, known: None, is_closed: false });
        self.pending.insert(local);
        Some(local)
    }

    /// Returns whether a connection is registered.
    pub(crate) fn is_known(&self, local: Local) -> bool {
        self.links.get(&local).is_some_and(|link| link.known.is_some())
    }

    /// Returns the reason if a connection was refused, once.
    pub(crate) fn refusal(&mut self, local: Local) -> Option<String> {
        self.refusals.remove(&local)
    }

    /// Closes a connection.
    pub(crate) fn close(&mut self, local: Local) {
        let is_outstanding = self.outstanding == Some(Call::Connect(local));
        self.refusals.remove(&local);
        let Some(link) = self.links.get_mut(&local) else { return };
        link.is_closed = true;
        self.pending.insert(local);
        if link.known.is_none() && !is_outstanding {
            self.remove(local);
        }
    }

    fn remove(&mut self, local: Local) -> Option<Link> {
        self.pending.remove(&local);
        self.links.remove(&local)
    }

    fn due(&self) -> Option<Call> {
        if self.refused.is_some() {
            return None;
        }
        if self.outstanding.is_some() {
            return self.outstanding;
        }
        if self.client.is_none() {
            return Some(Call::Hello);
        }
        if self.application.is_none() {
            return Some(Call::Register);
        }
        let first = *self.pending.first()?;
        Some(match self.links[&first].known {
            None => Call::Connect(first),
            Some(_) => Call::Close(first),
        })
    }

    /// Returns the next request, if one is pending.
    pub(crate) fn next_request(&mut self) -> Option<HttpRequest> {
        let call = self.due()?;
        self.outstanding = Some(call);
        let request = match call {
            Call::Hello => return Some(("POST", "/v1/clients".into(), String::new())),
            Call::Register => {
                let Registration { name, job, nodes, dataset } = &self.registration;
                let mut register = json!({ "name": name, "nodes": nodes, "dataset": dataset });
                if let Some(job) = job {
                    register["job"] = json!(job);
                }
                json!({ "register": register })
            }
            Call::Connect(local) => {
                let Link { from, to, .. } = &self.links[&local];
                let application = self.application;
                json!({ "connect": { "application": application, "from": from, "to": to } })
            }
            Call::Close(local) => json!({ "close": { "connection": self.links[&local].known } }),
        };
        let (client, number) = (self.client, self.number);
        // Each request is answered before the next is sent, so all smaller numbers are acknowledged.
        let body = json!({
            "client": client, "number": number, "acknowledged_below": number, "request": request,
        });
        Some(("POST", "/v1/requests".into(), body.to_string()))
    }

    /// Returns the request that renews the lease, if the client has one.
    pub(crate) fn renewal(&self) -> Option<HttpRequest> {
        self.client.map(|client| ("POST", format!("/v1/clients/{client}/renew"), String::new()))
    }

    /// Returns the request that says goodbye.
    pub(crate) fn goodbye(&self) -> Option<HttpRequest> {
        self.client.map(|client| ("DELETE", format!("/v1/clients/{client}"), String::new()))
    }

    /// Handles the reply to the outstanding request.
    pub(crate) fn handle(&mut self, reply: Reply) {
        let Some(call) = self.outstanding.take() else { return };
        if reply == Reply::Forgotten {
            return self.forgotten();
        }
        if call != Call::Hello {
            self.number += 1;
        }
        match (call, reply) {
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
            }
            (Call::Hello | Call::Register, Reply::Refused(why)) => self.refused = Some(why),
            (Call::Connect(local), Reply::Done(answer)) => {
                if let Some(link) = self.links.get_mut(&local) {
                    link.known = answer["connection"].as_u64();
                    if link.known.is_some() && !link.is_closed {
                        self.pending.remove(&local);
                    }
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
            (_, Reply::Forgotten) => {}
        }
    }

    /// Handles a reply of a controller that does not know the client: everything is registered
    /// again.
    pub(crate) fn forgotten(&mut self) {
        (self.client, self.application, self.outstanding) = (None, None, None);
        self.links.retain(|_, link| !link.is_closed);
        self.links.values_mut().for_each(|link| link.known = None);
        self.pending = self.links.keys().copied().collect();
    }
}

#[cfg(test)]
mod tests;
