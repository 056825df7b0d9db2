//! [`Core`]: the state machine of the daemon.

mod allocation;
mod discovery;
mod history;
mod holding;
mod invalid_record;
mod jobs;
mod ownership;
mod requests;
mod snapshot;
mod waiting;

pub use invalid_record::InvalidRecord;
pub use snapshot::Snapshot;

use super::change::Change;
use super::discovery::DiscoverySchedule;
use super::group::{Group, Holding};
use super::input::Input;
use super::leases::Leases;
use super::order::OrderOutcome;
use super::output::Output;
use super::port::PortState;
use super::ports::Ports;
use super::profiles::Profiles;
use super::request::{Answer, ClientId};
use super::rules::Rules;
use super::state::State;
use bandwise_saba::controller::{ConnectionId, Controller, Levels, PortId, Settings};
use jobs::Jobs;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use waiting::{Waiting, Writing};

/// The largest delay of a wake-up that is normal on a busy machine. After a longer delay, the
/// process was suspended.
const STILL: Duration = Duration::from_secs(1);

/// The daemon's decisions. See the [module](super).
#[derive(Debug, Clone)]
pub struct Core {
    rules: Rules,
    profiles: Profiles,
    controller: Controller,
    state: State,
    ports: Ports,
    now: Duration,
    /// Requests that came during a write to the store.
    waiting: VecDeque<Waiting>,
    writing: Option<Writing>,
    /// The number of the last write.
    writes: u64,
    /// The store's revision, if several controllers share the store.
    revision: u64,
    leases: Leases,
    holding: Holding,
    /// Groups to release that may have outstanding orders at their ports.
    leaving: BTreeSet<Group>,
    discovery: DiscoverySchedule,
    jobs: Jobs,
    /// Rerouted connections, with the ids by which Saba's controller knows them.
    moved: BTreeMap<ConnectionId, ConnectionId>,
    /// The number of reroutings so far.
    moves: u64,
    out: VecDeque<Output>,
}

impl Core {
    /// Returns the core of a single controller that starts from the stored state. Every client gets a full lease. Ports
    /// are unknown until the first discovery.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRecord`] if Saba's controller refuses a stored record.
    pub fn new(
        rules: Rules,
        settings: Settings,
        profiles: Profiles,
        stored: State,
        now: Duration,
    ) -> Result<Self, InvalidRecord> {
        let controller = Controller::new(settings, Levels::Shared(profiles.shared().clone()));
        let mut core = Core {
            rules,
            profiles,
            controller,
            state: stored,
            ports: Ports::default(),
            now,
            waiting: VecDeque::new(),
            writing: None,
            writes: 0,
            revision: 0,
            leases: Leases::default(),
            holding: Holding::alone(),
            leaving: BTreeSet::new(),
            discovery: DiscoverySchedule::new(now, &rules),
            jobs: Jobs::default(),
            moved: BTreeMap::new(),
            moves: 0,
            out: VecDeque::new(),
        };
        let records: Vec<Change> = core.state.records().collect();
        for record in &records {
            core.pass_on(record)?;
        }
        let clients: Vec<ClientId> = core.state.clients().collect();
        for client in clients {
            core.renew(client);
        }
        core.controller.settle();
        Ok(core)
    }

    /// Handles an input. `now` comes from a monotonic clock; a time before the last one counts as the last one.
    pub fn handle(&mut self, now: Duration, input: Input) {
        self.extend_after_suspension(now);
        self.now = self.now.max(now);
        // A process that was suspended has to give up its groups before it handles older inputs.
        self.end_holding();
        let input = self.own(input).unwrap_or_else(|answer| {
            self.out.push_back(answer);
            Input::Tick
        });
        match input {
            Input::Hello { ticket, owner } => self.wait(ticket, Waiting::Hello(ticket, owner)),
            Input::Request { ticket, request, path, .. } => {
                self.renew_by_call(request.client);
                self.wait(ticket, Waiting::Request(ticket, request, path));
            }
            Input::Renew { ticket, client, .. } => {
                match self.renew_by_call(client) && self.holding.home().is_some() {
                    true => self.answer(vec![(ticket, Ok(Answer::Done))]),
                    false => self.wait(ticket, Waiting::Renew(ticket, client)),
                }
            }
            Input::Goodbye { ticket, client, .. } => {
                self.wait(ticket, Waiting::Goodbye(ticket, client))
            }
            Input::Drain { ticket, ports, drained, .. } => self.drain(ticket, ports, drained),
            Input::Reset { ticket, .. } => {
                let below = ClientId(self.state.next.client);
                self.wait(ticket, Waiting::Reset(ticket, below));
            }
            Input::Stored { write, error, revision } => self.stored(write, error, revision),
            Input::StoredByOther { revision, changes } => self.learned(revision, changes),
            Input::Reloaded { revision, write, records } => self.known(revision, write, records),
            Input::GroupsHeld { groups, given_back, until } => {
                self.hold(groups, Some(until));
                self.give_back(given_back);
            }
            Input::Discovered { ports, routes } => self.discovered(ports, routes),
            Input::DiscoveryFailed { error: _ } => self.discovery.ended(self.now, &self.rules),
            Input::OrderEnded { order, outcome } => {
                if matches!(outcome, OrderOutcome::Failed { .. }) {
                    self.discovery.wanted(self.now);
                }
                self.ports.ended(order, outcome, self.now, &self.rules, &mut self.out);
            }
            Input::Leave => self.ports.leave(self.now, &self.rules),
            Input::Tick => {}
        }
        self.end_leases();
        self.write();
        self.release();
        self.ports.advance(self.now, &self.rules, &mut self.out);
        self.discovery.advance(self.now, &mut self.out);
    }

    /// Returns the next output. Outputs have to be carried out in this order.
    pub fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// Returns the time at which the core has work to do without another input.
    pub fn wake(&self) -> Option<Duration> {
        let survey = self.discovery.wake();
        let ends = self.holding.until;
        self.leases.next().into_iter().chain(self.ports.wake()).chain(survey).chain(ends).min()
    }

    /// Returns whether other controllers share the store and this one holds no group: it has just started, or does not
    /// reach the store. Others may have changed everything since.
    pub fn is_cut_off(&self) -> bool {
        self.holding.is_shared() && self.holding.home().is_none()
    }

    /// Returns whether no write to the store and no order is outstanding, and none is due except checks. A controller that
    /// is cut off is not settled.
    pub fn is_settled(&self) -> bool {
        let is_settled = |port: &PortState| !port.is_there || port.is_settled();
        !self.is_cut_off() && self.writing.is_none() && self.ports.all.values().all(is_settled)
    }

    /// Returns the state, including the changes of an unfinished write.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Iterates over all ports of the network.
    pub fn ports(&self) -> impl Iterator<Item = (PortId, &PortState)> {
        self.ports.all.iter().filter(|of| of.1.is_there).map(|(&id, port)| (id, port))
    }

    /// Returns a port that is or was part of the network.
    pub fn port(&self, port: PortId) -> Option<&PortState> {
        self.ports.all.get(&port)
    }

    /// Returns the profiles of applications.
    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    pub(super) fn controller(&self) -> &Controller {
        &self.controller
    }

    /// Renews the lease of a client that made a call. Returns false if another controller keeps the lease so far, or if
    /// the client does not exist or is being removed.
    fn renew_by_call(&mut self, client: ClientId) -> bool {
        if self.leases.has(client) {
            self.renew(client);
        }
        self.leases.has(client) && self.state.clients.contains_key(&client)
    }

    /// Extends all leases if the core was woken late. The process or the machine was then
    /// suspended, and did not receive the calls of clients. As after a start, every live client
    /// gets a full lease.
    fn extend_after_suspension(&mut self, now: Duration) {
        let due = self.wake().filter(|due| *due + STILL.min(self.rules.lease / 8) < now);
        if let Some(due) = due {
            self.leases.renew_all(now + self.rules.lease);
            self.out.push_back(Output::Stalled { late: now - due });
        }
    }

    /// Starts a full lease now.
    fn renew(&mut self, client: ClientId) {
        self.leases.renew(client, self.now + self.rules.lease);
    }

    fn end_leases(&mut self) {
        // A removal that can't be stored is tried again at this interval.
        let again = self.now + self.rules.max_retry;
        while let Some(client) = self.leases.ended(self.now, again) {
            self.waiting.push_back(Waiting::LeaseEnded(client));
        }
    }
}
