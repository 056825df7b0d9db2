//! [`Checker`]: what controllers promise, and the first broken promise.
//!
//! - An answered application or connection is there until the client ends it, and nothing else is.
//! - A client that made an answered call within its lease is known.
//! - Each port has the weights that a single controller gives it for the same stored state.
//! - A controller begins to write a port only while etcd names it as the holder of the port's group, and no other
//!   controller may write it.
//! - No id comes again.
//!
//! Operators can break some promises. What is excused, and for how long, stands beside [`Checker::loses`] and
//! [`Checker::woke`].

use super::super::world::{PORTS, lowest};
use super::client::Client;
use super::etcd::Etcd;
use super::process::{LEASE, NAMES, Process, Table, discovered, group_of, rules};
use super::switch::Switch;
use bandwise_controller::core::{Answer, Change, ClientId, Group, Next, Refusal, State};
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The number of ids that a controller skips when etcd has lost some.
const SKIPPED: u64 = 1 << 24;

/// The promises, and what is excused.
#[derive(Default)]
pub(super) struct Checker {
    wrong: Option<String>,
    clients: BTreeSet<ClientId>,
    applications: BTreeSet<ApplicationId>,
    connections: BTreeSet<ConnectionId>,
    /// The last time at which etcd lost something.
    lost: Option<Duration>,
    /// Smaller ids may be missing, since etcd lost them.
    lost_below: Next,
    /// Ended applications and connections that are back with an old copy of etcd.
    back: (BTreeSet<ApplicationId>, BTreeSet<ConnectionId>),
    /// Requests with smaller numbers were answered before an old copy of etcd took its place. Copies of them that arrive
    /// late have an effect again.
    answered_below: BTreeMap<ClientId, u64>,
    /// The ids that etcd has to learn again after a loss.
    unlearned: Option<Next>,
    /// True if nobody remembers the ids that etcd lost.
    pub(super) ids_are_lost: bool,
    /// The end of the time in which two controllers may write a port.
    two_writers: Duration,
    /// The time before which a renewed lease counts for nothing.
    woken: Duration,
}

impl Checker {
    /// Returns the first mistake.
    pub(super) fn wrong(&mut self) -> Option<String> {
        self.wrong.take()
    }

    pub(super) fn fails(&mut self, why: impl FnOnce() -> String) {
        self.wrong.get_or_insert_with(why);
    }

    /// Handles an answer that no client expects. Clients with the same id get each other's answers.
    pub(super) fn odd(&mut self, why: impl FnOnce() -> String) {
        if !self.ids_are_lost {
            self.fails(why);
        }
    }

    /// Handles the loss of etcd's content. Until a lease has passed, etcd may name another holder of a group than its
    /// writer. Ids are remembered only if a controller that was there has stored them again before another one starts, and
    /// if all know those after an earlier loss.
    pub(super) fn loses(&mut self, now: Duration, etcd: &Etcd, processes: &[Option<Process>]) {
        let next = next_of(&etcd.state());
        let knows = |of: &Process| {
            let known = next_of(of.core.state());
            next.client < known.client + SKIPPED
                && next.application < known.application + SKIPPED
                && next.connection < known.connection + SKIPPED
        };
        self.ids_are_lost |= self.unlearned.is_some()
            || processes.iter().all(Option::is_none)
            || !processes.iter().flatten().all(knows);
        self.unlearned = Some(next);
        self.lost = Some(now);
        self.lost_below = Next {
            client: self.lost_below.client.max(next.client),
            application: self.lost_below.application.max(next.application),
            connection: self.lost_below.connection.max(next.connection),
        };
    }

    /// Handles a copy of etcd in its place. A controller that does not know the last ids may know nothing later than the
    /// copy, and then notices no loss.
    pub(super) fn restored(
        &mut self,
        etcd: &Etcd,
        processes: &[Option<Process>],
        clients: &[Client],
    ) {
        let state = etcd.state();
        let lags = |of: &Process| self.unlearned != Some(next_of(of.core.state()));
        self.ids_are_lost |= processes.iter().flatten().any(lags);
        self.back.0.extend(state.applications().map(|of| of.0));
        self.back.1.extend(state.connections().map(|of| of.0));
        self.answered_below = clients.iter().filter_map(Client::answered_below).collect();
    }

    /// Handles the wake-up of a machine whose clock stood still. Its controller can't know that its lease is over.
    pub(super) fn woke(&mut self, now: Duration) {
        (self.two_writers, self.woken) = (self.two_writers.max(now + LEASE), now + LEASE);
    }

    /// Handles a change of etcd.
    pub(super) fn stored(&mut self, etcd: &Etcd) {
        for (client, below) in &self.answered_below {
            for answer in etcd.answers(*client, *below) {
                match answer {
                    Answer::Registered { application, .. } => drop(self.back.0.insert(application)),
                    Answer::Connected { connection, .. } => drop(self.back.1.insert(connection)),
                    _ => {}
                }
            }
        }
        if let Some(unlearned) = self.unlearned {
            let next = next_of(&etcd.state());
            if next.client >= unlearned.client
                && next.application >= unlearned.application
                && next.connection >= unlearned.connection
            {
                self.unlearned = None;
            }
        }
    }

    /// Handles the start of a controller, which can't know that etcd has lost something.
    pub(super) fn started(&mut self) {
        self.ids_are_lost |= self.unlearned.is_some();
        if let Some(lost) = self.lost {
            self.two_writers = self.two_writers.max(lost + LEASE);
        }
    }

    /// Handles the begin of a write to a port, which some other controllers may write too.
    pub(super) fn writes(
        &mut self,
        now: Duration,
        (at, port): (usize, PortId),
        etcd: &Etcd,
        others: &[usize],
    ) {
        if now <= self.two_writers {
            return;
        }
        let holder = etcd.holder(&group_of(port.0));
        let is_holder = holder.as_ref().is_some_and(|of| of.instance == Group::from(NAMES[at]));
        if !is_holder && self.lost.is_none_or(|lost| now > lost + LEASE) {
            self.fails(|| format!("{} writes {port:?}, which {holder:?} holds", NAMES[at]));
        }
        if !others.is_empty() {
            self.fails(|| format!("{} writes {port:?}, and so may {others:?}", NAMES[at]));
        }
    }

    /// Handles a controller that holds groups although it can't know what others do.
    pub(super) fn goes_on(&mut self, now: Duration, at: usize) {
        if now > self.two_writers {
            self.fails(|| format!("{} goes on with an unreadable etcd", NAMES[at]));
        }
    }

    /// Handles an answer before the client does.
    pub(super) fn received(
        &mut self,
        now: Duration,
        client: &Client,
        answer: &Result<Answer, Refusal>,
    ) {
        let is_new = match answer {
            Ok(Answer::Welcome { client, .. }) => self.clients.insert(*client),
            Ok(Answer::Registered { application, .. }) => self.applications.insert(*application),
            Ok(Answer::Connected { connection, .. }) => self.connections.insert(*connection),
            _ => true,
        };
        if !is_new && !self.ids_are_lost {
            self.fails(|| format!("an id comes again: {answer:?}"));
        }
        let is_excused = self.lost.is_some_and(|lost| client.since <= lost)
            || client.last_answered <= self.woken
            || self.ids_are_lost;
        if let Err(Refusal::NoSuchClient(id)) = answer
            && now < client.last_answered + rules().lease
            && !is_excused
        {
            let last = client.last_answered;
            self.fails(|| format!("{id:?} is not known, and was answered a call of {last:?}"));
        }
    }

    /// Handles the refusal of something that was answered before.
    pub(super) fn missing(
        &mut self,
        application: Option<ApplicationId>,
        connection: Option<ConnectionId>,
    ) {
        let is_lost = application.is_none_or(|of| of.0 < self.lost_below.application)
            && connection.is_none_or(|of| of.0 < self.lost_below.connection);
        if !is_lost {
            self.odd(|| format!("{application:?} {connection:?} is not there"));
        }
    }

    /// Checks everything at the end.
    pub(super) fn end(
        &self,
        etcd: &Etcd,
        processes: &[Option<Process>],
        clients: &[Client],
        switch: &Switch,
        table: &Table,
    ) -> Result<(), String> {
        let state = etcd.state();
        for (at, of) in processes.iter().enumerate() {
            let of = of.as_ref().ok_or(format!("{} does not run", NAMES[at]))?;
            if of.core.state() != &state {
                let (known, stored) = (differences(of.core.state(), &state), NAMES[at]);
                return Err(format!("{stored} knows another state than etcd: {known}"));
            }
            let own = Group::from(NAMES[at]);
            if !of.core.held().eq([&own]) {
                return Err(format!(
                    "{} holds {:?}",
                    NAMES[at],
                    of.core.held().collect::<Vec<_>>()
                ));
            }
        }
        self.end_of_clients(&state, clients)?;
        end_of_ports(state, switch, table)
    }

    fn end_of_clients(&self, state: &State, clients: &[Client]) -> Result<(), String> {
        let live: BTreeSet<ClientId> =
            clients.iter().filter(|of| !of.is_silent).filter_map(|of| of.id).collect();
        let known: BTreeSet<ClientId> = state.clients().collect();
        if known != live {
            return Err(format!("clients {live:?} live, but {known:?} are known"));
        }
        if self.ids_are_lost {
            return Ok(());
        }
        for client in clients.iter().filter(|of| !of.is_silent) {
            let Some(id) = client.id else { continue };
            let known: BTreeMap<ApplicationId, BTreeSet<ConnectionId>> = state
                .applications_of(id)
                .map(|of| (of, state.connections_of(of).collect()))
                .collect();
            let connections = |of: &BTreeMap<_, BTreeSet<ConnectionId>>| -> BTreeSet<ConnectionId> {
                of.values().flatten().copied().collect()
            };
            let applications = |of: &BTreeMap<ApplicationId, BTreeSet<ConnectionId>>| {
                of.keys().copied().collect::<BTreeSet<ApplicationId>>()
            };
            let lacks: Vec<String> = applications(&client.there)
                .difference(&applications(&known))
                .filter(|of| of.0 >= self.lost_below.application)
                .map(|of| format!("{of:?}"))
                .chain(
                    connections(&client.there)
                        .difference(&connections(&known))
                        .filter(|of| of.0 >= self.lost_below.connection)
                        .map(|of| format!("{of:?}")),
                )
                .collect();
            let ghosts: Vec<String> = applications(&known)
                .difference(&applications(&client.there))
                .filter(|of| !self.back.0.contains(of))
                .map(|of| format!("{of:?}"))
                .chain(
                    connections(&known)
                        .difference(&connections(&client.there))
                        .filter(|of| !self.back.1.contains(of))
                        .map(|of| format!("{of:?}")),
                )
                .collect();
            if !lacks.is_empty() || !ghosts.is_empty() {
                return Err(format!("of {id:?}, {lacks:?} are missing, and {ghosts:?} are ghosts"));
            }
        }
        Ok(())
    }
}

/// Compares ports with those of a single controller without faults.
fn end_of_ports(state: State, switch: &Switch, table: &Table) -> Result<(), String> {
    let mut alone = table.core(state);
    alone.handle(Duration::ZERO, discovered(|_| Group::default()));
    for port in (0..PORTS).map(PortId) {
        let wanted = lowest(&alone.port(port).unwrap().wanted);
        let found = &switch.ports[&port];
        if *found != wanted {
            return Err(format!("{port:?} has {found:?} instead of {wanted:?}"));
        }
    }
    Ok(())
}

pub(super) fn next_of(state: &State) -> Next {
    let next = state.records().find_map(|of| match of {
        Change::Next(next) => Some(next),
        _ => None,
    });
    next.unwrap_or_default()
}

fn differences(one: &State, other: &State) -> String {
    let (one, other): (Vec<Change>, Vec<Change>) =
        (one.records().collect(), other.records().collect());
    let more: Vec<&Change> = one.iter().filter(|of| !other.contains(of)).collect();
    let less: Vec<&Change> = other.iter().filter(|of| !one.contains(of)).collect();
    format!("more {more:?}, less {less:?}")
}
