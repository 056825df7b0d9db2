//! [`Session`]: what the controller is to know, what it knows, and what is to be said next. No I/O and no clock.
//!
//! One thing is said at a time. A request that was not answered is said again with the same number, so the controller
//! does it once. A controller that has forgotten the client hears everything again.

use crate::Mark;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What an application is registered as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    /// Which job it is part of, if it runs in several processes.
    pub(crate) job: Option<String>,
    pub(crate) nodes: Option<u32>,
    pub(crate) dataset: Option<String>,
}

/// A connection, by a number of this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Local(u64);

#[derive(Debug)]
struct Link {
    from: String,
    to: String,
    /// The controller's number, once it knows the connection.
    known: Option<u64>,
    is_closed: bool,
}

/// What is to be said next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Hello,
    Register,
    Connect(Local),
    Close(Local),
}

/// What was heard.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    /// It was done.
    Done(Value),
    /// The lease has ended, or the controller has another store.
    Forgotten,
    /// It was refused.
    Refused(String),
}

/// A method, a path and a body.
pub(crate) type Said = (&'static str, String, String);

#[derive(Debug)]
pub(crate) struct Session {
    named: Named,
    client: Option<u64>,
    lease_ms: u64,
    application: Option<u64>,
    mark: Option<Mark>,
    links: BTreeMap<Local, Link>,
    /// Those of which something is to be said: that are not known yet, or known and closed.
    unsaid: BTreeSet<Local>,
    /// What was said last, if it was not answered.
    asked: Option<Call>,
    /// The number of the next request.
    number: u64,
    next: u64,
    /// Why the application is not registered, and why connections are not known.
    refused: Option<String>,
    refusals: BTreeMap<Local, String>,
}

impl Session {
    pub(crate) fn new(named: Named) -> Self {
        Session {
            named,
            client: None,
            lease_ms: 0,
            application: None,
            mark: None,
            links: BTreeMap::new(),
            unsaid: BTreeSet::new(),
            asked: None,
            number: 0,
            next: 0,
            refused: None,
            refusals: BTreeMap::new(),
        }
    }

    /// What packets are to carry, once a controller has said it. It stays so while that is away.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// Why the application may not be registered.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    pub(crate) fn lease_ms(&self) -> u64 {
        self.lease_ms
    }

    /// There is a connection. What no controller ever gave a mark for is nothing to it.
    pub(crate) fn open(&mut self, from: String, to: String) -> Option<Local> {
        self.mark?;
        let local = Local(self.next);
        self.next += 1;
        self.links.insert(local, Link { from, to, known: None, is_closed: false });
        self.unsaid.insert(local);
        Some(local)
    }

    /// Whether the controller knows a connection.
    pub(crate) fn is_known(&self, local: Local) -> bool {
        self.links.get(&local).is_some_and(|link| link.known.is_some())
    }

    /// Why a connection was refused; asked once.
    pub(crate) fn refusal(&mut self, local: Local) -> Option<String> {
        self.refusals.remove(&local)
    }

    /// A connection is gone.
    pub(crate) fn close(&mut self, local: Local) {
        let is_asked = self.asked == Some(Call::Connect(local));
        self.refusals.remove(&local);
        let Some(link) = self.links.get_mut(&local) else { return };
        link.is_closed = true;
        self.unsaid.insert(local);
        if link.known.is_none() && !is_asked {
            self.remove(local);
        }
    }

    fn remove(&mut self, local: Local) -> Option<Link> {
        self.unsaid.remove(&local);
        self.links.remove(&local)
    }

    fn due(&self) -> Option<Call> {
        if self.refused.is_some() {
            return None;
        }
        if self.asked.is_some() {
            return self.asked;
        }
        if self.client.is_none() {
            return Some(Call::Hello);
        }
        if self.application.is_none() {
            return Some(Call::Register);
        }
        let first = *self.unsaid.first()?;
        Some(match self.links[&first].known {
            None => Call::Connect(first),
            Some(_) => Call::Close(first),
        })
    }

    /// What is to be said next, if anything is.
    pub(crate) fn say(&mut self) -> Option<Said> {
        let call = self.due()?;
        self.asked = Some(call);
        let request = match call {
            Call::Hello => return Some(("POST", "/v1/clients".into(), String::new())),
            Call::Register => {
                let Named { name, job, nodes, dataset } = &self.named;
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
        // Each is answered before the next is said.
        let asked = json!({
            "client": client, "number": number, "acknowledged_below": number, "request": request,
        });
        Some(("POST", "/v1/requests".into(), asked.to_string()))
    }

    /// That the client is alive, if it is one.
    pub(crate) fn renewal(&self) -> Option<Said> {
        self.client.map(|client| ("POST", format!("/v1/clients/{client}/renew"), String::new()))
    }

    /// The last word.
    pub(crate) fn goodbye(&self) -> Option<Said> {
        self.client.map(|client| ("DELETE", format!("/v1/clients/{client}"), String::new()))
    }

    /// The answer to what was said last.
    pub(crate) fn hear(&mut self, heard: Heard) {
        let Some(call) = self.asked.take() else { return };
        if heard == Heard::Forgotten {
            return self.forgotten();
        }
        if call != Call::Hello {
            self.number += 1;
        }
        match (call, heard) {
            (Call::Hello, Heard::Done(answer)) => {
                self.client = answer["client"].as_u64();
                self.lease_ms = answer["lease_ms"].as_u64().unwrap_or(0);
                self.number = 0;
            }
            (Call::Register, Heard::Done(answer)) => {
                self.application = answer["application"].as_u64();
                let part = |name: &str| answer[name].as_u64();
                let small = |name: &str| part(name).and_then(|value| u8::try_from(value).ok());
                let level = part("level").and_then(|level| u16::try_from(level).ok());
                let (dscp, service_level) = (small("dscp"), small("sl"));
                let dscp = dscp.filter(|dscp| *dscp < 64);
                self.mark = level.map(|level| Mark { level, dscp, service_level });
            }
            (Call::Hello | Call::Register, Heard::Refused(why)) => self.refused = Some(why),
            (Call::Connect(local), Heard::Done(answer)) => {
                if let Some(link) = self.links.get_mut(&local) {
                    link.known = answer["connection"].as_u64();
                    if link.known.is_some() && !link.is_closed {
                        self.unsaid.remove(&local);
                    }
                }
            }
            (Call::Connect(local), Heard::Refused(why)) => {
                let link = self.remove(local);
                if link.is_some_and(|link| !link.is_closed) {
                    self.refusals.insert(local, why);
                }
            }
            // What is closed, and what can't be, is none any more.
            (Call::Close(local), _) => drop(self.remove(local)),
            (_, Heard::Forgotten) => {}
        }
    }

    /// The controller knows nothing of this client: all that there is, is to be said again.
    pub(crate) fn forgotten(&mut self) {
        (self.client, self.application, self.asked) = (None, None, None);
        self.links.retain(|_, link| !link.is_closed);
        self.links.values_mut().for_each(|link| link.known = None);
        self.unsaid = self.links.keys().copied().collect();
    }
}

#[cfg(test)]
mod tests;
