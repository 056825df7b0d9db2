//! The sets of features that networks use.

use super::features::Features;
use super::homa::HomaHost;
use super::host::Host;
use super::host_node::HostNode;
use super::packet::Packet;
use super::telemetry::Traced;
use std::marker::PhantomData;

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

/// The features of `F`, and switches of more than 64 ports. Hosts are compiled apart for it: event
/// loops that share them would not inline them.
#[derive(Debug)]
pub(crate) struct Large<F>(PhantomData<F>);

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

impl<F: Features> Features for Large<F> {
    type Frame = F::Frame;
    type Host = <F::Host as HostNode>::With<Self>;
    const CLASSES: bool = F::CLASSES;
    const DEFERS_SERVICE: bool = F::DEFERS_SERVICE;
    const LARGE_SWITCHES: bool = true;
}
