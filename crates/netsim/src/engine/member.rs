//! The two kinds of nodes that every network has.

use super::event::Event;
use super::links::Links;
use super::partition::Node;
use bandwise_units::Time;

/// A switch or a host of one kind of network. Networks number their switches first.
#[derive(Debug)]
pub enum Member<S, H> {
    /// A switch.
    Switch(Box<S>),
    /// A host.
    Host(Box<H>),
}

impl<S, H> Member<S, H> {
    /// The switch that it is.
    pub fn as_switch(&self) -> Option<&S> {
        match self {
            Member::Switch(switch) => Some(switch),
            Member::Host(_) => None,
        }
    }

    /// The host that it is.
    pub fn as_host(&self) -> Option<&H> {
        match self {
            Member::Host(host) => Some(host),
            Member::Switch(_) => None,
        }
    }

    /// The switch that it is, to change.
    pub fn as_switch_mut(&mut self) -> Option<&mut S> {
        match self {
            Member::Switch(switch) => Some(switch),
            Member::Host(_) => None,
        }
    }

    /// The host that it is, to change.
    pub fn as_host_mut(&mut self) -> Option<&mut H> {
        match self {
            Member::Host(host) => Some(host),
            Member::Switch(_) => None,
        }
    }
}

impl<S: Node, H: Node<Packet = S::Packet, Back = S::Back>> Node for Member<S, H> {
    type Packet = S::Packet;
    type Back = S::Back;

    #[inline]
    fn handle(&mut self, event: Event, links: &mut Links<S::Packet, S::Back>) {
        match self {
            Member::Switch(switch) => switch.handle(event, links),
            Member::Host(host) => host.handle(event, links),
        }
    }

    #[inline]
    fn begin(&self) {
        match self {
            Member::Switch(switch) => switch.begin(),
            Member::Host(host) => host.begin(),
        }
    }

    #[inline]
    fn catch_up(&mut self, horizon: Time, links: &mut Links<S::Packet, S::Back>) -> Time {
        match self {
            Member::Switch(switch) => switch.catch_up(horizon, links),
            Member::Host(host) => host.catch_up(horizon, links),
        }
    }
}
