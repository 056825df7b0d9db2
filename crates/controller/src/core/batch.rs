//! [`Batch`]: requests that are stored together; which are taken.

mod request;

use super::change::{Change, Client, Connection, Next};
use super::group::Group;
use super::input::Ticket;
use super::owner::Owner;
use super::request::{Answer, ClientId, Limited, Refusal};
use super::rules::Rules;
use super::state::State;
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};

/// Requests that are stored together. The state has their changes at once, so that each sees those before it;
/// nothing else does until they are stored.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// How many changes the store takes at once.
    most: usize,
    pub(super) changes: Vec<Change>,
    /// What takes the changes back, in the same order.
    pub(super) undo: Vec<Change>,
    pub(super) answers: Vec<(Ticket, Result<Answer, Refusal>)>,
    /// Clients whose leases have ended.
    pub(super) dropped: Vec<ClientId>,
    /// How many connections take another way.
    pub(super) moved: u32,
}

/// The most changes that a request makes but for those that can be put off.
const REQUEST: usize = 8;

impl Batch {
    /// For a store that takes so many changes at once.
    pub(super) fn new(rules: &Rules) -> Self {
        let most = rules.at_once.map_or(usize::MAX, |most| most as usize);
        let (changes, undo) = (Vec::new(), Vec::new());
        Batch { most, changes, undo, answers: Vec::new(), dropped: Vec::new(), moved: 0 }
    }

    fn room(&self) -> usize {
        self.most.saturating_sub(self.changes.len())
    }

    /// Whether what waits is for the next.
    pub(super) fn is_full(&self) -> bool {
        self.room() < 2 * REQUEST
    }

    pub(super) fn put(&mut self, state: &mut State, change: Change) {
        self.undo.push(state.apply(change.clone()));
        self.changes.push(change);
    }

    /// The state as it was before.
    pub(super) fn take_back(&mut self, state: &mut State) {
        for change in self.undo.drain(..).rev() {
            state.apply(change);
        }
    }

    pub(super) fn hello(
        &mut self,
        state: &mut State,
        rules: &Rules,
        (owner, home): (Owner, Group),
    ) -> Result<Answer, Refusal> {
        within(state.clients.len(), rules.limits.clients, Limited::Clients)?;
        let client = ClientId(state.next.client);
        self.put(state, Change::Next(Next { client: client.0 + 1, ..state.next }));
        self.put(
            state,
            Change::Client(client, Some(Client { acknowledged_below: 0, owner, home })),
        );
        Ok(Answer::Welcome { client, lease_ms: rules.lease.as_millis() as u64 })
    }

    /// A client and all that it had are gone; whether that is all done.
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

    /// Connections of an application are closed; whether all are.
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

    /// A client is heard elsewhere than before.
    pub(super) fn adopt(&mut self, state: &mut State, client: ClientId, home: Group) {
        if let Some(known) = state.clients.get(&client).filter(|known| known.home != home) {
            let adopted = Client { home, ..known.clone() };
            self.put(state, Change::Client(client, Some(adopted)));
        }
    }

    /// A connection takes another way, if it is there still and does not take it already.
    pub(super) fn moves(&mut self, state: &mut State, id: ConnectionId, path: Box<[PortId]>) {
        if let Some(known) = state.connections.get(&id).filter(|known| known.path != path) {
            let moved = Connection { path, ..known.clone() };
            self.put(state, Change::Connection(id, Some(moved)));
            self.moved += 1;
        }
    }

    /// Ports are to be as found, or not; whether that is all done.
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

/// Refuses one more than there may be.
fn within(there: usize, most: u32, of: Limited) -> Result<(), Refusal> {
    if there < most as usize { Ok(()) } else { Err(Refusal::TooMany { most, of }) }
}
