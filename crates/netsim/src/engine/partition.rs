//! Partitions and windows.

use super::event::Event;
use super::links::{LinkEnd, Links};
use bandwise_units::Time;
use std::fmt::Debug;

/// The kind of event with which a port's sending side is looked at. At one instant it comes first.
pub const WAKE: u8 = 0;
/// The kind of event with which a packet arrives. Other kinds are the node's own.
pub const ARRIVAL: u8 = 1;

/// Something that packets come to and leave from.
pub trait Node {
    /// What goes over links.
    type Packet: Copy + Default + Debug;
    /// What comes back to the sender of packets: credits, pauses.
    type Back: Copy + Default + Debug;
    /// Does what is due.
    fn handle(&mut self, event: Event, links: &mut Links<Self::Packet, Self::Back>);
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

/// Nodes in partitions, and their time.
///
/// Nothing that happens in one partition at time t matters to another before t plus the
/// *lookahead*, the least latency of any link between two of them. So all of them run up to a
/// lookahead beyond the earliest event, one after the other, each with its state in cache. A
/// partition by itself needs no windows.
#[derive(Debug)]
pub struct Engine<N: Node> {
    /// By partition: its nodes.
    partitions: Vec<Vec<N>>,
    links: Links<N::Packet, N::Back>,
    /// Where each node is.
    homes: Vec<Home>,
    /// How many of the nodes are there already.
    pushed: usize,
    lookahead: Time,
    now: Time,
    handled: u64,
}

/// Where a node is: its partition, and its number there.
#[derive(Debug, Clone, Copy)]
struct Home {
    partition: u32,
    number: u32,
}

impl<N: Node> Engine<N> {
    /// An engine for as many nodes as `partition_of` has entries, each in the partition that its
    /// entry names. Ports come next ([`Engine::add_port`], [`Engine::join`]), then the nodes
    /// themselves, in order ([`Engine::push`]).
    pub fn new(partition_of: &[u32]) -> Self {
        let mut sizes = vec![0; partition_of.iter().map(|&p| p as usize + 1).max().unwrap_or(0)];
        let home = |&partition: &u32| {
            let size: &mut u32 = &mut sizes[partition as usize];
            *size += 1;
            Home { partition, number: *size - 1 }
        };
        let homes: Vec<Home> = partition_of.iter().map(home).collect();
        assert!(sizes.iter().all(|&size| size as usize <= Event::MAX_NODES), "too many nodes");
        Engine {
            partitions: sizes.iter().map(|&size| Vec::with_capacity(size as usize)).collect(),
            links: Links::new(sizes.len()),
            homes,
            pushed: 0,
            lookahead: Time::MAX,
            now: Time::ZERO,
            handled: 0,
        }
    }

    /// A node's number in its partition: what its events must carry.
    pub fn number(&self, node: usize) -> u32 {
        self.homes[node].number
    }

    /// Adds a port to a node. Packets that come to it cause an event of kind [`ARRIVAL`], its
    /// sending side is woken by one of kind [`WAKE`], both about `object`.
    pub fn add_port(&mut self, node: usize, object: u16) -> LinkEnd {
        let Home { partition, number } = self.homes[node];
        let event = |kind| Event::new(Time::ZERO, number, kind, object, 0);
        self.links.add(partition, event(ARRIVAL), event(WAKE))
    }

    /// Joins two ports by a cable, over which nothing matters at one end before `latency` after
    /// it happened at the other.
    pub fn join(&mut self, a: LinkEnd, b: LinkEnd, latency: Time) {
        let [near, far] = self.links.join(a, b);
        if near != far {
            assert!(latency > Time::ZERO, "partitions need time between them");
            self.lookahead = self.lookahead.min(latency);
        }
    }

    /// Adds the next node.
    pub fn push(&mut self, node: N) {
        self.partitions[self.homes[self.pushed].partition as usize].push(node);
        self.pushed += 1;
    }

    /// A node.
    pub fn node(&self, node: usize) -> &N {
        let Home { partition, number } = self.homes[node];
        &self.partitions[partition as usize][number as usize]
    }

    /// A node with the links, as its turn would be.
    pub fn node_mut(&mut self, node: usize) -> (&mut N, &mut Links<N::Packet, N::Back>) {
        let Home { partition, number } = self.homes[node];
        self.links.current = partition as usize;
        (&mut self.partitions[partition as usize][number as usize], &mut self.links)
    }

    /// All links.
    pub fn links(&self) -> &Links<N::Packet, N::Back> {
        &self.links
    }

    /// All nodes, in order.
    pub fn nodes(&self) -> impl Iterator<Item = &N> {
        (0..self.homes.len()).map(|node| self.node(node))
    }

    /// Simulated time so far.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Events handled so far.
    pub fn handled(&self) -> u64 {
        self.handled
    }

    /// Handles everything that is due before `end`. False if nothing is due at all any more.
    pub fn run(&mut self, end: Time) -> bool {
        while let Some(first) = self.next_at().filter(|&first| first < end) {
            let horizon = first.saturating_add(self.lookahead).min(end);
            for (partition, nodes) in self.partitions.iter_mut().enumerate() {
                self.links.current = partition;
                while let Some(event) = self.links.queues[partition].pop_before(horizon) {
                    self.handled += 1;
                    nodes[event.node()].handle(event, &mut self.links);
                }
            }
        }
        self.now = end;
        self.next_at().is_some()
    }

    /// When the first event is due, if one is.
    pub fn next_at(&self) -> Option<Time> {
        let first = self.links.queues.iter().map(|queue| queue.next_at()).min();
        first.filter(|&at| at < Time::MAX)
    }
}
