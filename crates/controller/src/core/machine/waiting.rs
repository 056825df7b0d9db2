//! [`Waiting`] and [`Writing`]: requests before and during a write to the store.

use crate::core::batch::Batch;
use crate::core::owner::Owner;
use crate::core::request::{ClientId, NumberedRequest, Ticket};
use bandwise_saba::controller::{ConnectionId, PortId};
use serde::{Deserialize, Serialize};

/// A request that waits for the next write to the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Waiting {
    Hello(Ticket, Owner),
    Request(Ticket, NumberedRequest, Result<Vec<PortId>, String>),
    /// A renewal by a client that this controller does not know, or whose lease another controller keeps so far.
    Renew(Ticket, ClientId),
    Goodbye(Ticket, ClientId),
    Drain(Ticket, Vec<PortId>, bool),
    /// All clients with a lower id end.
    Reset(Ticket, ClientId),
    LeaseEnded(ClientId),
    Moves(ConnectionId, Box<[PortId]>),
    /// The store lacks the next ids that this controller knows.
    Ids,
}

impl Waiting {
    /// Returns the ticket of the caller that waits for the answer.
    pub(super) fn ticket(&self) -> Option<Ticket> {
        match *self {
            Waiting::Hello(ticket, _)
            | Waiting::Request(ticket, ..)
            | Waiting::Renew(ticket, _)
            | Waiting::Goodbye(ticket, _)
            | Waiting::Drain(ticket, ..)
            | Waiting::Reset(ticket, _) => Some(ticket),
            Waiting::LeaseEnded(_) | Waiting::Moves(..) | Waiting::Ids => None,
        }
    }
}

/// An unfinished write.
#[derive(Debug, Clone)]
pub(super) struct Writing {
    pub(super) batch: Batch,
    /// The requests of the batch, if the batch may have to be decided again.
    pub(super) taken: Vec<Waiting>,
}
