//! [`Batch`]: requests that are stored together; which are taken.

use super::change::{Answered, Application, Change, Client, Connection, Job, Next};
use super::input::Ticket;
use super::owner::Owner;
use super::profiles::Profiles;
use super::request::{Answer, Asked, ClientId, Limited, Refusal, Request};
use super::rules::Rules;
use super::state::State;
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};

/// Requests that are stored together. The state has their changes at once, so that each sees those before it;
/// nothing else does until they are stored.
#[derive(Debug, Clone, Default)]
pub(super) struct Batch {
    pub(super) changes: Vec<Change>,
    /// What takes the changes back, in the same order.
    undo: Vec<Change>,
    pub(super) answers: Vec<(Ticket, Result<Answer, Refusal>)>,
    /// Clients whose leases have ended.
    pub(super) dropped: Vec<ClientId>,
    /// How many connections take another way.
    pub(super) moved: u32,
}

/// The longest name of an application or a host, and the longest amount of data, in bytes.
const LONGEST: usize = 256;

impl Batch {
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

    /// The paths of connections that end.
    pub(super) fn closed_paths(&self) -> impl Iterator<Item = &[PortId]> {
        self.undo.iter().filter_map(|change| match change {
            Change::Connection(_, Some(before)) => Some(&*before.path),
            _ => None,
        })
    }

    pub(super) fn hello(
        &mut self,
        state: &mut State,
        rules: &Rules,
        owner: Owner,
    ) -> Result<Answer, Refusal> {
        within(state.clients.len(), rules.limits.clients, Limited::Clients)?;
        let client = ClientId(state.next.client);
        self.put(state, Change::Next(Next { client: client.0 + 1, ..state.next }));
        self.put(state, Change::Client(client, Some(Client { heard_below: 0, owner })));
        Ok(Answer::Welcome { client, lease_ms: rules.lease.as_millis() as u64 })
    }

    /// A client and all that it had are gone.
    pub(super) fn leave(&mut self, state: &mut State, client: ClientId) {
        let applications: Vec<ApplicationId> = state.applications_of(client).collect();
        for application in applications {
            self.deregister(state, application);
        }
        let answered: Vec<u64> = state.answered_of(client).collect();
        for number in answered {
            self.put(state, Change::Answered(client, number, None));
        }
        self.put(state, Change::Client(client, None));
    }

    /// A connection takes another way, if it is there still.
    pub(super) fn moves(&mut self, state: &mut State, id: ConnectionId, path: Box<[PortId]>) {
        if let Some(known) = state.connections.get(&id) {
            let moved = Connection { path, ..known.clone() };
            self.put(state, Change::Connection(id, Some(moved)));
            self.moved += 1;
        }
    }

    pub(super) fn drain(&mut self, state: &mut State, ports: &[PortId], drained: bool) {
        for &port in ports {
            if state.drained.contains(&port) != drained {
                self.put(state, Change::Drained(port, drained));
            }
        }
    }

    /// What a client is answered. What it is told once it is told again, refusals too: only that it is not known,
    /// that it has used the number otherwise, or that there is no room to keep the answer is not kept.
    pub(super) fn ask(
        &mut self,
        state: &mut State,
        (profiles, rules): (&Profiles, &Rules),
        asked: Asked,
        path: Result<Vec<PortId>, String>,
    ) -> Result<Answer, Refusal> {
        let Asked { client, number, heard_below, request } = asked;
        let Client { heard_below: known, owner } =
            state.clients.get(&client).cloned().ok_or(Refusal::NoSuchClient(client))?;
        let heard_below = known.max(heard_below);
        if number < heard_below {
            return Err(Refusal::Heard { number, heard_below });
        }
        fits(&request)?;
        if heard_below > known {
            self.put(state, Change::Client(client, Some(Client { heard_below, owner })));
            let heard = |number: &u64| *number < heard_below;
            let heard: Vec<u64> = state.answered_of(client).take_while(heard).collect();
            for number in heard {
                self.put(state, Change::Answered(client, number, None));
            }
        }
        if let Some(before) = state.answered.get(&(client, number)) {
            return match before.request == request {
                true => before.answer.clone(),
                false => Err(Refusal::OtherRequest(number)),
            };
        }
        within(state.answered_of(client).count(), rules.limits.unheard, Limited::Unheard)?;
        let answer = self.decide(state, (profiles, rules), client, &request, path);
        let answered = Answered { request, answer: answer.clone() };
        self.put(state, Change::Answered(client, number, Some(Box::new(answered))));
        answer
    }

    fn decide(
        &mut self,
        state: &mut State,
        (profiles, rules): (&Profiles, &Rules),
        client: ClientId,
        request: &Request,
        path: Result<Vec<PortId>, String>,
    ) -> Result<Answer, Refusal> {
        match request {
            Request::Register { name, nodes, dataset, job } => {
                let (most, of) = (rules.limits.applications, Limited::Applications);
                within(state.held_with(client).applications as usize, most, of)?;
                let (level, doubts) = profiles.registered(name, *nodes, dataset.as_deref())?;
                let application = ApplicationId(state.next.application);
                let next = Next { application: application.0 + 1, ..state.next };
                self.put(state, Change::Next(next));
                let job = job.as_ref().map(|job| Job {
                    name: job.clone(),
                    whole: state.whole(client, name, job).unwrap_or(application),
                });
                let registered = Application { client, name: name.clone(), level, job };
                self.put(state, Change::Application(application, Some(registered)));
                Ok(Answer::Registered { application, level, doubts })
            }
            Request::Deregister { application } => {
                own(state, client, *application)?;
                self.deregister(state, *application);
                Ok(Answer::Done)
            }
            Request::Connect { application, from, to } => {
                let level = own(state, client, *application)?.level;
                let (most, of) = (rules.limits.connections, Limited::Connections);
                within(state.held_with(client).connections as usize, most, of)?;
                let path = path.map_err(Refusal::NoPath)?.into();
                let connection = ConnectionId(state.next.connection);
                let next = Next { connection: connection.0 + 1, ..state.next };
                self.put(state, Change::Next(next));
                let (application, from, to) =
                    (*application, from.as_str().into(), to.as_str().into());
                let made = Connection { client, application, level, from, to, path };
                self.put(state, Change::Connection(connection, Some(made)));
                Ok(Answer::Connected { connection, level })
            }
            Request::Close { connection } => {
                let known = state.connections.get(connection);
                if known.is_none_or(|known| known.client != client) {
                    return Err(Refusal::NoSuchConnection(*connection));
                }
                self.put(state, Change::Connection(*connection, None));
                Ok(Answer::Done)
            }
        }
    }

    fn deregister(&mut self, state: &mut State, application: ApplicationId) {
        let connections: Vec<ConnectionId> = state.connections_of(application).collect();
        for connection in connections {
            self.put(state, Change::Connection(connection, None));
        }
        self.put(state, Change::Application(application, None));
    }
}

/// An application of this client. Of others' it says what it says of those that never were.
fn own(state: &State, client: ClientId, id: ApplicationId) -> Result<&Application, Refusal> {
    let known = state.applications.get(&id).filter(|known| known.client == client);
    known.ok_or(Refusal::NoSuchApplication(id))
}

/// Refuses one more than there may be.
fn within(there: usize, most: u32, of: Limited) -> Result<(), Refusal> {
    if there < most as usize { Ok(()) } else { Err(Refusal::TooMany { most, of }) }
}

/// Refuses texts that nothing is called.
fn fits<'a>(request: &'a Request) -> Result<(), Refusal> {
    let texts = match request {
        Request::Register { job: Some(job), .. } if job.is_empty() => {
            let allowed = "one with a name, or none".into();
            return Err(Refusal::BadSetting { what: "a job without a name".into(), allowed });
        }
        Request::Register { name, dataset, job, .. } => {
            let text = |text: &'a Option<String>| text.as_deref().unwrap_or("");
            [name.as_str(), text(dataset), text(job)]
        }
        Request::Connect { from, to, .. } => [from.as_str(), to.as_str(), ""],
        Request::Deregister { .. } | Request::Close { .. } => [""; 3],
    };
    match texts.iter().map(|text| text.len()).max() {
        Some(bytes) if bytes > LONGEST => Err(Refusal::BadSetting {
            what: format!("a name of {bytes} bytes"),
            allowed: format!("up to {LONGEST} bytes"),
        }),
        _ => Ok(()),
    }
}
