//! [`Batch`]: requests that are stored together.

mod request;

use super::change::{Change, Client, Connection, Next};
use super::group::Group;
use super::owner::Owner;
use super::request::{Answer, ClientId, Limited, Refusal, Ticket};
use super::rules::Rules;
use super::state::State;
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};

/// Requests that are stored together. Their changes are in the state at once, so each request is
/// decided with the changes of those before it. They have no other effect until they are stored.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// The number of changes that the store takes at once.
    most: usize,
    pub(super) changes: Vec<Change>,
    /// The changes that undo `changes`, in the same order.
    pub(super) undo: Vec<Change>,
    pub(super) answers: Vec<(Ticket, Result<Answer, Refusal>)>,
    /// Clients with an expired lease.
    pub(super) dropped: Vec<ClientId>,
    /// The number of connections that change their path.
    pub(super) moved: u32,
}

/// The largest number of changes of one request, apart from those that can be deferred.
const REQUEST: usize = 8;

impl Batch {
    /// Returns an empty batch for a store with the limits of `rules`.
    pub(super) fn new(rules: &Rules) -> Self {
        let most = rules.max_changes.map_or(usize::MAX, |most| most as usize);
        let (changes, undo) = (Vec::new(), Vec::new());
        Batch { most, changes, undo, answers: Vec::new(), dropped: Vec::new(), moved: 0 }
    }

    fn room(&self) -> usize {
        self.most.saturating_sub(self.changes.len())
    }

    /// Returns whether waiting requests have to go into the next batch.
    pub(super) fn is_full(&self) -> bool {
        self.room() < 2 * REQUEST
    }

    pub(super) fn put(&mut self, state: &mut State, change: Change) {
        self.undo.push(state.apply(change.clone()));
        self.changes.push(change);
    }

    /// Restores the state from before the batch.
    pub(super) fn take_back(&mut self, state: &mut State) {
        for change in self.undo.drain(..).rev() {
            state.apply(change);
        }
    }

    pub(super) fn hello(
        &mut self,
        state: &mut State,
        rules: &Rules,
        owner: Owner,
        home: Group,
    ) -> Result<Answer, Refusal> {
        within(state.held_by(&owner).clients, rules.limits.clients, Limited::Clients)?;
        let client = ClientId(state.next.client);
        self.put(state, Change::Next(Next { client: client.0 + 1, ..state.next }));
        self.put(
            state,
            Change::Client(client, Some(Client { acknowledged_below: 0, owner, home })),
        );
        Ok(Answer::Welcome { client, lease_ms: rules.lease.as_millis() as u64 })
    }

    /// Removes a client with its applications and connections. Returns whether all of them fitted
    /// into the batch.
    pub(super) fn leave(&mut self, state: &mut State, client: ClientId) -> bool {
        let applications: Vec<ApplicationId> = state.applications_of(client).collect();
        for application in applications {
            if !self.close_all(state, application) {
                return false;
            }
            self.put(state, Change::Application(application, None));
        }
        let answered: Vec<u64> = state.answered_of(client).collect();
        for number in answered {
            if self.room() < REQUEST {
                return false;
            }
            self.put(state, Change::Answered(client, number, None));
        }
        self.put(state, Change::Client(client, None));
        true
    }

    /// Closes the connections of an application. Returns whether all of them fitted into the batch.
    fn close_all(&mut self, state: &mut State, application: ApplicationId) -> bool {
        let connections: Vec<ConnectionId> = state.connections_of(application).collect();
        for connection in connections {
            if self.room() < REQUEST {
                return false;
            }
            self.put(state, Change::Connection(connection, None));
        }
        self.room() >= REQUEST
    }

    /// Assigns a client to the group that received its last call.
    pub(super) fn adopt(&mut self, state: &mut State, client: ClientId, home: Group) {
        if let Some(known) = state.clients.get(&client).filter(|known| known.home != home) {
            let adopted = Client { home, ..known.clone() };
            self.put(state, Change::Client(client, Some(adopted)));
        }
    }

    /// Changes the path of a connection, if the connection is open and has another path.
    pub(super) fn moves(&mut self, state: &mut State, id: ConnectionId, path: Box<[PortId]>) {
        if let Some(known) = state.connections.get(&id).filter(|known| known.path != path) {
            let moved = Connection { path, ..known.clone() };
            self.put(state, Change::Connection(id, Some(moved)));
            self.moved += 1;
        }
    }

    /// Marks ports as drained or not drained. Returns whether all of them fitted into the batch.
    pub(super) fn drain(&mut self, state: &mut State, ports: &[PortId], drained: bool) -> bool {
        for &port in ports {
            if self.room() < REQUEST {
                return false;
            }
            if state.drained.contains(&port) != drained {
                self.put(state, Change::Drained(port, drained));
            }
        }
        true
    }
}

/// Refuses one more item if the limit is reached.
fn within(there: u32, most: u32, of: Limited) -> Result<(), Refusal> {
    if there < most { Ok(()) } else { Err(Refusal::TooMany { most, of }) }
}
