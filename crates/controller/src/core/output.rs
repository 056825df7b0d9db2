//! [`Output`]: the actions that the core asks for. All of them can be serialised.

use super::change::Change;
use super::group::Group;
use super::order::{OrderId, Task, Why};
use super::request::{Answer, ClientId, Refusal, Ticket};
use bandwise_saba::controller::{PortConfig, PortId};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// An action that the core asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// Store all of these changes or none, in this order. Of several changes of a record, the last
    /// one applies.
    Store {
        /// The number of the write, for [`Input::Stored`](super::Input::Stored).
        write: u64,
        /// The store's revision at the decision. If another controller has written since, nothing is stored or
        /// reported: the core decides again with [`Input::StoredByOther`](super::Input::StoredByOther).
        after: u64,
        /// The changes.
        changes: Vec<Change>,
    },
    /// Answer a caller.
    Answer {
        /// The caller.
        ticket: Ticket,
        /// The answer.
        answer: Result<Answer, Refusal>,
    },
    /// Carry out an order at a port.
    Order {
        /// The number of the order, for [`Input::OrderEnded`](super::Input::OrderEnded).
        order: OrderId,
        /// The port.
        port: PortId,
        /// The action.
        task: Task,
        /// The reason.
        why: Why,
    },
    /// A port was written.
    Written {
        /// The order.
        order: OrderId,
        /// The port.
        port: PortId,
        /// The configuration that was read last, if there is one.
        before: Option<PortConfig>,
        /// The configuration that was read back.
        after: PortConfig,
        /// The reason.
        why: Why,
    },
    /// An order failed; it will be repeated.
    Failed {
        /// The order.
        order: OrderId,
        /// The port.
        port: PortId,
        /// The error.
        error: String,
        /// The reason for the order.
        why: Why,
    },
    /// A port has another configuration than the one written. It will be written again.
    Overwritten {
        /// The order of the check.
        order: OrderId,
        /// The port.
        port: PortId,
        /// The configuration that was read last.
        before: Option<PortConfig>,
        /// The configuration that was found.
        found: PortConfig,
    },
    /// Discover the network. [`Input::Discovered`](super::Input::Discovered) or
    /// [`Input::DiscoveryFailed`](super::Input::DiscoveryFailed) ends the discovery.
    Discover,
    /// A port has disappeared from the network.
    Lost {
        /// The port.
        port: PortId,
        /// The port's name for people.
        name: String,
    },
    /// Connections have changed their path.
    Rerouted {
        /// The number of connections.
        connections: u32,
    },
    /// An order is taking longer than [`Rules::late_after`](super::Rules::late_after).
    Late {
        /// The order.
        order: OrderId,
        /// The port.
        port: PortId,
    },
    /// The core was woken late: the process or the machine was suspended. All clients get a full
    /// lease.
    Stalled {
        /// The delay since the core was due.
        late: Duration,
    },
    /// A group that this controller has to release has no outstanding orders.
    Released {
        /// The group.
        group: Group,
    },
    /// A record that another controller has stored is invalid, and is ignored.
    RecordIgnored {
        /// The record and the reason.
        error: String,
    },
    /// A client's lease has expired. The client, its applications and its connections are removed.
    Dropped {
        /// The client.
        client: ClientId,
    },
}
