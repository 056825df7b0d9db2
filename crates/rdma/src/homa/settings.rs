//! [`Settings`]: what all hosts agree on.

use super::Priorities;
use bandwise_units::Time;
use std::num::NonZeroU32;

/// How Homa is set up: for all hosts, not part of any message's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Which packets go first in the network.
    pub priorities: Priorities,
    /// RTTbytes of Homa 3.2 in packets: how many are sent without a grant, and how many a receiver
    /// keeps granted beyond those that have arrived. What fills the link for a round trip.
    pub rtt: NonZeroU32,
    /// How long nothing may be heard of a message that something should be heard of: above 0.
    pub resend_after: Time,
}

/// The time until a RESEND where nobody says another: "a few milliseconds" (Homa 3.7), longer than
/// what waits for other messages usually does.
pub const RESEND_AFTER: Time = Time::from_ms(2);
