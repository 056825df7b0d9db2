//! Optional features of a network, selected at compile time so that unused ones cost nothing per
//! packet.

use super::homa::HomaHost;
use super::host::Host;
use super::host_node::HostNode;
use super::packet::Packet;
use super::telemetry::{Frame, Traced};
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
}

/// No optional feature.
#[derive(Debug)]
pub(crate) struct Basic;

/// No optional feature, with a partition per node and drops instead of PFC.
#[derive(Debug)]
pub(crate) struct Lossy;

/// Several traffic classes.
#[derive(Debug)]
pub(crate) struct Classed;

/// In-band telemetry, and any number of traffic classes.
#[derive(Debug)]
pub(crate) struct Telemetered;

/// Homa, whose priorities are traffic classes.
#[derive(Debug)]
pub(crate) struct WithHoma;

impl Features for Basic {
    type Frame = Packet;
    type Host = Host<Basic>;
    const CLASSES: bool = false;
}

impl Features for Lossy {
    type Frame = Packet;
    type Host = Host<Lossy>;
    const CLASSES: bool = false;
    const DEFERS_SERVICE: bool = true;
}

impl Features for Classed {
    type Frame = Packet;
    type Host = Host<Classed>;
    const CLASSES: bool = true;
}

impl Features for Telemetered {
    type Frame = Traced;
    type Host = Host<Telemetered>;
    const CLASSES: bool = true;
}

impl Features for WithHoma {
    type Frame = Packet;
    type Host = HomaHost;
    const CLASSES: bool = true;
}

/// Returns the traffic class of a packet.
#[inline]
pub(super) fn class<F: Features>(packet: &Packet) -> usize {
    if F::CLASSES { packet.class() } else { 0 }
}
