//! [`Client`]: a client that repeats each numbered request at any controller until it is answered, and remembers what
//! was answered.

use super::super::world::{NAMES, PORTS, connect, register, register_part};
use bandwise_controller::core::{Answer, ClientId, NumberedRequest, Refusal, Request};
use bandwise_random::Stream;
use bandwise_saba::controller::{ApplicationId, ConnectionId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A call of a client.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Call {
    Hello,
    Request(NumberedRequest),
    Renew(ClientId),
    Goodbye(ClientId),
}

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) id: Option<ClientId>,
    /// The number of the next request.
    number: u64,
    /// The number of received answers that the client does not acknowledge.
    lag: u64,
    /// The call that waits for an answer, and the number of its last attempt.
    pub(super) call: Option<Call>,
    pub(super) attempt: u64,
    /// The time of the last attempt, and of the last one that was answered.
    pub(super) sent: Duration,
    pub(super) last_answered: Duration,
    /// The time at which the hello was sent.
    pub(super) since: Duration,
    /// The applications and connections that were answered and not ended.
    pub(super) there: BTreeMap<ApplicationId, BTreeSet<ConnectionId>>,
    /// True if the call was sent before.
    pub(super) is_repeated: bool,
    /// The controller that the client uses.
    pub(super) controller: usize,
    /// True if the client makes no calls any more.
    pub(super) is_silent: bool,
}

/// An answer that a client does not expect.
#[derive(Debug)]
pub(super) enum Wrong {
    /// Something that was answered before is not there: an application or a connection.
    Missing { application: Option<ApplicationId>, connection: Option<ConnectionId> },
    /// The answer is a fault whatever happened before.
    Answer(String),
}

impl Client {
    pub(super) fn new(chance: &mut Stream) -> Self {
        Client {
            id: None,
            number: 0,
            lag: chance.below(3),
            call: None,
            attempt: 0,
            sent: Duration::ZERO,
            last_answered: Duration::ZERO,
            since: Duration::ZERO,
            there: BTreeMap::new(),
            is_repeated: false,
            controller: 0,
            is_silent: false,
        }
    }

    /// Returns the client's id, and the number below which its requests were answered.
    pub(super) fn answered_below(&self) -> Option<(ClientId, u64)> {
        let waits = matches!(self.call, Some(Call::Request(_)));
        Some((self.id?, self.number - u64::from(waits)))
    }

    /// Decides on the next call. A client that `rests` only renews its lease.
    pub(super) fn decide(&mut self, chance: &mut Stream, rests: bool) {
        let Some(client) = self.id else {
            self.call = Some(Call::Hello);
            return;
        };
        if rests || chance.one_in(4) {
            self.call = Some(Call::Renew(client));
            return;
        }
        if chance.one_in(40) {
            self.call = Some(Call::Goodbye(client));
            return;
        }
        let request = self.any_request(chance);
        let (number, acknowledged_below) = (self.number, self.number.saturating_sub(self.lag));
        self.number += 1;
        let request = NumberedRequest { client, number, acknowledged_below, request };
        self.call = Some(Call::Request(request));
    }

    fn any_request(&self, chance: &mut Stream) -> Request {
        let any = |chance: &mut Stream, most: usize| chance.below(most as u64) as usize;
        let applications: Vec<ApplicationId> = self.there.keys().copied().collect();
        if applications.is_empty() || applications.len() < 3 && chance.one_in(4) {
            let name = NAMES[any(chance, NAMES.len())];
            return match chance.one_in(3) {
                true => register_part(name, &chance.below(2).to_string()),
                false => register(name),
            };
        }
        let application = applications[any(chance, applications.len())];
        let connections: Vec<ConnectionId> = self.there[&application].iter().copied().collect();
        if !connections.is_empty() && chance.one_in(3) {
            let connection = connections[any(chance, connections.len())];
            return Request::Close { connection };
        }
        if chance.one_in(8) {
            return Request::Deregister { application };
        }
        let mut host = || format!("h{}", chance.below(PORTS));
        connect(application, &host(), &host())
    }

    /// Takes the answer to the call. Returns false if the call has to be repeated.
    pub(super) fn receive(
        &mut self,
        sent: Duration,
        answer: Result<Answer, Refusal>,
    ) -> Result<bool, Wrong> {
        let Some(call) = self.call.clone() else { return Ok(true) };
        let request = match &call {
            Call::Request(of) => Some(&of.request),
            _ => None,
        };
        match (request, answer) {
            (_, Err(Refusal::NotStored(_))) => return Ok(false),
            (_, Err(Refusal::NoSuchClient(_))) => self.forget(),
            (None, Ok(Answer::Welcome { client, .. })) if call == Call::Hello => {
                self.forget();
                (self.id, self.since) = (Some(client), sent);
            }
            (None, Ok(Answer::Done)) if matches!(call, Call::Goodbye(_)) => self.forget(),
            (None, Ok(Answer::Done)) => {}
            (Some(Request::Register { .. }), Ok(Answer::Registered { application, .. })) => {
                if self.there.insert(application, BTreeSet::new()).is_some() {
                    return Err(Wrong::Answer(format!("{application:?} came again")));
                }
            }
            (Some(Request::Register { .. }), Err(Refusal::UnknownApplication(_))) => {}
            (
                Some(Request::Connect { application, .. }),
                Ok(Answer::Connected { connection, .. }),
            ) => {
                if !self.there.entry(*application).or_default().insert(connection) {
                    return Err(Wrong::Answer(format!("{connection:?} came again")));
                }
            }
            (Some(Request::Close { connection }), Ok(Answer::Done)) => self.closed(*connection),
            (Some(Request::Deregister { application }), Ok(Answer::Done)) => {
                self.there.remove(application);
            }
            // Only a store that lost something has none of them.
            (_, Err(Refusal::NoSuchApplication(application))) => {
                self.there.remove(&application);
                self.answered();
                return Err(Wrong::Missing { application: Some(application), connection: None });
            }
            (_, Err(Refusal::NoSuchConnection(connection))) => {
                self.closed(connection);
                self.answered();
                return Err(Wrong::Missing { application: None, connection: Some(connection) });
            }
            (_, answer) => return Err(Wrong::Answer(format!("{answer:?} to {call:?}"))),
        }
        self.answered();
        Ok(true)
    }

    fn answered(&mut self) {
        (self.call, self.last_answered) = (None, self.sent);
    }

    fn closed(&mut self, connection: ConnectionId) {
        for all in self.there.values_mut() {
            all.remove(&connection);
        }
    }

    fn forget(&mut self) {
        (self.id, self.number) = (None, 0);
        self.there.clear();
    }
}
