//! Optional features of a network, selected at compile time so that unused ones cost nothing per
//! packet.

use super::host_node::HostNode;
use super::packet::Packet;
use super::telemetry::Frame;
use std::fmt::Debug;

/// A set of features.
pub(crate) trait Features: Debug + Send {
    /// Type of the frames on links.
    type Frame: Frame;
    /// Type of the hosts, by transport.
    type Host: HostNode<Frame = Self::Frame>;
    /// More than one traffic class exists.
    const CLASSES: bool;
    /// Switches defer service. Each node is then a partition by itself, and no sender is ever
    /// paused.
    const DEFERS_SERVICE: bool = false;
    /// Some switch has more than 64 ports, so that sets of ports are larger than a word.
    const LARGE_SWITCHES: bool = false;
}

/// Returns the traffic class of a packet.
#[inline]
pub(super) fn class<F: Features>(packet: &Packet) -> usize {
    if F::CLASSES { packet.class() } else { 0 }
}
