//! [`Input`] and [`Output`]: what the core is told and what it says. All of it can be written down, so that what
//! was told once can be told again.

use super::change::Change;
use super::owner::Owner;
use super::request::{Answer, Asked, ClientId, Refusal};
use bandwise_saba::controller::{PortConfig, PortId};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU8;

/// By which whoever carries a request finds who waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// An order to a port, numbered in the order in which they are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OrderId(pub u64);

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
        by: Owner,
    },
    /// A client asks for something.
    Ask {
        /// Who waits.
        ticket: Ticket,
        /// Who says so.
        #[serde(default)]
        by: Owner,
        /// What.
        asked: Asked,
        /// If it makes a connection, the ports on its way, or why there is none.
        path: Result<Vec<PortId>, String>,
    },
    /// A client is alive.
    Renew {
        /// Who waits.
        ticket: Ticket,
        /// Who says so.
        #[serde(default)]
        by: Owner,
        /// The client.
        client: ClientId,
    },
    /// A client says goodbye.
    Goodbye {
        /// Who waits.
        ticket: Ticket,
        /// Who says so.
        #[serde(default)]
        by: Owner,
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
    },
    /// A port was found.
    Found {
        /// The port.
        port: PortId,
        /// What people call it.
        name: String,
        /// How many queues it has.
        queues: NonZeroU8,
    },
    /// A port is no longer there.
    Lost {
        /// The port.
        port: PortId,
    },
    /// An order has ended.
    Ended {
        /// Which.
        order: OrderId,
        /// How.
        end: End,
    },
    /// Time has passed.
    Tick,
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
    /// It was not.
    Failed {
        /// Why, and what the port was left with.
        said: String,
    },
}

/// What is to be done at a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Read what stands there.
    Read,
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
    /// All of these are to be stored, or none of them.
    Store {
        /// Its number, for [`Input::Stored`].
        write: u64,
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
        /// Its number, for [`Input::Ended`].
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
    /// An order has not ended yet, though it should have.
    Late {
        /// The order.
        order: OrderId,
        /// The port.
        port: PortId,
    },
    /// A client was not heard of for as long as its lease, and is dropped with all that it had.
    Dropped {
        /// The client.
        client: ClientId,
    },
}
