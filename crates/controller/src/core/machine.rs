//! [`Core`]: inputs in, outputs out.

mod discovery;
mod history;
mod holding;
mod jobs;
mod moment;
mod requests;
mod told;

pub use moment::Moment;
pub use told::Unfit;

use super::discovery::DiscoverySchedule;
use super::group::{Group, Holding};
use super::input::{End, Input};
use super::leases::Leases;
use super::output::Output;
use super::port::PortState;
use super::ports::Ports;
use super::profiles::Profiles;
use super::request::{Answer, ClientId};
use super::rules::Rules;
use super::state::State;
use bandwise_saba::controller::{ConnectionId, Controller, Levels, PortId, Settings};
use jobs::Jobs;
use requests::{Waiting, Writing};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// How much later than it is due something may be heard: a busy machine is no machine that was stopped.
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
    /// Requests that came while a write was under way.
    waiting: VecDeque<Waiting>,
    writing: Option<Writing>,
    /// The number of the last write.
    writes: u64,
    /// What the store has come to, where others write to it too.
    revision: u64,
    leases: Leases,
    holding: Holding,
    /// Groups that it no longer has, and that may have orders under way.
    leaving: BTreeSet<Group>,
    discovery: DiscoverySchedule,
    jobs: Jobs,
    /// Connections that have moved, by what the controller of Saba knows them by now.
    moved: BTreeMap<ConnectionId, ConnectionId>,
    /// How many have, ever.
    moves: u64,
    out: VecDeque<Output>,
}

impl Core {
    /// A core that is alone and begins with what was stored. Every client has a whole lease from now on; of ports it knows
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
        self.stood_still(now);
        self.now = self.now.max(now);
        // Also where it was stopped for long, and hears now what came before that.
        self.end_holding();
        let input = self.own(input).unwrap_or_else(|answer| {
            self.out.push_back(answer);
            Input::Tick
        });
        match input {
            Input::Hello { ticket, owner } => self.wait(ticket, Waiting::Hello(ticket, owner)),
            Input::Request { ticket, request, path, .. } => {
                self.hears(request.client);
                self.wait(ticket, Waiting::Request(ticket, request, path));
            }
            Input::Renew { ticket, client, .. } => {
                match self.hears(client) && self.holding.home().is_some() {
                    true => self.answer(vec![(ticket, Ok(Answer::Done))]),
                    false => self.wait(ticket, Waiting::Renew(ticket, client)),
                }
            }
            Input::Goodbye { ticket, client, .. } => {
                self.wait(ticket, Waiting::Goodbye(ticket, client))
            }
            Input::Drain { ticket, ports, drained } => self.drain(ticket, ports, drained),
            Input::Stored { write, error, revision } => self.stored(write, error, revision),
            Input::Learned { revision, changes } => self.learned(revision, changes),
            Input::Known { revision, write, records } => self.known(revision, write, records),
            Input::Held { groups, until } => self.hold(groups, Some(until)),
            Input::Discovered { ports, routes } => self.discovered(ports, routes),
            Input::DiscoveryFailed { error: _ } => self.discovery.ended(self.now, &self.rules),
            Input::Ended { order, end } => {
                if matches!(end, End::Failed { .. }) {
                    self.discovery.wanted(self.now);
                }
                self.ports.ended(order, end, (self.now, &self.rules), &mut self.out);
            }
            Input::Leave => self.ports.leave((self.now, &self.rules)),
            Input::Tick => {}
        }
        self.end_leases();
        self.write();
        self.release();
        self.ports.advance(self.now, &self.rules, &mut self.out);
        self.discovery.advance(self.now, &mut self.out);
    }

    /// What is to be done next, in this order.
    pub fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// When there is something to do if nothing is heard until then.
    pub fn wake(&self) -> Option<Duration> {
        let survey = self.discovery.wake();
        let ends = self.holding.until;
        self.leases.next().into_iter().chain(self.ports.wake()).chain(survey).chain(ends).min()
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
    fn hears(&mut self, client: ClientId) -> bool {
        if self.leases.has(client) {
            self.renew(client);
            return true;
        }
        let is_one = self.state.clients.contains_key(&client);
        if is_one && self.holding.home().is_some() {
            self.waiting.push_back(Waiting::Adopt(client));
        }
        is_one
    }

    /// Where it was not woken when there was something to do, the process was stopped, or the machine, and nobody could be
    /// heard meanwhile: who lives has a whole lease again, as after a start. What they have said since is heard only now.
    fn stood_still(&mut self, now: Duration) {
        let due = self.wake().filter(|due| *due + STILL.min(self.rules.lease / 8) < now);
        if let Some(due) = due {
            self.leases.renew_all(now + self.rules.lease);
            self.out.push_back(Output::StoodStill { late: now - due });
        }
    }

    /// A lease begins now.
    fn renew(&mut self, client: ClientId) {
        self.leases.renew(client, self.now + self.rules.lease);
    }

    fn end_leases(&mut self) {
        // If it can't be stored, it is tried again as often.
        let again = self.now + self.rules.longest_retry;
        while let Some(client) = self.leases.ended(self.now, again) {
            self.waiting.push_back(Waiting::LeaseEnded(client));
        }
    }
}
