//! [`Output`]: what the core says. All of it can be written down.

use super::change::Change;
use super::group::Group;
use super::input::Ticket;
use super::request::{Answer, ClientId, Refusal};
use bandwise_saba::controller::{PortConfig, PortId};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// An order to a port, numbered in the order in which they are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OrderId(pub u64);

/// What is to be done at a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Read what stands there.
    Read,
    /// See whether it still shares its link so; write nothing.
    Check(PortConfig),
    /// See to it that it shares its link so; write nothing if it does.
    Share(PortConfig),
    /// See to it that it is as it was before it was first written.
    AsFound,
}

/// Why a port is written or looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It was found.
    Found,
    /// It is to be otherwise than it was ordered before.
    Wanted,
    /// The last order failed.
    Again,
    /// It was not looked at for a while.
    Look,
    /// Somebody else has written there, or it came back with nothing.
    Overwritten,
}

/// Why a port is written: what was said, and what has changed since it was last written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// What made the order.
    pub cause: Cause,
    /// Connections through the port that were made since its last order.
    pub made: u32,
    /// Connections through the port that were closed since its last order.
    pub closed: u32,
}

/// What the core says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// All of these are to be stored, or none of them: in this order, of each record the last.
    Store {
        /// Its number, for [`Input::Stored`](super::Input::Stored).
        write: u64,
        /// What the store had come to when it was decided. If others have written since it is not to be stored, and
        /// nothing is to be said: it is decided anew when it is learned what they wrote.
        after: u64,
        /// What.
        changes: Vec<Change>,
    },
    /// Somebody is answered.
    Answer {
        /// Who.
        ticket: Ticket,
        /// What.
        answer: Result<Answer, Refusal>,
    },
    /// Something is to be done at a port.
    Order {
        /// Its number, for [`Input::Ended`](super::Input::Ended).
        order: OrderId,
        /// The port.
        port: PortId,
        /// What.
        task: Task,
        /// Why.
        why: Why,
    },
    /// A port was written.
    Written {
        /// The order.
        order: OrderId,
        /// The port.
        port: PortId,
        /// What was read there last; none where that is not known.
        before: Option<PortConfig>,
        /// What was read back.
        after: PortConfig,
        /// Why.
        why: Why,
    },
    /// An order failed; it is given again.
    Failed {
        /// The order.
        order: OrderId,
        /// The port.
        port: PortId,
        /// In whose words.
        said: String,
        /// Why it was given.
        why: Why,
    },
    /// A port was found to have something else than was written there. It is written again.
    Overwritten {
        /// The order to look.
        order: OrderId,
        /// The port.
        port: PortId,
        /// What was read there last.
        before: Option<PortConfig>,
        /// What stands there now.
        found: PortConfig,
    },
    /// The network is to be looked over: [`Input::Discovered`](super::Input::Discovered) or [`Input::DiscoveryFailed`](super::Input::DiscoveryFailed) ends it.
    Discover,
    /// A port is no longer there.
    Lost {
        /// The port.
        port: PortId,
        /// What people called it.
        name: String,
    },
    /// Connections take another way.
    Moved {
        /// How many.
        connections: u32,
    },
    /// An order has not ended yet, though it should have.
    Late {
        /// The order.
        order: OrderId,
        /// The port.
        port: PortId,
    },
    /// Nothing was heard when something was due: the process or the machine was stopped. Clients have a whole lease from
    /// now on.
    StoodStill {
        /// For how long after it was due.
        late: Duration,
    },
    /// Nothing is under way any more at ports of a group that this controller no longer has.
    Released {
        /// Which.
        group: Group,
    },
    /// What others have stored can't be: it is as if it were not there.
    PassedOver {
        /// What, and why not.
        said: String,
    },
    /// A client was not heard of for as long as its lease, and is dropped with all that it had.
    Dropped {
        /// The client.
        client: ClientId,
    },
}
