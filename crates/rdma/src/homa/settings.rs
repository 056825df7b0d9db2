//! [`HomaSettings`]: parameters shared by all hosts.

use super::Priorities;
use bandwise_units::Time;
use std::num::NonZeroU32;

/// Parameters of Homa for all hosts, separate from the state of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomaSettings {
    /// Use of network priorities.
    pub priorities: Priorities,
    /// RTTbytes of Homa 3.2 in packets: the number sent without a grant, and the number that a
    /// receiver keeps granted beyond those received. Fills the link for a round trip.
    pub rtt: NonZeroU32,
    /// Time without an expected packet of a message, after which the packet is requested. Above
    /// 0.
    pub resend_after: Time,
}

/// Default time until a RESEND: "a few milliseconds" (Homa 3.7), longer than the usual wait for
/// other messages.
pub const RESEND_AFTER: Time = Time::from_ms(2);
