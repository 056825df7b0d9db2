//! [`Input`]: what the core is told. All of it can be written down, so that what was told once can be told again.

use super::change::Change;
use super::group::Group;
use super::output::OrderId;
use super::owner::Owner;
use super::request::{ClientId, NumberedRequest};
use bandwise_saba::controller::{PortConfig, PortId};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU8;
use std::time::Duration;

/// By which whoever carries a request finds who waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// What the core is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A program wants to be a client.
    Hello {
        /// Who waits.
        ticket: Ticket,
        /// Who says so.
        #[serde(default)]
        owner: Owner,
    },
    /// A client asks for something.
    Request {
        /// Who waits.
        ticket: Ticket,
        /// Who says so.
        #[serde(default)]
        owner: Owner,
        /// What.
        request: NumberedRequest,
        /// If it makes a connection, the ports on its way, or why there is none.
        path: Result<Vec<PortId>, String>,
    },
    /// A client is alive.
    Renew {
        /// Who waits.
        ticket: Ticket,
        /// Who says so.
        #[serde(default)]
        owner: Owner,
        /// The client.
        client: ClientId,
    },
    /// A client says goodbye.
    Goodbye {
        /// Who waits.
        ticket: Ticket,
        /// Who says so.
        #[serde(default)]
        owner: Owner,
        /// The client.
        client: ClientId,
    },
    /// Somebody wants ports as they were found, or shared again.
    Drain {
        /// Who waits.
        ticket: Ticket,
        /// Which ports; all that there are where none is named.
        ports: Vec<PortId>,
        /// Whether they are to be as found.
        drained: bool,
    },
    /// A write to the store has ended.
    Stored {
        /// Which.
        write: u64,
        /// What went wrong, if it isn't there.
        error: Option<String>,
        /// What the store has come to with it, where others write to it too.
        #[serde(default)]
        revision: u64,
    },
    /// Another controller has stored something.
    Learned {
        /// What the store has come to with it.
        revision: u64,
        /// What.
        changes: Vec<Change>,
    },
    /// The store was out of reach for a while, and is read anew.
    Known {
        /// What it has come to.
        revision: u64,
        /// The last write of this controller that is there.
        write: u64,
        /// All that is there, in any order.
        records: Vec<Change>,
    },
    /// This controller has these groups from now on, and no others. It may have none: then it is cut off from the others,
    /// or has just begun.
    Held {
        /// Which.
        groups: Vec<Group>,
        /// Until when, if it is not told again.
        until: Duration,
    },
    /// The network was looked over.
    Discovered {
        /// All ports that are there.
        ports: Vec<DiscoveredPort>,
        /// Ways between hosts, as they are now. Those of which nothing is said are as they were.
        routes: Vec<Route>,
    },
    /// The network could not be looked over.
    DiscoveryFailed {
        /// In whose words.
        error: String,
    },
    /// An order has ended.
    Ended {
        /// Which.
        order: OrderId,
        /// How.
        end: End,
    },
    /// The daemon is about to end, and ports are to be as they were found when it has. The next one shares them
    /// again: nothing of it is stored.
    Leave,
    /// Time has passed.
    Tick,
}

/// A port that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredPort {
    /// The port.
    pub port: PortId,
    /// What people call it.
    pub name: String,
    /// How many queues it has.
    pub queues: NonZeroU8,
    /// Who writes it.
    #[serde(default)]
    pub group: Group,
}

/// How data goes from one host to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// The host that data leave.
    pub from: Box<str>,
    /// The host that they go to.
    pub to: Box<str>,
    /// The ports on the way.
    pub path: Box<[PortId]>,
}

/// How an order ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It was carried out.
    Done {
        /// Whether anything was written.
        is_written: bool,
        /// What was read back, weights in lowest terms.
        config: PortConfig,
    },
    /// The port was only looked at, and shares its link as it was to.
    Stands,
    /// The port was only looked at, and does not share its link as it was to.
    Differs {
        /// What stands there, weights in lowest terms.
        found: PortConfig,
    },
    /// It was not.
    Failed {
        /// Why, and what the port was left with.
        said: String,
    },
}
