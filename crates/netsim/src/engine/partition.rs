//! Partitions and windows.

use super::event::Event;
use super::links::{Letter, LinkEnd, Links, Mail, Place};
use bandwise_units::Time;
use std::fmt::Debug;

/// The kind of event with which a port's sending side is looked at. At one instant it comes first.
pub const WAKE: u8 = 0;
/// The kind of event with which a packet arrives. Other kinds are the node's own.
pub const ARRIVAL: u8 = 1;

/// Something that packets come to and leave from.
pub trait Node {
    /// What goes over links.
    type Packet: Copy + Debug;
    /// What comes back to the sender of packets: credits, pauses.
    type Back: Copy + Debug;
    /// Does what is due.
    fn handle(&mut self, event: Event, links: &mut Links<Self::Packet, Self::Back>);
}

/// Nodes that share a queue of events.
#[derive(Debug)]
struct Partition<N: Node> {
    nodes: Vec<N>,
    links: Links<N::Packet, N::Back>,
    handled: u64,
}

impl<N: Node> Partition<N> {
    fn run(&mut self, horizon: Time) {
        while let Some(event) = self.links.pop_before(horizon) {
            self.handled += 1;
            self.nodes[event.node()].handle(event, &mut self.links);
        }
    }
}

/// Nodes in partitions, and their time.
///
/// Nothing that happens in one partition at time t matters to another before t plus the
/// *lookahead*, the least latency of any link between two of them. So all of them run up to a
/// lookahead beyond the earliest event, each alone with its state in cache; then what they sent is
/// handed over. A partition by itself needs no windows.
#[derive(Debug)]
pub struct Engine<N: Node> {
    partitions: Vec<Partition<N>>,
    /// Where each node is.
    homes: Vec<Home>,
    lookahead: Time,
    now: Time,
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
        let partition = |size: u32| Partition {
            nodes: Vec::with_capacity(size as usize),
            links: Links::new(),
            handled: 0,
        };
        Engine {
            partitions: sizes.into_iter().map(partition).collect(),
            homes,
            lookahead: Time::MAX,
            now: Time::ZERO,
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
        self.partitions[partition as usize].links.add(event(ARRIVAL), event(WAKE))
    }

    /// Joins two ports by a cable, over which nothing matters at one end before `latency` after
    /// it happened at the other.
    pub fn join(&mut self, a: (usize, LinkEnd), b: (usize, LinkEnd), latency: Time) {
        let place =
            |(node, port): (usize, LinkEnd)| Place { partition: self.homes[node].partition, port };
        let (a, b) = (place(a), place(b));
        for (from, to) in [(a, b), (b, a)] {
            self.partitions[from.partition as usize].links.join(from, to);
        }
        if a.partition != b.partition {
            assert!(latency > Time::ZERO, "partitions need time between them");
            self.lookahead = self.lookahead.min(latency);
        }
    }

    /// Adds the next node.
    pub fn push(&mut self, node: N) {
        let pushed: usize = self.partitions.iter().map(|p| p.nodes.len()).sum();
        self.partitions[self.homes[pushed].partition as usize].nodes.push(node);
    }

    /// A node.
    pub fn node(&self, node: usize) -> &N {
        let Home { partition, number } = self.homes[node];
        &self.partitions[partition as usize].nodes[number as usize]
    }

    /// A node with the links and events of its partition.
    pub fn node_mut(&mut self, node: usize) -> (&mut N, &mut Links<N::Packet, N::Back>) {
        let Home { partition, number } = self.homes[node];
        let Partition { nodes, links, .. } = &mut self.partitions[partition as usize];
        (&mut nodes[number as usize], links)
    }

    /// The links of a node's partition.
    pub fn links(&self, node: usize) -> &Links<N::Packet, N::Back> {
        &self.partitions[self.homes[node].partition as usize].links
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
        self.partitions.iter().map(|p| p.handled).sum()
    }

    /// Handles everything that is due before `end`. False if nothing is due at all any more.
    pub fn run(&mut self, end: Time) -> bool {
        while let Some(first) = self.first().filter(|&first| first < end) {
            let horizon = first.saturating_add(self.lookahead).min(end);
            for partition in &mut self.partitions {
                partition.run(horizon);
            }
            self.hand_over();
        }
        self.now = end;
        self.first().is_some()
    }

    /// When the first event is due.
    fn first(&self) -> Option<Time> {
        let first = self.partitions.iter().map(|p| p.links.next_at()).min();
        first.filter(|&at| at < Time::MAX)
    }

    fn hand_over(&mut self) {
        for from in 0..self.partitions.len() {
            let mut mail = std::mem::take(&mut self.partitions[from].links.mail);
            for Mail { to, at, what } in mail.drain(..) {
                let links = &mut self.partitions[to.partition as usize].links;
                match what {
                    Letter::Packet(packet) => links.deliver(to.port, at, packet),
                    Letter::Back(back) => links.deliver_back(to.port, at, back),
                }
            }
            self.partitions[from].links.mail = mail;
        }
    }
}
