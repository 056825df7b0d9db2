//! [`Change`]: a step from one state to the next, as it is stored.

use super::group::Group;
use super::owner::Owner;
use super::request::{Answer, ClientId, Refusal, Request};
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};
use bandwise_saba::mapping::PriorityLevel;
use serde::{Deserialize, Serialize};

/// One record becomes another, begins or ends. What a store keeps is the last of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The ids that come next.
    Next(Next),
    /// A client.
    Client(ClientId, Option<Client>),
    /// What a client was answered, by the number of its request.
    Answered(ClientId, u64, Option<Box<Answered>>),
    /// An application.
    Application(ApplicationId, Option<Application>),
    /// A connection.
    Connection(ConnectionId, Option<Connection>),
    /// Whether a port is to be as it was found.
    Drained(PortId, bool),
}

impl Change {
    /// Whether a record ends with it.
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

/// The ids that come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Next {
    /// Of clients.
    pub client: u64,
    /// Of applications.
    pub application: u64,
    /// Of connections.
    pub connection: u64,
}

/// A client.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Client {
    /// It has heard the answers to all requests below.
    pub acknowledged_below: u64,
    /// Whose it is.
    #[serde(default)]
    pub owner: Owner,
    /// Whose controllers keep its lease: those it was heard by last.
    #[serde(default)]
    pub home: Group,
}

/// A request and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// What was asked.
    pub request: Request,
    /// What was said.
    pub answer: Result<Answer, Refusal>,
}

/// An application that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// Who registered it.
    pub client: ClientId,
    /// Its name in the sensitivity table.
    pub name: String,
    /// The level that its connections are made with.
    pub level: PriorityLevel,
    /// What it is a part of.
    #[serde(default)]
    pub job: Option<Job>,
}

/// A job of an application: several registrations that are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What its clients call it.
    pub name: String,
    /// By what the controller of Saba knows all of it: the id of the part that came first.
    pub whole: ApplicationId,
}

/// A connection that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// Whose application made it.
    pub client: ClientId,
    /// Whose it is.
    pub application: ApplicationId,
    /// The level that its packets carry.
    pub level: PriorityLevel,
    /// The host that data leave.
    pub from: Box<str>,
    /// The host that they go to.
    pub to: Box<str>,
    /// The ports on the way.
    pub path: Box<[PortId]>,
}
