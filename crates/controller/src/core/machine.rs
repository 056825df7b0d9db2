//! [`Core`]: inputs in, outputs out.

mod told;

use super::batch::Batch;
use super::change::Change;
use super::input::{Input, Output, Ticket};
use super::leases::Leases;
use super::owner::Owner;
use super::ports::{PortState, Ports};
use super::profiles::Profiles;
use super::request::{Answer, Asked, ClientId, Refusal};
use super::rules::Rules;
use super::state::State;
use bandwise_saba::controller::{Controller, Levels, PortId, Refused, Settings};
use std::collections::VecDeque;
use std::time::Duration;

/// How many requests may wait for a write.
const MOST_WAITING: usize = 10_000;

/// The daemon's decisions. See the [module](super).
#[derive(Debug, Clone)]
pub struct Core {
    rules: Rules,
    profiles: Profiles,
    controller: Controller,
    state: State,
    ports: Ports,
    now: Duration,
    /// Requests that came while a write was under way.
    waiting: Vec<Waiting>,
    writing: Option<Batch>,
    /// The number of the last write.
    writes: u64,
    leases: Leases,
    out: VecDeque<Output>,
}

#[derive(Debug, Clone)]
enum Waiting {
    Hello(Ticket, Owner),
    Ask(Ticket, Asked, Result<Vec<PortId>, String>),
    Goodbye(Ticket, ClientId),
    Drain(Ticket, Vec<PortId>, bool),
    LeaseEnded(ClientId),
}

/// Why a core can't begin with what was stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A record says what can't be.
    #[error("connection {connection} was stored, and can't be: {why}")]
    Connection {
        /// The connection.
        connection: u64,
        /// Why not.
        why: Refused,
    },
    /// A name that is none.
    #[error("application {application} was stored with the name {name:?}, which is none")]
    Application {
        /// The application.
        application: u64,
        /// The name.
        name: String,
    },
}

impl Core {
    /// A core that begins with what was stored. Every client has a whole lease from now on; of ports it knows
    /// nothing until they are found.
    pub fn new(
        rules: Rules,
        settings: Settings,
        profiles: Profiles,
        stored: State,
        now: Duration,
    ) -> Result<Self, Unfit> {
        let controller = Controller::new(settings, Levels::Shared(profiles.shared().clone()));
        let mut core = Core {
            rules,
            profiles,
            controller,
            state: State::default(),
            ports: Ports::default(),
            now,
            waiting: Vec::new(),
            writing: None,
            writes: 0,
            leases: Leases::default(),
            out: VecDeque::new(),
        };
        for record in stored.records() {
            core.tell(&record)?;
        }
        core.state = stored;
        let clients: Vec<ClientId> = core.state.clients().collect();
        for client in clients {
            core.renew(client);
        }
        core.controller.settle();
        Ok(core)
    }

    /// Takes an input. `now` is of a clock that nobody sets; a time before the last one counts as that.
    pub fn handle(&mut self, now: Duration, input: Input) {
        self.now = self.now.max(now);
        let input = self.own(input).unwrap_or_else(|answer| {
            self.out.push_back(answer);
            Input::Tick
        });
        match input {
            Input::Hello { ticket, by } => self.wait(ticket, Waiting::Hello(ticket, by)),
            Input::Ask { ticket, asked, path, .. } => {
                self.is_alive(asked.client);
                self.wait(ticket, Waiting::Ask(ticket, asked, path));
            }
            Input::Renew { ticket, client, .. } => {
                let answer = match self.is_alive(client) {
                    true => Ok(Answer::Done),
                    false => Err(Refusal::NoSuchClient(client)),
                };
                self.out.push_back(Output::Answer { ticket, answer });
            }
            Input::Goodbye { ticket, client, .. } => {
                self.wait(ticket, Waiting::Goodbye(ticket, client))
            }
            Input::Drain { ticket, ports, drained } => self.drain(ticket, ports, drained),
            Input::Stored { write, error } => self.stored(write, error),
            Input::Found { port, name, queues } => self.found(port, name, queues),
            Input::Lost { port } => self.lost(port),
            Input::Ended { order, end } => {
                self.ports.ended(order, end, (self.now, &self.rules), &mut self.out);
            }
            Input::Tick => {}
        }
        self.end_leases();
        self.write();
        self.ports.advance(self.now, &self.rules, &mut self.out);
    }

    /// What is to be done next, in this order.
    pub fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// When there is something to do if nothing is heard until then.
    pub fn wake(&self) -> Option<Duration> {
        self.leases.next().into_iter().chain(self.ports.wake()).min()
    }

    /// Whether nothing is being stored, and no order is under way or due but to look.
    pub fn is_settled(&self) -> bool {
        let is_settled = |port: &PortState| !port.is_there || port.is_settled();
        self.writing.is_none() && self.ports.all.values().all(is_settled)
    }

    /// Who is there, with what is being stored.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// All ports that are there.
    pub fn ports(&self) -> impl Iterator<Item = (PortId, &PortState)> {
        self.ports.all.iter().filter(|of| of.1.is_there).map(|(&id, port)| (id, port))
    }

    /// A port that is there, or was.
    pub fn port(&self, port: PortId) -> Option<&PortState> {
        self.ports.all.get(&port)
    }

    /// The profiles that applications are known by.
    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    pub(super) fn controller(&self) -> &Controller {
        &self.controller
    }

    /// A client was heard; whether it is one.
    fn is_alive(&mut self, client: ClientId) -> bool {
        let is_known = self.leases.has(client);
        if is_known {
            self.renew(client);
        }
        is_known
    }

    /// A lease begins now.
    fn renew(&mut self, client: ClientId) {
        self.leases.renew(client, self.now + self.rules.lease);
    }

    fn end_leases(&mut self) {
        // If it can't be stored, it is tried again as often.
        let again = self.now + self.rules.longest_retry;
        while let Some(client) = self.leases.ended(self.now, again) {
            self.waiting.push(Waiting::LeaseEnded(client));
        }
    }

    fn drain(&mut self, ticket: Ticket, ports: Vec<PortId>, drained: bool) {
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
    fn wait(&mut self, ticket: Ticket, waiting: Waiting) {
        if self.waiting.len() < MOST_WAITING {
            return self.waiting.push(waiting);
        }
        let why = format!("{MOST_WAITING} requests wait for the store");
        self.out.push_back(Output::Answer { ticket, answer: Err(Refusal::NotStored(why)) });
    }

    /// Takes what waits, if no write is under way.
    fn write(&mut self) {
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
        };
        batch.answers.push((ticket, answer));
    }

    fn answer(&mut self, answers: Vec<(Ticket, Result<Answer, Refusal>)>) {
        let answer = |(ticket, answer)| Output::Answer { ticket, answer };
        self.out.extend(answers.into_iter().map(answer));
    }

    fn stored(&mut self, write: u64, error: Option<String>) {
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
        self.out.extend(batch.dropped.into_iter().map(|client| Output::Dropped { client }));
        self.answer(batch.answers);
        self.settle();
    }
}
