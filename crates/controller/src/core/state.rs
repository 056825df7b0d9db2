//! [`State`]: the clients, applications and connections, as they are stored.

use super::change::{Answered, Application, Change, Client, Connection, Next};
use super::owner::Owner;
use super::reach::Reach;
use super::request::ClientId;
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};
use std::collections::{BTreeMap, BTreeSet};

/// The clients, applications and connections. [`Change`]s alone modify the state, and each can be undone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    pub(super) next: Next,
    pub(super) clients: BTreeMap<ClientId, Client>,
    pub(super) answered: BTreeMap<(ClientId, u64), Box<Answered>>,
    pub(super) applications: BTreeMap<ApplicationId, Application>,
    pub(super) connections: BTreeMap<ConnectionId, Connection>,
    pub(super) drained: BTreeSet<PortId>,
    of_client: BTreeSet<(ClientId, ApplicationId)>,
    of_application: BTreeSet<(ApplicationId, ConnectionId)>,
    /// The counts of each owner with any client.
    held: BTreeMap<Owner, Held>,
    reach: Reach,
    /// The parts of each job, by its owner, application and name.
    jobs: BTreeMap<(Owner, String, String), BTreeSet<ApplicationId>>,
}

/// The numbers of an owner's clients, and of the applications, connections and stored answers of all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) clients: u32,
    pub(crate) applications: u32,
    pub(crate) connections: u32,
    pub(crate) answers: u32,
}

impl State {
    /// Returns the state that consists of these records, in any order.
    pub fn of(records: impl IntoIterator<Item = Change>) -> Self {
        let mut state = State::default();
        // Clients come first, as the counts need the owner of each client.
        let is_client = |record: &Change| matches!(record, Change::Client(..));
        let (clients, others): (Vec<_>, Vec<_>) = records.into_iter().partition(is_client);
        for record in clients.into_iter().chain(others) {
            state.apply(record);
        }
        state
    }

    /// Sets the id of the first client, if the state is empty and was never used.
    pub fn or_first(mut self, client: u64) -> Self {
        if self == State::default() {
            self.next.client = client;
        }
        self
    }

    /// Applies a change. Returns the change that undoes it.
    pub(super) fn apply(&mut self, change: Change) -> Change {
        match change {
            Change::Next(next) => Change::Next(std::mem::replace(&mut self.next, next)),
            Change::Client(id, client) => {
                if let Some(client) = &client {
                    self.hold(client.owner.clone(), |held| held.clients += 1);
                }
                let before = put(&mut self.clients, id, client);
                if let Some(client) = &before {
                    self.hold(client.owner.clone(), |held| less(&mut held.clients));
                }
                Change::Client(id, before)
            }
            Change::Answered(id, number, answered) => {
                let is_there = answered.is_some();
                let before = put(&mut self.answered, (id, number), answered);
                match (before.is_some(), is_there) {
                    (false, true) => self.hold_with(id, |held| held.answers += 1),
                    (true, false) => self.hold_with(id, |held| less(&mut held.answers)),
                    _ => {}
                }
                Change::Answered(id, number, before)
            }
            Change::Application(id, application) => {
                let before = put(&mut self.applications, id, application.clone());
                if let Some(of) = &before {
                    self.of_client.remove(&(of.client, id));
                    self.part(of, |parts| parts.remove(&id));
                    self.hold_with(of.client, |held| less(&mut held.applications));
                }
                if let Some(of) = &application {
                    self.of_client.insert((of.client, id));
                    self.hold_with(of.client, |held| held.applications += 1);
                    self.part(of, |parts| parts.insert(id));
                }
                Change::Application(id, before)
            }
            Change::Connection(id, connection) => {
                let opened = connection.as_ref().map(|of| (of.client, of.application));
                if let Some(of) = &connection {
                    self.reach.add(self.clients.get(&of.client), &of.path);
                }
                let before = put(&mut self.connections, id, connection);
                if let Some(of) = &before {
                    self.reach.remove(self.clients.get(&of.client), &of.path);
                    self.of_application.remove(&(of.application, id));
                    self.hold_with(of.client, |held| less(&mut held.connections));
                }
                if let Some((client, application)) = opened {
                    self.of_application.insert((application, id));
                    self.hold_with(client, |held| held.connections += 1);
                }
                Change::Connection(id, before)
            }
            Change::Drained(port, drained) => {
                let was = match drained {
                    true => !self.drained.insert(port),
                    false => self.drained.remove(&port),
                };
                Change::Drained(port, was)
            }
        }
    }

    /// Updates the counts of a client's owner. A client normally exists longer than what it holds.
    fn hold_with(&mut self, client: ClientId, change: impl FnOnce(&mut Held)) {
        let owner = self.owner_of(client).cloned().unwrap_or_default();
        self.hold(owner, change);
    }

    fn hold(&mut self, owner: Owner, change: impl FnOnce(&mut Held)) {
        let mut held = self.held.remove(&owner).unwrap_or_default();
        change(&mut held);
        if held != Held::default() {
            self.held.insert(owner, held);
        }
    }

    /// Updates the parts of a job.
    fn part(
        &mut self,
        of: &Application,
        change: impl FnOnce(&mut BTreeSet<ApplicationId>) -> bool,
    ) {
        let Some(job) = &of.job else { return };
        let owner = self.owner_of(of.client).cloned().unwrap_or_default();
        let key = (owner, of.name.clone(), job.name.clone());
        let mut parts = self.jobs.remove(&key).unwrap_or_default();
        change(&mut parts);
        if !parts.is_empty() {
            self.jobs.insert(key, parts);
        }
    }

    /// Returns the id by which Saba's controller knows a job, if the owner of this client has it.
    pub(super) fn whole(&self, client: ClientId, name: &str, job: &str) -> Option<ApplicationId> {
        let owner = self.owner_of(client)?.clone();
        let parts = self.jobs.get(&(owner, name.to_owned(), job.to_owned()))?;
        self.applications.get(parts.first()?)?.job.as_ref().map(|job| job.whole)
    }

    /// Returns the owner of a client.
    pub(crate) fn owner_of(&self, client: ClientId) -> Option<&Owner> {
        self.clients.get(&client).map(|client| &client.owner)
    }

    /// Returns the counts of an owner.
    pub(crate) fn held_by(&self, owner: &Owner) -> Held {
        self.held.get(owner).copied().unwrap_or_default()
    }

    /// Returns the counts of this client's owner.
    pub(super) fn held_with(&self, client: ClientId) -> Held {
        self.owner_of(client).map_or_else(Held::default, |owner| self.held_by(owner))
    }

    /// Iterates over all records.
    pub fn records(&self) -> impl Iterator<Item = Change> + '_ {
        let clients = self.clients.iter().map(|(&id, of)| Change::Client(id, Some(of.clone())));
        let answered =
            self.answered.iter().map(|(of, a)| Change::Answered(of.0, of.1, Some(a.clone())));
        let applications =
            self.applications.iter().map(|(&id, of)| Change::Application(id, Some(of.clone())));
        let connections =
            self.connections.iter().map(|(&id, of)| Change::Connection(id, Some(of.clone())));
        let drained = self.drained.iter().map(|&port| Change::Drained(port, true));
        std::iter::once(Change::Next(self.next))
            .chain(clients)
            .chain(answered)
            .chain(applications)
            .chain(connections)
            .chain(drained)
    }

    /// Returns the changes that lead to another state. Additions precede removals, and owners
    /// precede the items that they own.
    pub(super) fn until(&self, other: &State) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        if self.next != other.next {
            changes.push(Change::Next(other.next));
        }
        begins(&mut changes, &self.clients, &other.clients, Change::Client);
        begins(&mut changes, &self.applications, &other.applications, Change::Application);
        begins(&mut changes, &self.connections, &other.connections, Change::Connection);
        let answered = |(client, number): (ClientId, u64), of| Change::Answered(client, number, of);
        begins(&mut changes, &self.answered, &other.answered, answered);
        changes
            .extend(other.drained.difference(&self.drained).map(|&of| Change::Drained(of, true)));
        changes
            .extend(self.drained.difference(&other.drained).map(|&of| Change::Drained(of, false)));
        ends(&mut changes, &self.answered, &other.answered, answered);
        ends(&mut changes, &self.connections, &other.connections, Change::Connection);
        ends(&mut changes, &self.applications, &other.applications, Change::Application);
        ends(&mut changes, &self.clients, &other.clients, Change::Client);
        changes
    }

    /// Iterates over the applications of a client.
    pub fn applications_of(&self, client: ClientId) -> impl Iterator<Item = ApplicationId> + '_ {
        let (first, last) = (ApplicationId(0), ApplicationId(u64::MAX));
        self.of_client.range((client, first)..=(client, last)).map(|of| of.1)
    }

    /// Iterates over the connections of an application.
    pub fn connections_of(
        &self,
        application: ApplicationId,
    ) -> impl Iterator<Item = ConnectionId> + '_ {
        let (first, last) = (ConnectionId(0), ConnectionId(u64::MAX));
        self.of_application.range((application, first)..=(application, last)).map(|of| of.1)
    }

    /// Returns the ports on the paths of an owner's connections.
    pub(crate) fn ports_of(&self, owner: &Owner) -> BTreeSet<PortId> {
        self.reach.of(owner).collect()
    }

    /// Iterates over the numbers of a client's requests with stored answers.
    pub(super) fn answered_of(&self, client: ClientId) -> impl Iterator<Item = u64> + '_ {
        self.answered.range((client, 0)..=(client, u64::MAX)).map(|of| of.0.1)
    }

    /// Returns the next free ids of an application and a connection.
    pub(super) fn ids_to_come(&self) -> (u64, u64) {
        (self.next.application, self.next.connection)
    }

    /// Iterates over all clients.
    pub fn clients(&self) -> impl ExactSizeIterator<Item = ClientId> + '_ {
        self.clients.keys().copied()
    }

    /// Iterates over all applications, by id.
    pub fn applications(
        &self,
    ) -> impl ExactSizeIterator<Item = (ApplicationId, &Application)> + '_ {
        self.applications.iter().map(|(&id, of)| (id, of))
    }

    /// Iterates over the connections from this one on, by id.
    pub fn connections_from(
        &self,
        first: ConnectionId,
    ) -> impl Iterator<Item = (ConnectionId, &Connection)> + '_ {
        self.connections.range(first..).map(|(&id, of)| (id, of))
    }

    /// Iterates over all connections, by id.
    pub fn connections(&self) -> impl ExactSizeIterator<Item = (ConnectionId, &Connection)> + '_ {
        self.connections.iter().map(|(&id, of)| (id, of))
    }
}

/// Adds changes for entries of `after` that `before` lacks or has with another value.
fn begins<K: Ord + Copy, V: PartialEq + Clone>(
    changes: &mut Vec<Change>,
    before: &BTreeMap<K, V>,
    after: &BTreeMap<K, V>,
    change: impl Fn(K, Option<V>) -> Change,
) {
    let others = after.iter().filter(|of| before.get(of.0) != Some(of.1));
    changes.extend(others.map(|(&id, of)| change(id, Some(of.clone()))));
}

/// Adds changes for entries of `before` that `after` lacks.
fn ends<K: Ord + Copy, V>(
    changes: &mut Vec<Change>,
    before: &BTreeMap<K, V>,
    after: &BTreeMap<K, V>,
    change: impl Fn(K, Option<V>) -> Change,
) {
    let gone = before.keys().filter(|id| !after.contains_key(id));
    changes.extend(gone.map(|&id| change(id, None)));
}

/// Counts one item less. After a manual edit of the store, a removed item may not have been counted.
fn less(count: &mut u32) {
    *count = count.saturating_sub(1);
}

fn put<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: Option<V>) -> Option<V> {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    }
}
