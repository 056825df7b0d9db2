//! What a network can do besides the usual, decided when it is compiled: what a network does not do
//! costs nothing per packet.

use super::packet::Packet;
use super::telemetry::{Frame, Traced};
use std::fmt::Debug;

/// Which of the features there are.
pub(crate) trait Features: Debug + Send {
    /// What goes over links.
    type Frame: Frame;
    /// Whether there is more than one traffic class.
    const CLASSES: bool;
}

/// None of them.
#[derive(Debug)]
pub(crate) struct Plain;

/// Several traffic classes.
#[derive(Debug)]
pub(crate) struct Classed;

/// Telemetry, and any number of traffic classes.
#[derive(Debug)]
pub(crate) struct Telemetered;

impl Features for Plain {
    type Frame = Packet;
    const CLASSES: bool = false;
}

impl Features for Classed {
    type Frame = Packet;
    const CLASSES: bool = true;
}

impl Features for Telemetered {
    type Frame = Traced;
    const CLASSES: bool = true;
}

/// The traffic class of a packet.
#[inline]
pub(super) fn class<F: Features>(packet: &Packet) -> usize {
    if F::CLASSES { packet.class() } else { 0 }
}
