//! The queue of requests, and their grouping into writes to the store.

use super::Core;
use super::waiting::{Waiting, Writing};
use crate::core::batch::Batch;
use crate::core::change::Change;
use crate::core::output::Output;
use crate::core::request::{Answer, ClientId, Refusal, Ticket};
use crate::core::state::State;
use bandwise_saba::controller::PortId;

/// The number of requests that may wait for a write.
const MOST_WAITING: usize = 10_000;

impl Core {
    pub(super) fn drain(&mut self, ticket: Ticket, ports: Vec<PortId>, drained: bool) {
        let there = |port: &PortId| self.ports.all.get(port).is_some_and(|port| port.is_there);
        match ports.iter().find(|port| !there(port)) {
            Some(&port) => {
                let answer = Err(Refusal::NoSuchPort(port));
                self.out.push_back(Output::Answer { ticket, answer });
            }
            None => {
                let all = || self.ports().map(|of| of.0).collect();
                let ports = if ports.is_empty() { all() } else { ports };
                self.wait(ticket, Waiting::Drain(ticket, ports, drained));
            }
        }
    }

    /// Queues a request for the next write. Refuses the request if the queue is full, which happens
    /// when the store hangs.
    pub(super) fn wait(&mut self, ticket: Ticket, waiting: Waiting) {
        let refusal = match self.holding.home() {
            None => Refusal::cut_off(),
            Some(_) if self.waiting.len() < MOST_WAITING => return self.waiting.push_back(waiting),
            Some(_) => {
                Refusal::NotStored(format!("{MOST_WAITING} requests are queued for the store"))
            }
        };
        self.out.push_back(Output::Answer { ticket, answer: Err(refusal) });
    }

    /// Starts a write with the waiting requests, if none is in progress.
    pub(super) fn write(&mut self) {
        if self.writing.is_some() {
            return;
        }
        let mut batch = Batch::new(&self.rules);
        let mut taken = Vec::new();
        while !batch.is_full()
            && let Some(waiting) = self.waiting.pop_front()
        {
            if self.holding.is_shared() {
                taken.push(waiting.clone());
            }
            if let Some(rest) = self.take(&mut batch, waiting) {
                self.waiting.push_front(rest);
                // The rest of the request stands at the front of the queue when the batch is
                // decided again.
                taken.pop();
            }
        }
        // Another controller may have stored an unknown client a moment ago. So a refusal needs a
        // write too, which proves that the store has not changed since.
        let is_final = !self.holding.is_shared() || batch.answers.iter().all(|of| of.1.is_ok());
        if batch.changes.is_empty() && is_final {
            return self.answer(batch.answers);
        }
        self.writes += 1;
        let (write, after, changes) = (self.writes, self.revision, batch.changes.clone());
        self.out.push_back(Output::Store { write, after, changes });
        self.writing = Some(Writing { batch, taken });
    }

    /// Adds a request to the batch. Returns the rest that has to go into the next write.
    fn take(&mut self, batch: &mut Batch, waiting: Waiting) -> Option<Waiting> {
        let Core { state, profiles, rules, leases, holding, .. } = self;
        let home = holding.home().cloned();
        // A client that calls here, while another controller keeps its lease, belongs to this one from now on.
        let adopt = |batch: &mut Batch, state: &mut State, client: ClientId| {
            if let Some(home) = home.clone().filter(|_| !leases.has(client)) {
                batch.adopt(state, client, home);
            }
        };
        let (ticket, answer) = match waiting {
            Waiting::Hello(ticket, owner) => {
                let answer = match home {
                    Some(home) => batch.hello(state, rules, owner, home),
                    None => Err(Refusal::cut_off()),
                };
                (ticket, answer)
            }
            Waiting::Request(ticket, request, path) => {
                adopt(batch, state, request.client);
                match batch.ask(state, profiles, rules, &request, &path) {
                    Some(answer) => (ticket, answer),
                    None => return Some(Waiting::Request(ticket, request, path)),
                }
            }
            Waiting::Renew(ticket, client) => {
                adopt(batch, state, client);
                let is_one = state.clients.contains_key(&client);
                let answer =
                    if is_one { Ok(Answer::Done) } else { Err(Refusal::NoSuchClient(client)) };
                (ticket, answer)
            }
            Waiting::Goodbye(ticket, client) => {
                if state.clients.contains_key(&client) && !batch.leave(state, client) {
                    return Some(Waiting::Goodbye(ticket, client));
                }
                // The client is removed in either case, so a repeated goodbye succeeds.
                (ticket, Ok(Answer::Done))
            }
            Waiting::Drain(ticket, ports, drained) => match batch.drain(state, &ports, drained) {
                true => (ticket, Ok(Answer::Done)),
                false => return Some(Waiting::Drain(ticket, ports, drained)),
            },
            Waiting::Reset(ticket, below) => {
                let clients: Vec<ClientId> = state.clients.range(..below).map(|of| *of.0).collect();
                if !clients.into_iter().all(|client| batch.leave(state, client)) {
                    return Some(Waiting::Reset(ticket, below));
                }
                (ticket, Ok(Answer::Done))
            }
            Waiting::LeaseEnded(client) => {
                // The client may have made a call during the write that was in progress.
                if leases.is_silent(client) && state.clients.contains_key(&client) {
                    if !batch.leave(state, client) {
                        return Some(Waiting::LeaseEnded(client));
                    }
                    batch.dropped.push(client);
                }
                return None;
            }
            Waiting::Moves(connection, path) => {
                batch.moves(state, connection, path);
                return None;
            }
            Waiting::Ids => {
                batch.put(state, Change::Next(state.next));
                return None;
            }
        };
        batch.answers.push((ticket, answer));
        None
    }

    pub(super) fn answer(&mut self, answers: Vec<(Ticket, Result<Answer, Refusal>)>) {
        let answer = |(ticket, answer)| Output::Answer { ticket, answer };
        self.out.extend(answers.into_iter().map(answer));
    }
}
