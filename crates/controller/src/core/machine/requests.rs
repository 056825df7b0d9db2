//! How requests wait, are stored together, and are answered.

use super::Core;
use crate::core::batch::Batch;
use crate::core::change::Change;
use crate::core::input::Ticket;
use crate::core::output::Output;
use crate::core::owner::Owner;
use crate::core::request::{Answer, Asked, ClientId, Refusal};
use bandwise_saba::controller::{ConnectionId, PortId};

/// How many requests may wait for a write.
const MOST_WAITING: usize = 10_000;

#[derive(Debug, Clone)]
pub(super) enum Waiting {
    Hello(Ticket, Owner),
    Ask(Ticket, Asked, Result<Vec<PortId>, String>),
    Goodbye(Ticket, ClientId),
    Drain(Ticket, Vec<PortId>, bool),
    LeaseEnded(ClientId),
    Moves(ConnectionId, Box<[PortId]>),
}

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

    /// A request goes into the next write, unless too many do already: then the store has hung for long.
    pub(super) fn wait(&mut self, ticket: Ticket, waiting: Waiting) {
        if self.waiting.len() < MOST_WAITING {
            return self.waiting.push(waiting);
        }
        let why = format!("{MOST_WAITING} requests wait for the store");
        self.out.push_back(Output::Answer { ticket, answer: Err(Refusal::NotStored(why)) });
    }

    /// Takes what waits, if no write is under way.
    pub(super) fn write(&mut self) {
        if self.writing.is_some() || self.waiting.is_empty() {
            return;
        }
        let mut batch = Batch::default();
        for waiting in std::mem::take(&mut self.waiting) {
            self.take(&mut batch, waiting);
        }
        if batch.changes.is_empty() {
            return self.answer(batch.answers);
        }
        self.writes += 1;
        let changes = batch.changes.clone();
        self.out.push_back(Output::Store { write: self.writes, changes });
        self.writing = Some(batch);
    }

    fn take(&mut self, batch: &mut Batch, waiting: Waiting) {
        let Core { state, profiles, rules, leases, .. } = self;
        let (ticket, answer) = match waiting {
            Waiting::Hello(ticket, by) => (ticket, batch.hello(state, rules, by)),
            Waiting::Ask(ticket, asked, path) => {
                (ticket, batch.ask(state, (profiles, rules), asked, path))
            }
            Waiting::Goodbye(ticket, client) => {
                if state.clients.contains_key(&client) {
                    batch.leave(state, client);
                }
                // Who is gone is gone: also a copy is answered so.
                (ticket, Ok(Answer::Done))
            }
            Waiting::Drain(ticket, ports, drained) => {
                batch.drain(state, &ports, drained);
                (ticket, Ok(Answer::Done))
            }
            Waiting::LeaseEnded(client) => {
                // It may have been heard while another write was under way.
                if leases.is_silent(client) && state.clients.contains_key(&client) {
                    batch.leave(state, client);
                    batch.dropped.push(client);
                }
                return;
            }
            Waiting::Moves(connection, path) => return batch.moves(state, connection, path),
        };
        batch.answers.push((ticket, answer));
    }

    fn answer(&mut self, answers: Vec<(Ticket, Result<Answer, Refusal>)>) {
        let answer = |(ticket, answer)| Output::Answer { ticket, answer };
        self.out.extend(answers.into_iter().map(answer));
    }

    pub(super) fn stored(&mut self, write: u64, error: Option<String>) {
        if write != self.writes {
            return;
        }
        let Some(mut batch) = self.writing.take() else { return };
        if let Some(error) = error {
            batch.take_back(&mut self.state);
            // Of those that change nothing too: what they say may rest on what is taken back.
            let refused = batch.answers.into_iter();
            let refused = refused.map(|of| (of.0, Err(Refusal::NotStored(error.clone()))));
            return self.answer(refused.collect());
        }
        for path in batch.closed_paths() {
            path.iter().for_each(|&port| self.ports.count(port, false));
        }
        for change in &batch.changes {
            self.tell(change).expect("levels are those of the table");
            match change {
                Change::Client(client, Some(_)) if !self.leases.has(*client) => {
                    self.renew(*client);
                }
                Change::Client(client, None) => self.leases.forget(*client),
                Change::Drained(port, drained) => {
                    let now = (self.now, &self.rules);
                    self.ports.change(*port, now, |port| port.is_drained = *drained);
                }
                _ => {}
            }
        }
        if batch.moved > 0 {
            self.out.push_back(Output::Moved { connections: batch.moved });
        }
        self.out.extend(batch.dropped.into_iter().map(|client| Output::Dropped { client }));
        self.answer(batch.answers);
        self.settle();
    }
}
