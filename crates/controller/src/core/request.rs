//! [`NumberedRequest`], [`Answer`] and [`Refusal`]: the requests of clients and their answers.

use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};
use bandwise_saba::mapping::PriorityLevel;
use serde::{Deserialize, Serialize};

/// The id of a client, from its hello to its goodbye or the end of its lease. Ids are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClientId(pub u64);

/// The number by which the caller of a request gets its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// A request with a number. A repetition with the same number gets the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberedRequest {
    /// The client.
    pub client: ClientId,
    /// The number of the request; a client uses each number for one request.
    pub number: u64,
    /// The client has received the answers to all requests with smaller numbers and never repeats one of them. The
    /// controller deletes those answers.
    #[serde(default)]
    pub acknowledged_below: u64,
    /// The request.
    pub request: Request,
}

/// A request of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Registers an application (Saba 4.4.2, step 1).
    Register {
        /// The application's name in the sensitivity table.
        name: String,
        /// The number of hosts that the application runs on.
        #[serde(default)]
        nodes: Option<u32>,
        /// The amount of data that the application works on, in the table's unit: `10000 samples`.
        #[serde(default)]
        dataset: Option<String>,
        /// The job that the registration is part of. Registrations of one owner with the same name and job, from any
        /// process and host, are one application: it counts once at each port, and ends with its last registration.
        #[serde(default)]
        job: Option<String>,
    },
    /// Deregisters an application (Saba 4.4.2, step 12) and closes its connections.
    Deregister {
        /// The application.
        application: ApplicationId,
    },
    /// Opens a connection (Saba 4.4.2, step 4).
    Connect {
        /// The application that opened the connection.
        application: ApplicationId,
        /// The sending host.
        from: String,
        /// The receiving host.
        to: String,
    },
    /// Closes a connection (Saba 4.4.2, step 8).
    Close {
        /// The connection.
        connection: ConnectionId,
    },
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The client exists until its lease ends. Every call renews the lease.
    Welcome {
        /// The client's id.
        client: ClientId,
        /// The length of the lease, in milliseconds.
        lease_ms: u64,
    },
    /// The application is registered.
    Registered {
        /// The application's id.
        application: ApplicationId,
        /// The priority level that packets of its connections carry.
        level: PriorityLevel,
        /// Doubts about the application's model under the conditions of this run, for people.
        doubts: Vec<String>,
    },
    /// The connection is registered.
    Connected {
        /// The connection's id.
        connection: ConnectionId,
        /// The priority level that its packets carry.
        level: PriorityLevel,
    },
    /// The request was carried out.
    Done,
}

/// The reason for a refusal. A refused request has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The client has never existed, has sent a goodbye, or its lease has ended.
    #[error("there is no client {}: its lease has ended, or it never existed; send hello and register again", .0.0)]
    NoSuchClient(ClientId),
    /// The client has acknowledged the answer, which is deleted.
    #[error("request {number}, but answers below {acknowledged_below} are acknowledged")]
    Acknowledged {
        /// The number of the request.
        number: u64,
        /// The client has acknowledged all answers below this number.
        acknowledged_below: u64,
    },
    /// The number was used for another request.
    #[error("request {0} was used for another request: each request needs its own number")]
    OtherRequest(u64),
    /// A limit is reached.
    #[error("no more than {most} {of}")]
    TooMany {
        /// The limit.
        most: u32,
        /// The limited resource.
        of: Limited,
    },
    /// The sensitivity table lacks the application.
    #[error("the sensitivity table has no application called {0:?}")]
    UnknownApplication(String),
    /// A value of the request is invalid.
    #[error("{what} (allowed: {allowed})")]
    BadSetting {
        /// The value.
        what: String,
        /// The allowed values.
        allowed: String,
    },
    /// The client has no such application.
    #[error("this client has no application {}", .0.0)]
    NoSuchApplication(ApplicationId),
    /// The client has no such connection.
    #[error("this client has no connection {}", .0.0)]
    NoSuchConnection(ConnectionId),
    /// The network has no known path between the hosts.
    #[error("{0}")]
    NoPath(String),
    /// The network has no such port.
    #[error("there is no port {}", .0.0)]
    NoSuchPort(PortId),
    /// The request could not be stored. The client can repeat it.
    #[error("the request could not be stored and had no effect: {0}")]
    NotStored(String),
}

impl Refusal {
    /// Returns the refusal by a controller that is cut off from the shared store.
    pub(super) fn cut_off() -> Self {
        Refusal::NotStored("this controller is cut off from the shared store".into())
    }
}

/// A limited resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limited {
    /// Clients of one owner.
    Clients,
    /// Applications of all clients of one owner.
    Applications,
    /// Connections of all clients of one owner.
    Connections,
    /// Requests of one client with unacknowledged answers.
    Unacknowledged,
    /// Unacknowledged answers of all clients of one owner, beyond the number of its applications and connections.
    Answers,
}

impl std::fmt::Display for Limited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limited::Clients => "clients of one owner",
            Limited::Applications => "applications of one owner",
            Limited::Connections => "connections of one owner",
            Limited::Unacknowledged => "requests of one client with unacknowledged answers",
            Limited::Answers => {
                "unacknowledged answers of one owner beyond its applications and connections"
            }
        })
    }
}
