//! Nodes, and their division into partitions.

use super::event::Event;
use super::links::Links;
use bandwise_units::Time;
use std::fmt::Debug;

/// Kind of the event that serves a port's sending side. Its argument is the port's link end. Wake
/// events come first at an instant.
pub const WAKE: u8 = 0;
/// Kind of the event for a packet's arrival at the link end in its argument. Kinds from 2 on belong
/// to the node.
pub const ARRIVAL: u8 = 1;

/// A node of a network: packets arrive at it and leave it.
pub trait Node: Send {
    /// Type of the packets on links.
    type Packet: Copy + Default + Debug + Send;
    /// Type of the flow-control messages from a receiver back to the sender: credits or PFC frames.
    type FlowControl: Copy + Default + Debug + Send;
    /// Handles an event that is due.
    fn handle(&mut self, event: Event, links: &mut Links<Self::Packet, Self::FlowControl>);
    /// Prefetches data needed soon. Called when the node's partition begins a window.
    #[inline]
    fn begin(&self) {}
    /// Performs deferred work that is due before `horizon`, at the end of a window. Returns when
    /// the next deferred work is due, or [`Time::MAX`] if there is none.
    ///
    /// A node may defer work with effects on others only if it is a partition by itself. Such
    /// effects reach other partitions in time, like all messages of the node.
    fn catch_up(
        &mut self,
        _horizon: Time,
        _links: &mut Links<Self::Packet, Self::FlowControl>,
    ) -> Time {
        Time::MAX
    }
}

/// Smallest latency of a link that separates partitions. A full packet takes about as long on a
/// fast link, so a window holds some events per port. Below this latency one queue for both ends is
/// faster.
pub const MIN_PARTITION_LATENCY: Time = Time::from_us(1);

/// Returns the partition of each of `nodes` nodes. Nodes joined by a link (two nodes and its
/// latency) of latency zero or below `min_latency` share a partition. Partitions are numbered in
/// the order of their first nodes.
pub fn partitions(
    nodes: usize,
    links: impl IntoIterator<Item = (usize, usize, Time)>,
    min_latency: Time,
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
        if latency < min_latency || latency == Time::ZERO {
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
