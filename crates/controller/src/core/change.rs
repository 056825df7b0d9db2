//! [`Change`]: a step from one state to the next, in its stored form.

use super::group::Group;
use super::owner::Owner;
use super::request::{Answer, ClientId, Refusal, Request};
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};
use bandwise_saba::mapping::PriorityLevel;
use serde::{Deserialize, Serialize};

/// A step that creates, replaces or removes one record. The store keeps the last change of each record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The ids that are assigned next.
    Next(Next),
    /// A client.
    Client(ClientId, Option<Client>),
    /// The answer to a request of a client, by the number of the request.
    Answered(ClientId, u64, Option<Box<Answered>>),
    /// An application.
    Application(ApplicationId, Option<Application>),
    /// A connection.
    Connection(ConnectionId, Option<Connection>),
    /// A port, and whether it is drained.
    Drained(PortId, bool),
}

impl Change {
    /// Returns whether the change removes the record.
    pub fn is_end(&self) -> bool {
        match self {
            Change::Next(_) => false,
            Change::Client(_, of) => of.is_none(),
            Change::Answered(_, _, of) => of.is_none(),
            Change::Application(_, of) => of.is_none(),
            Change::Connection(_, of) => of.is_none(),
            Change::Drained(_, drained) => !drained,
        }
    }
}

/// The ids that are assigned next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Next {
    /// The next client's id.
    pub client: u64,
    /// The next application's id.
    pub application: u64,
    /// The next connection's id.
    pub connection: u64,
}

impl Next {
    /// Returns the later of both next ids of each kind.
    pub(super) fn or_later(self, other: Next) -> Next {
        Next {
            client: self.client.max(other.client),
            application: self.application.max(other.application),
            connection: self.connection.max(other.connection),
        }
    }

    /// Returns the ids after `skipped` ones of each kind.
    pub(super) fn after(self, skipped: u64) -> Next {
        Next {
            client: self.client.saturating_add(skipped),
            application: self.application.saturating_add(skipped),
            connection: self.connection.saturating_add(skipped),
        }
    }
}

/// A client.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Client {
    /// The client has received the answers to all requests with smaller numbers.
    pub acknowledged_below: u64,
    /// The owner of the client.
    #[serde(default)]
    pub owner: Owner,
    /// The group of the controller that keeps the client's lease and received its last call.
    #[serde(default)]
    pub home: Group,
}

/// A request and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The request.
    pub request: Request,
    /// The answer.
    pub answer: Result<Answer, Refusal>,
}

/// A running application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// The client that registered the application.
    pub client: ClientId,
    /// The application's name in the sensitivity table.
    pub name: String,
    /// The priority level of its connections.
    pub level: PriorityLevel,
    /// The job that the application is part of.
    #[serde(default)]
    pub job: Option<Job>,
    /// Doubts about the application's model under the conditions of this run, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
}

/// A job: several registrations that count as one application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The name that clients give the job.
    pub name: String,
    /// The id by which Saba's controller knows the whole job: the id of its first part.
    pub whole: ApplicationId,
}

/// An open connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// The client of the connection's application.
    pub client: ClientId,
    /// The application that opened the connection.
    pub application: ApplicationId,
    /// The priority level that its packets carry.
    pub level: PriorityLevel,
    /// The sending host.
    pub from: Box<str>,
    /// The receiving host.
    pub to: Box<str>,
    /// The ports on the connection's path.
    pub path: Box<[PortId]>,
}
