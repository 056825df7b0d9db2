//! Nodes, and which of them share a partition.

use super::event::Event;
use super::links::Links;
use bandwise_units::Time;
use std::fmt::Debug;

/// The kind of event with which a port's sending side is looked at; its argument is the port's end of
/// the link. At one instant it comes first.
pub const WAKE: u8 = 0;
/// The kind of event with which a packet arrives at the end that is its argument. Other kinds are the
/// node's own.
pub const ARRIVAL: u8 = 1;

/// Something that packets come to and leave from.
pub trait Node: Send {
    /// What goes over links.
    type Packet: Copy + Default + Debug + Send;
    /// What comes back to the sender of packets: credits, pauses.
    type Back: Copy + Default + Debug + Send;
    /// Does what is due.
    fn handle(&mut self, event: Event, links: &mut Links<Self::Packet, Self::Back>);
    /// Its turn begins: what it will look at soon may be fetched.
    #[inline]
    fn begin(&self) {}
    /// Does what is due before `horizon` and was put off, at a window's end; returns when the next of it is due, or
    /// [`Time::MAX`]. Only a node that is a partition by itself may put off what others hear of: they see it in time,
    /// as they do all that it sends.
    fn catch_up(&mut self, _horizon: Time, _links: &mut Links<Self::Packet, Self::Back>) -> Time {
        Time::MAX
    }
}

/// Links with at least this latency separate partitions: a full packet takes as long on a fast
/// link, so that a window holds some events a port. Below that, one queue for both ends is faster.
pub const APART: Time = Time::from_us(1);

/// The partition of each of `nodes` nodes: those joined by links (two nodes and the latency) of
/// less than `apart`, or of nothing, share one. They are numbered by their first nodes.
pub fn partitions(
    nodes: usize,
    links: impl IntoIterator<Item = (usize, usize, Time)>,
    apart: Time,
) -> Vec<u32> {
    let mut root: Vec<usize> = (0..nodes).collect();
    fn find(root: &mut [usize], mut node: usize) -> usize {
        while root[node] != node {
            root[node] = root[root[node]];
            node = root[node];
        }
        node
    }
    for (a, b, latency) in links {
        if latency < apart || latency == Time::ZERO {
            let [a, b] = [find(&mut root, a), find(&mut root, b)];
            root[a.max(b)] = a.min(b);
        }
    }
    let mut numbers = std::collections::BTreeMap::new();
    let number = |node| {
        let next = numbers.len() as u32;
        *numbers.entry(find(&mut root, node)).or_insert(next)
    };
    (0..nodes).map(number).collect()
}
