//! The effect of a client's request on the state, and its answer.

use super::{Batch, REQUEST, within};
use crate::core::change::{Answered, Application, Change, Client, Connection, Job, Next};
use crate::core::profiles::Profiles;
use crate::core::request::{Answer, ClientId, Limited, NumberedRequest, Refusal, Request};
use crate::core::rules::Rules;
use crate::core::state::State;
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};

/// The longest name of an application or a host, and the longest dataset, in bytes.
const LONGEST: usize = 256;

impl Batch {
    /// Returns the answer to a request, or `None` if the rest of the request has to go into the next write. Answers and
    /// refusals are stored and repeated. Not stored are the refusals of an unknown client, of a number that was used
    /// for another request, and of too many stored answers.
    pub(in crate::core) fn ask(
        &mut self,
        state: &mut State,
        profiles: &Profiles,
        rules: &Rules,
        request: &NumberedRequest,
        path: &Result<Vec<PortId>, String>,
    ) -> Option<Result<Answer, Refusal>> {
        if let Err(refusal) = self.acknowledge(state, request) {
            return Some(Err(refusal));
        }
        let &NumberedRequest { client, number, ref request, .. } = request;
        if let Some(before) = state.answered.get(&(client, number)) {
            return Some(match before.request == *request {
                true => before.answer.clone(),
                false => Err(Refusal::OtherRequest(number)),
            });
        }
        if let Err(refusal) = may_be_answered(state, rules, client) {
            return Some(Err(refusal));
        }
        if let Request::Deregister { application } = request
            && own(state, client, *application).is_ok()
            && !self.close_all(state, *application)
        {
            return None;
        }
        let answer = self.decide(state, profiles, rules, client, request, path);
        let answered = Answered { request: request.clone(), answer: answer.clone() };
        self.put(state, Change::Answered(client, number, Some(Box::new(answered))));
        Some(answer)
    }

    /// Removes the answers that the client has acknowledged, up to the limit of the batch.
    fn acknowledge(&mut self, state: &mut State, request: &NumberedRequest) -> Result<(), Refusal> {
        let &NumberedRequest { client, number, acknowledged_below, .. } = request;
        let known = state.clients.get(&client).ok_or(Refusal::NoSuchClient(client))?;
        let (before, acknowledged_below) =
            (known.acknowledged_below, known.acknowledged_below.max(acknowledged_below));
        if number < acknowledged_below {
            return Err(Refusal::Acknowledged { number, acknowledged_below });
        }
        fits(&request.request)?;
        if acknowledged_below > before {
            let updated = Client { acknowledged_below, ..known.clone() };
            self.put(state, Change::Client(client, Some(updated)));
        }
        let is_acknowledged = |number: &u64| *number < acknowledged_below;
        let acknowledged = state.answered_of(client).take_while(is_acknowledged);
        let acknowledged: Vec<u64> =
            acknowledged.take(self.room().saturating_sub(REQUEST)).collect();
        for number in acknowledged {
            self.put(state, Change::Answered(client, number, None));
        }
        Ok(())
    }

    fn decide(
        &mut self,
        state: &mut State,
        profiles: &Profiles,
        rules: &Rules,
        client: ClientId,
        request: &Request,
        path: &Result<Vec<PortId>, String>,
    ) -> Result<Answer, Refusal> {
        match request {
            Request::Register { name, nodes, dataset, job } => {
                let (most, of) = (rules.limits.applications, Limited::Applications);
                within(state.held_with(client).applications, most, of)?;
                let (level, doubts) = profiles.registered(name, *nodes, dataset.as_deref())?;
                let application = ApplicationId(state.next.application);
                let next = Next { application: application.0 + 1, ..state.next };
                self.put(state, Change::Next(next));
                let job = job.as_ref().map(|job| Job {
                    name: job.clone(),
                    whole: state.whole(client, name, job).unwrap_or(application),
                });
                let (name, said) = (name.clone(), doubts.clone());
                let registered = Application { client, name, level, job, doubts: said };
                self.put(state, Change::Application(application, Some(registered)));
                Ok(Answer::Registered { application, level, doubts })
            }
            Request::Deregister { application } => {
                own(state, client, *application)?;
                self.put(state, Change::Application(*application, None));
                Ok(Answer::Done)
            }
            Request::Connect { application, from, to } => {
                let level = own(state, client, *application)?.level;
                let (most, of) = (rules.limits.connections, Limited::Connections);
                within(state.held_with(client).connections, most, of)?;
                let path =
                    path.as_deref().map_err(|message| Refusal::NoPath(message.clone()))?.into();
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
}

/// Returns an application of this client. The refusal is the same for another client's application
/// and for an unknown id.
fn own(state: &State, client: ClientId, id: ApplicationId) -> Result<&Application, Refusal> {
    let known = state.applications.get(&id).filter(|known| known.client == client);
    known.ok_or(Refusal::NoSuchApplication(id))
}

/// Refuses names that are too long, and a job with an empty name.
fn fits<'a>(request: &'a Request) -> Result<(), Refusal> {
    let texts = match request {
        Request::Register { job: Some(job), .. } if job.is_empty() => {
            let allowed = "a name, or no job".into();
            return Err(Refusal::BadSetting { what: "a job without a name".into(), allowed });
        }
        Request::Register { name, dataset, job, .. } => {
            let text = |text: &'a Option<String>| text.as_deref().unwrap_or("");
            [("name", name.as_str()), ("dataset", text(dataset)), ("job", text(job))]
        }
        Request::Connect { from, to, .. } => {
            [("host", from.as_str()), ("host", to.as_str()), ("", "")]
        }
        Request::Deregister { .. } | Request::Close { .. } => [("", ""); 3],
    };
    match texts.iter().find(|(_, text)| text.len() > LONGEST) {
        Some((what, text)) => Err(Refusal::BadSetting {
            what: format!("a {what} of {} bytes", text.len()),
            allowed: format!("up to {LONGEST} bytes"),
        }),
        None => Ok(()),
    }
}

/// Refuses a request whose answer would be one too many to store: of the client, or of its owner.
fn may_be_answered(state: &State, rules: &Rules, client: ClientId) -> Result<(), Refusal> {
    let (limits, held) = (&rules.limits, state.held_with(client));
    let kept = state.answered_of(client).take(limits.unacknowledged as usize).count() as u32;
    within(kept, limits.unacknowledged, Limited::Unacknowledged)?;
    // What exists has limits of its own; an answer beside it is a refusal, or of something that has ended.
    let beside = held.answers.saturating_sub(held.applications + held.connections);
    within(beside, limits.answers, Limited::Answers)
}
