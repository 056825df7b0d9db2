//! What a network can do besides the usual, decided when it is compiled: what a network does not do
//! costs nothing per packet.

use super::homa::HomaHost;
use super::host::Host;
use super::host_node::HostNode;
use super::packet::Packet;
use super::telemetry::{Frame, Traced};
use std::fmt::Debug;

/// Which of the features there are.
pub(crate) trait Features: Debug + Send {
    /// What goes over links.
    type Frame: Frame;
    /// What hosts speak.
    type Host: HostNode<Frame = Self::Frame>;
    /// Whether there is more than one traffic class.
    const CLASSES: bool;
    /// Whether switches put off service: each is a partition by itself, and nobody is ever told to stop.
    const PUTS_OFF: bool = false;
}

/// None of them.
#[derive(Debug)]
pub(crate) struct Plain;

/// None of them, where each node is a partition by itself and what has no room is lost.
#[derive(Debug)]
pub(crate) struct Lossy;

/// Several traffic classes.
#[derive(Debug)]
pub(crate) struct Classed;

/// Telemetry, and any number of traffic classes.
#[derive(Debug)]
pub(crate) struct Telemetered;

/// Homa, whose priorities are traffic classes.
#[derive(Debug)]
pub(crate) struct Messages;

impl Features for Plain {
    type Frame = Packet;
    type Host = Host<Plain>;
    const CLASSES: bool = false;
}

impl Features for Lossy {
    type Frame = Packet;
    type Host = Host<Lossy>;
    const CLASSES: bool = false;
    const PUTS_OFF: bool = true;
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

impl Features for Messages {
    type Frame = Packet;
    type Host = HomaHost;
    const CLASSES: bool = true;
}

/// The traffic class of a packet.
#[inline]
pub(super) fn class<F: Features>(packet: &Packet) -> usize {
    if F::CLASSES { packet.class() } else { 0 }
}
