//! The engine: independent execution of a network's parts in windows of time.

use super::event::Event;
use super::executor::Executor;
use super::links::{LinkEnd, Links};
use super::partition::Node;
use super::shard::Shard;
use bandwise_units::Time;

/// Nodes in partitions, partitions in shards, and their common time.
///
/// An action in one partition at time t affects another at t plus the *lookahead* at the earliest.
/// The lookahead is the smallest latency of a link between two partitions. All partitions therefore
/// run up to one lookahead beyond the earliest event, each with its state in cache. Within a shard
/// they run one after the other; the executor may run shards in parallel. A single partition needs
/// no windows. Results do not depend on the division into partitions and shards.
#[derive(Debug)]
pub struct Engine<N: Node> {
    shards: Vec<Shard<N>>,
    /// Location of each node.
    locations: Vec<Location>,
    /// Number of nodes pushed so far.
    pushed: usize,
    lookahead: Time,
    now: Time,
}

/// Location of a node: its shard, its partition in the shard, its number in the partition.
#[derive(Debug, Clone, Copy)]
struct Location {
    shard: u32,
    partition: u32,
    number: u32,
}

impl<N: Node> Engine<N> {
    /// Creates an engine for `partition_of.len()` nodes. `partition_of` has the partition of each
    /// node, `shard_of` the shard of each partition.
    ///
    /// Ports are added next ([`Engine::add_port`], [`Engine::join`]), then the nodes in order
    /// ([`Engine::push`]).
    ///
    /// # Panics
    ///
    /// If a partition has more than [`Event::MAX_NODES`] nodes.
    pub fn new(partition_of: &[u32], shard_of: &[u32]) -> Self {
        let shards = shard_of.iter().map(|&shard| shard + 1).max().unwrap_or(1);
        let mut partitioned = vec![0; shards as usize];
        let places = shard_of.iter().map(|&shard| {
            partitioned[shard as usize] += 1;
            partitioned[shard as usize] - 1
        });
        let places: Vec<u32> = places.collect();
        let mut sizes = vec![0; shard_of.len()];
        let location = |&partition: &u32| {
            let partition = partition as usize;
            sizes[partition] += 1;
            let number = sizes[partition] - 1;
            Location { shard: shard_of[partition], partition: places[partition], number }
        };
        let locations: Vec<Location> = partition_of.iter().map(location).collect();
        assert!(sizes.iter().all(|&size| size as usize <= Event::MAX_NODES), "too many nodes");
        let shard = |number| Shard {
            partitions: (0..partitioned[number as usize]).map(|_| Vec::new()).collect(),
            links: Links::new(number, shards, partitioned[number as usize]),
        };
        Engine {
            shards: (0..shards).map(shard).collect(),
            locations,
            pushed: 0,
            lookahead: Time::MAX,
            now: Time::ZERO,
        }
    }

    /// Returns a node's number in its partition, which its events must carry.
    pub fn number(&self, node: usize) -> u32 {
        self.locations[node].number
    }

    /// Adds a port to a node. A packet's arrival causes an event of kind
    /// [`ARRIVAL`](super::ARRIVAL); events of kind [`WAKE`](super::WAKE) serve its sending side.
    /// Both carry `object`.
    ///
    /// # Panics
    ///
    /// If the network has more than [`Event::MAX_ARGS`] ports.
    pub fn add_port(&mut self, node: usize, object: u16) -> LinkEnd {
        let Location { shard, partition, number } = self.locations[node];
        let add = |s: &mut Shard<N>| s.links.add(shard, partition, number, object);
        // All shards number link ends alike.
        self.shards.iter_mut().map(add).last().expect("there is a shard")
    }

    /// Joins two ports by a cable. An action at one end affects the other after `latency` at the
    /// earliest.
    ///
    /// # Panics
    ///
    /// If the ports belong to different partitions and `latency` is zero.
    pub fn join(&mut self, a: LinkEnd, b: LinkEnd, latency: Time) {
        for shard in &mut self.shards {
            let [near, far] = shard.links.join(a, b);
            if near != far {
                assert!(latency > Time::ZERO, "a link between partitions has latency zero");
                self.lookahead = self.lookahead.min(latency);
            }
        }
    }

    /// Adds the next node.
    ///
    /// # Panics
    ///
    /// If all nodes have been added.
    pub fn push(&mut self, node: N) {
        let Location { shard, partition, .. } = self.locations[self.pushed];
        self.shards[shard as usize].partitions[partition as usize].push(node);
        self.pushed += 1;
    }

    /// Returns a node.
    pub fn node(&self, node: usize) -> &N {
        let Location { shard, partition, number } = self.locations[node];
        &self.shards[shard as usize].partitions[partition as usize][number as usize]
    }

    /// Returns a node, and the links as that node sees them.
    pub fn node_mut(&mut self, node: usize) -> (&mut N, &mut Links<N::Packet, N::FlowControl>) {
        let Location { shard, partition, number } = self.locations[node];
        self.shards[shard as usize].node_mut(partition, number)
    }

    /// Returns the links of the shard that contains a link end.
    pub fn links(&self, end: LinkEnd) -> &Links<N::Packet, N::FlowControl> {
        // All shards number link ends alike.
        let shard = self.shards[0].links.shard_of(end);
        &self.shards[shard as usize].links
    }

    /// Returns all nodes, in order.
    pub fn nodes(&self) -> impl Iterator<Item = &N> {
        (0..self.locations.len()).map(|node| self.node(node))
    }

    /// Returns the simulated time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the number of events handled.
    pub fn handled(&self) -> u64 {
        self.shards.iter().map(|shard| shard.links.handled).sum()
    }

    /// Handles all events before `end`, with shards distributed over the executor's workers.
    /// Returns `false` if nothing remains due.
    pub fn run(&mut self, end: Time, executor: &impl Executor) -> bool {
        let mut steps = std::iter::once(end);
        self.run_in_steps(executor, |_| steps.next());
        self.next_at().is_some()
    }

    /// Handles all events before a sequence of times that `next` returns. `next` is called first,
    /// and again whenever all events before its last time have been handled. It may inspect and
    /// change nodes, and ends the run with `None`. Times must not decrease.
    pub fn run_in_steps(
        &mut self,
        executor: &impl Executor,
        mut next: impl FnMut(&mut Checkpoint<'_, '_, N>) -> Option<Time> + Send,
    ) {
        let Engine { shards, locations, lookahead, now, .. } = self;
        let (locations, lookahead) = (&locations[..], *lookahead);
        let plan = |shards: &mut [&mut Shard<N>]| {
            loop {
                deliver(shards);
                let first = shards.iter().map(|shard| shard.first()).min()?;
                if first < *now {
                    return Some(first.saturating_add(lookahead).min(*now));
                }
                for shard in &mut *shards {
                    shard.links.open_mail();
                }
                *now = next(&mut Checkpoint { shards: &mut *shards, locations, now: *now })?;
            }
        };
        executor.rounds(shards, plan, Shard::run);
    }

    /// Returns the time of the first event, or `None` if nothing is due.
    pub fn next_at(&self) -> Option<Time> {
        let first = self.shards.iter().map(Shard::first).min();
        first.filter(|&at| at < Time::MAX)
    }
}

/// Access to all nodes between two steps of [`Engine::run_in_steps`]: all events before the current
/// time have been handled, and no others.
#[derive(Debug)]
pub struct Checkpoint<'a, 'b, N: Node> {
    shards: &'a mut [&'b mut Shard<N>],
    locations: &'a [Location],
    now: Time,
}

impl<N: Node> Checkpoint<'_, '_, N> {
    /// Returns the simulated time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the time of the first event, or `None` if nothing is due.
    pub fn next_at(&self) -> Option<Time> {
        let first = self.shards.iter().map(|shard| shard.first()).min();
        first.filter(|&at| at < Time::MAX)
    }

    /// Returns a node, and the links as that node sees them. Its actions count from the current
    /// time on.
    pub fn node_mut(&mut self, node: usize) -> (&mut N, &mut Links<N::Packet, N::FlowControl>) {
        let Location { shard, partition, number } = self.locations[node];
        self.shards[shard as usize].node_mut(partition, number)
    }
}

/// Exchanges mail between all pairs of shards.
fn deliver<N: Node>(shards: &mut [&mut Shard<N>]) {
    for to in 1..shards.len() {
        for from in 0..to {
            let [a, b] = shards.get_disjoint_mut([from, to]).expect("two distinct shards");
            a.links.exchange_mail(&mut b.links);
        }
    }
}
