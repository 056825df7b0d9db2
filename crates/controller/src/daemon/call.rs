//! [`Call`]: a call of a client or an operator.

use crate::core::{ClientId, NumberedRequest};
use bandwise_saba::controller::PortId;

/// A call to the daemon.
#[derive(Debug)]
pub enum Call {
    /// A program asks to become a client.
    Hello,
    /// A client sends a request.
    Request(NumberedRequest),
    /// A client renews its lease.
    Renew(ClientId),
    /// A client says goodbye.
    Goodbye(ClientId),
    /// An operator drains ports (`true`) or shares them again (`false`); all ports if the list is empty.
    Drain(Vec<PortId>, bool),
    /// An operator ends all clients.
    Reset,
}
