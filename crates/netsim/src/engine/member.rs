//! The two kinds of nodes in every network.

use super::event::Event;
use super::links::Links;
use super::partition::Node;
use bandwise_units::Time;

/// A switch or a host of a network. Networks number their switches first.
#[derive(Debug)]
pub enum Member<S, H> {
    /// A switch.
    Switch(Box<S>),
    /// A host.
    Host(Box<H>),
}

impl<S, H> Member<S, H> {
    /// Returns the switch, or `None` for a host.
    pub fn as_switch(&self) -> Option<&S> {
        match self {
            Member::Switch(switch) => Some(switch),
            Member::Host(_) => None,
        }
    }

    /// Returns the host, or `None` for a switch.
    pub fn as_host(&self) -> Option<&H> {
        match self {
            Member::Host(host) => Some(host),
            Member::Switch(_) => None,
        }
    }

    /// Returns the switch for modification, or `None` for a host.
    pub fn as_switch_mut(&mut self) -> Option<&mut S> {
        match self {
            Member::Switch(switch) => Some(switch),
            Member::Host(_) => None,
        }
    }

    /// Returns the host for modification, or `None` for a switch.
    pub fn as_host_mut(&mut self) -> Option<&mut H> {
        match self {
            Member::Host(host) => Some(host),
            Member::Switch(_) => None,
        }
    }
}

impl<S: Node, H: Node<Packet = S::Packet, FlowControl = S::FlowControl>> Node for Member<S, H> {
    type Packet = S::Packet;
    type FlowControl = S::FlowControl;

    #[inline]
    fn handle(&mut self, event: Event, links: &mut Links<S::Packet, S::FlowControl>) {
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
    fn catch_up(&mut self, horizon: Time, links: &mut Links<S::Packet, S::FlowControl>) -> Time {
        match self {
            Member::Switch(switch) => switch.catch_up(horizon, links),
            Member::Host(host) => host.catch_up(horizon, links),
        }
    }
}
