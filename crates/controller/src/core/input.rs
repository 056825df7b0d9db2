//! [`Input`]: the events that the core handles. All of them can be serialised, so that a recording can be replayed.

use super::change::Change;
use super::group::Group;
use super::order::{OrderId, OrderOutcome};
use super::owner::Owner;
use super::request::{ClientId, NumberedRequest, Ticket};
use bandwise_saba::controller::PortId;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU8;
use std::time::Duration;

/// An event that the core handles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A program asks to become a client.
    Hello {
        /// The caller that waits for the answer.
        ticket: Ticket,
        /// The authenticated owner of the call.
        #[serde(default)]
        owner: Owner,
    },
    /// A client sends a request.
    Request {
        /// The caller that waits for the answer.
        ticket: Ticket,
        /// The authenticated owner of the call.
        #[serde(default)]
        owner: Owner,
        /// The request.
        request: NumberedRequest,
        /// The ports on the path of a connection that the request opens, or the reason why there is no path.
        path: Result<Vec<PortId>, String>,
    },
    /// A client renews its lease.
    Renew {
        /// The caller that waits for the answer.
        ticket: Ticket,
        /// The authenticated owner of the call.
        #[serde(default)]
        owner: Owner,
        /// The client.
        client: ClientId,
    },
    /// A client says goodbye.
    Goodbye {
        /// The caller that waits for the answer.
        ticket: Ticket,
        /// The authenticated owner of the call.
        #[serde(default)]
        owner: Owner,
        /// The client.
        client: ClientId,
    },
    /// An operator drains ports, or shares them again.
    Drain {
        /// The caller that waits for the answer.
        ticket: Ticket,
        /// The authenticated owner of the call.
        #[serde(default)]
        owner: Owner,
        /// The ports; all ports if the list is empty.
        ports: Vec<PortId>,
        /// True if the ports are to be restored to the configuration in which they were found.
        drained: bool,
    },
    /// An operator ends all clients.
    Reset {
        /// The caller that waits for the answer.
        ticket: Ticket,
        /// The authenticated owner of the call.
        owner: Owner,
    },
    /// A write to the store has ended.
    Stored {
        /// The number of the write.
        write: u64,
        /// The reason why nothing was stored, if the write failed.
        error: Option<String>,
        /// The store's revision after the write, if several controllers share the store.
        #[serde(default)]
        revision: u64,
    },
    /// Another controller has stored changes.
    StoredByOther {
        /// The store's revision after those changes.
        revision: u64,
        /// The changes.
        changes: Vec<Change>,
    },
    /// The store was unreachable for a while and was read again.
    Reloaded {
        /// The store's revision.
        revision: u64,
        /// The number of this controller's last write in the store.
        write: u64,
        /// All records of the store, in any order.
        records: Vec<Change>,
    },
    /// This controller holds exactly these groups from now on. Without a group it is cut off from the other
    /// controllers, or has just started.
    GroupsHeld {
        /// The groups.
        groups: Vec<Group>,
        /// Groups that the controller has to release, once no order at their ports is outstanding.
        #[serde(default)]
        given_back: Vec<Group>,
        /// The time at which the groups are lost unless the event comes again.
        until: Duration,
    },
    /// A network discovery has ended.
    Discovered {
        /// All ports of the network.
        ports: Vec<DiscoveredPort>,
        /// Changed routes between hosts. Routes that are not listed are unchanged.
        routes: Vec<Route>,
    },
    /// A network discovery has failed.
    DiscoveryFailed {
        /// The reason.
        error: String,
    },
    /// An order has ended.
    OrderEnded {
        /// The order.
        order: OrderId,
        /// The outcome.
        outcome: OrderOutcome,
    },
    /// The daemon is about to end, and all ports have to be restored before. Nothing of this is
    /// stored: the next daemon shares the ports again.
    Leave,
    /// Time has passed.
    Tick,
}

/// A port of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredPort {
    /// The port.
    pub port: PortId,
    /// The port's name for people.
    pub name: String,
    /// The number of its queues.
    pub queues: NonZeroU8,
    /// The group of the controller that writes the port.
    #[serde(default)]
    pub group: Group,
}

/// The path of data from one host to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// The sending host.
    pub from: Box<str>,
    /// The receiving host.
    pub to: Box<str>,
    /// The ports on the path.
    pub path: Box<[PortId]>,
}
