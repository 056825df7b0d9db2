//! [`NumberedRequest`] and [`Answer`]: what clients ask, what they are told, why they are refused.

use bandwise_saba::controller::{ApplicationId, ConnectionId, PortId};
use bandwise_saba::mapping::PriorityLevel;
use serde::{Deserialize, Serialize};

/// A client, from its hello to its goodbye or the end of its lease. Ids are given once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClientId(pub u64);

/// A request of a client. The same one again, with the same number, has the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberedRequest {
    /// Who asks.
    pub client: ClientId,
    /// The client's number of it; a number is used for one request.
    pub number: u64,
    /// The client has heard the answers to all requests with smaller numbers and never sends one of them
    /// again, so that they can be forgotten.
    #[serde(default)]
    pub acknowledged_below: u64,
    /// What is asked.
    pub request: Request,
}

/// What clients ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// An application runs (Saba 4.4.2, 1).
    Register {
        /// Its name in the sensitivity table.
        name: String,
        /// On how many hosts it runs.
        #[serde(default)]
        nodes: Option<u32>,
        /// On how much data it works, as the table has it: `10000 samples`.
        #[serde(default)]
        dataset: Option<String>,
        /// What it is a part of. Who registers the same name with the same job, as the same owner, from whatever process
        /// or host, registers the same application: it counts once at each port, and is gone with its last part.
        #[serde(default)]
        job: Option<String>,
    },
    /// It has ended (Saba 4.4.2, 12); its connections are closed with it.
    Deregister {
        /// Which.
        application: ApplicationId,
    },
    /// It has made a connection (Saba 4.4.2, 4).
    Connect {
        /// Whose it is.
        application: ApplicationId,
        /// The host that data leave.
        from: String,
        /// The host that they go to.
        to: String,
    },
    /// A connection was closed (Saba 4.4.2, 8).
    Close {
        /// Which.
        connection: ConnectionId,
    },
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A client is known, until nothing is heard of it for as long as a lease.
    Welcome {
        /// By what it is known.
        client: ClientId,
        /// The lease, in milliseconds.
        lease_ms: u64,
    },
    /// An application is registered.
    Registered {
        /// Its id.
        application: ApplicationId,
        /// The level that packets of its connections carry.
        level: PriorityLevel,
        /// What makes its model doubtful as it runs now.
        doubts: Vec<String>,
    },
    /// A connection is known.
    Connected {
        /// Its id.
        connection: ConnectionId,
        /// The level that its packets carry.
        level: PriorityLevel,
    },
    /// It is so.
    Done,
}

/// Why a request was refused. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The client said goodbye, or nothing for longer than its lease, or is none.
    #[error("there is no client {}: its lease has ended, or it never was; say hello, and register again", .0.0)]
    NoSuchClient(ClientId),
    /// Its answer is forgotten, as the client said to have heard it.
    #[error("request {number}, where answers below {acknowledged_below} have been heard")]
    Acknowledged {
        /// The request.
        number: u64,
        /// What the client said.
        acknowledged_below: u64,
    },
    /// A number that was used for something else.
    #[error("request {0} was another one before: each needs a number of its own")]
    OtherRequest(u64),
    /// More than a limit allows.
    #[error("no more than {most} {of}")]
    TooMany {
        /// How many are allowed.
        most: u32,
        /// Of what.
        of: Limited,
    },
    /// The sensitivity table doesn't have the application.
    #[error("the sensitivity table has no application called {0:?}")]
    UnknownApplication(String),
    /// What it runs on is no such thing.
    #[error("{what} (allowed: {allowed})")]
    BadSetting {
        /// What is wrong.
        what: String,
        /// What would do.
        allowed: String,
    },
    /// The client has no such application.
    #[error("this client has no application {}", .0.0)]
    NoSuchApplication(ApplicationId),
    /// The client has no such connection.
    #[error("this client has no connection {}", .0.0)]
    NoSuchConnection(ConnectionId),
    /// No way through the network that is known.
    #[error("{0}")]
    NoPath(String),
    /// There is no such port.
    #[error("there is no port {}", .0.0)]
    NoSuchPort(PortId),
    /// It could not be stored. The same request can be sent again.
    #[error("it could not be stored, so nothing was done: {0}")]
    NotStored(String),
}

impl Refusal {
    /// By a controller that has no part in what others share.
    pub(super) fn cut_off() -> Self {
        Refusal::NotStored(
            "this controller is cut off from the store that it shares with others".into(),
        )
    }
}

/// What there is a limit for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limited {
    /// Clients at one time.
    Clients,
    /// Applications of all clients of one owner.
    Applications,
    /// Connections of all clients of one owner.
    Connections,
    /// Requests of one client whose answers it has not said to have heard.
    Unacknowledged,
}

impl std::fmt::Display for Limited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limited::Clients => "clients at one time",
            Limited::Applications => "applications of one owner",
            Limited::Connections => "connections of one owner",
            Limited::Unacknowledged => {
                "requests of one client that it has not said to have heard the answers to"
            }
        })
    }
}
