//! The engine: windows of time in which parts of a network run by themselves.

use super::event::Event;
use super::executor::Executor;
use super::links::{LinkEnd, Links};
use super::partition::Node;
use super::shard::Shard;
use bandwise_units::Time;

/// Nodes in partitions, partitions in shards, and their time.
///
/// Nothing that happens in one partition at time t matters to another before t plus the
/// *lookahead*, the least latency of any link between two of them. So all of them run up to a
/// lookahead beyond the earliest event, each with its state in cache: one after the other within a
/// shard, and the shards at the same time if the executor has hands. A partition by itself needs no
/// windows. The outcome is the same however nodes are parted.
#[derive(Debug)]
pub struct Engine<N: Node> {
    shards: Vec<Shard<N>>,
    /// Where each node is.
    homes: Vec<Home>,
    /// How many of the nodes are there already.
    pushed: usize,
    lookahead: Time,
    now: Time,
}

/// Where a node is: its shard, its partition among that one's, and its number there.
#[derive(Debug, Clone, Copy)]
struct Home {
    shard: u32,
    partition: u32,
    number: u32,
}

impl<N: Node> Engine<N> {
    /// An engine for as many nodes as `partition_of` has entries, each in the partition that its
    /// entry names, in the shard that `shard_of` has for that. Ports come next
    /// ([`Engine::add_port`], [`Engine::join`]), then the nodes themselves, in order
    /// ([`Engine::push`]).
    pub fn new(partition_of: &[u32], shard_of: &[u32]) -> Self {
        let shards = shard_of.iter().map(|&shard| shard + 1).max().unwrap_or(1);
        let mut parted = vec![0; shards as usize];
        let places = shard_of.iter().map(|&shard| {
            parted[shard as usize] += 1;
            parted[shard as usize] - 1
        });
        let places: Vec<u32> = places.collect();
        let mut sizes = vec![0; shard_of.len()];
        let home = |&partition: &u32| {
            let partition = partition as usize;
            sizes[partition] += 1;
            let number = sizes[partition] - 1;
            Home { shard: shard_of[partition], partition: places[partition], number }
        };
        let homes: Vec<Home> = partition_of.iter().map(home).collect();
        assert!(sizes.iter().all(|&size| size as usize <= Event::MAX_NODES), "too many nodes");
        let shard = |number| Shard {
            partitions: (0..parted[number as usize]).map(|_| Vec::new()).collect(),
            links: Links::new(number, shards, parted[number as usize]),
        };
        Engine {
            shards: (0..shards).map(shard).collect(),
            homes,
            pushed: 0,
            lookahead: Time::MAX,
            now: Time::ZERO,
        }
    }

    /// A node's number in its partition: what its events must carry.
    pub fn number(&self, node: usize) -> u32 {
        self.homes[node].number
    }

    /// Adds a port to a node. Packets that come to it cause an event of kind [`ARRIVAL`](super::ARRIVAL),
    /// its sending side is woken by one of kind [`WAKE`](super::WAKE), both about `object`.
    pub fn add_port(&mut self, node: usize, object: u16) -> LinkEnd {
        let Home { shard, partition, number } = self.homes[node];
        let add = |s: &mut Shard<N>| s.links.add(shard, partition, number, object);
        // All shards count ends alike.
        self.shards.iter_mut().map(add).last().expect("there is a shard")
    }

    /// Joins two ports by a cable, over which nothing matters at one end before `latency` after
    /// it happened at the other.
    pub fn join(&mut self, a: LinkEnd, b: LinkEnd, latency: Time) {
        for shard in &mut self.shards {
            let [near, far] = shard.links.join(a, b);
            if near != far {
                assert!(latency > Time::ZERO, "partitions need time between them");
                self.lookahead = self.lookahead.min(latency);
            }
        }
    }

    /// Adds the next node.
    pub fn push(&mut self, node: N) {
        let Home { shard, partition, .. } = self.homes[self.pushed];
        self.shards[shard as usize].partitions[partition as usize].push(node);
        self.pushed += 1;
    }

    /// A node.
    pub fn node(&self, node: usize) -> &N {
        let Home { shard, partition, number } = self.homes[node];
        &self.shards[shard as usize].partitions[partition as usize][number as usize]
    }

    /// A node with the links, as its turn would be.
    pub fn node_mut(&mut self, node: usize) -> (&mut N, &mut Links<N::Packet, N::Back>) {
        let Home { shard, partition, number } = self.homes[node];
        self.shards[shard as usize].node_mut(partition, number)
    }

    /// The links of an end's shard, among them that which ends there.
    pub fn links(&self, end: LinkEnd) -> &Links<N::Packet, N::Back> {
        // All shards count ends alike.
        let shard = self.shards[0].links.shard_of(end);
        &self.shards[shard as usize].links
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
        self.shards.iter().map(|shard| shard.links.handled).sum()
    }

    /// Handles everything that is due before `end`, shards by the hands of `executor`. False if nothing
    /// is due at all any more.
    pub fn run(&mut self, end: Time, executor: &impl Executor) -> bool {
        let mut steps = std::iter::once(end);
        self.run_in_steps(executor, |_| steps.next());
        self.next_at().is_some()
    }

    /// Handles everything that is due before a time, and before the next, and so on, as `next` says:
    /// it is asked first, and whenever all before the last time is done, and may look at nodes and
    /// change them. It ends the run with `None`. Times must not go back.
    pub fn run_in_steps(
        &mut self,
        executor: &impl Executor,
        mut next: impl FnMut(&mut Checkpoint<'_, '_, N>) -> Option<Time> + Send,
    ) {
        let Engine { shards, homes, lookahead, now, .. } = self;
        let (homes, lookahead) = (&homes[..], *lookahead);
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
                *now = next(&mut Checkpoint { shards: &mut *shards, homes, now: *now })?;
            }
        };
        executor.rounds(shards, plan, Shard::run);
    }

    /// When the first event is due, if one is.
    pub fn next_at(&self) -> Option<Time> {
        let first = self.shards.iter().map(Shard::first).min();
        first.filter(|&at| at < Time::MAX)
    }
}

/// All nodes between two steps ([`Engine::run_in_steps`]): what is due before now is done, and nothing
/// else.
#[derive(Debug)]
pub struct Checkpoint<'a, 'b, N: Node> {
    shards: &'a mut [&'b mut Shard<N>],
    homes: &'a [Home],
    now: Time,
}

impl<N: Node> Checkpoint<'_, '_, N> {
    /// Simulated time so far.
    pub fn now(&self) -> Time {
        self.now
    }

    /// When the first event is due, if one is.
    pub fn next_at(&self) -> Option<Time> {
        let first = self.shards.iter().map(|shard| shard.first()).min();
        first.filter(|&at| at < Time::MAX)
    }

    /// A node with the links, as its turn would be. What it does counts from now on.
    pub fn node_mut(&mut self, node: usize) -> (&mut N, &mut Links<N::Packet, N::Back>) {
        let Home { shard, partition, number } = self.homes[node];
        self.shards[shard as usize].node_mut(partition, number)
    }
}

/// Every shard gets its mail from every other.
fn deliver<N: Node>(shards: &mut [&mut Shard<N>]) {
    for to in 1..shards.len() {
        for from in 0..to {
            let [a, b] = shards.get_disjoint_mut([from, to]).expect("they are two");
            a.links.exchange_mail(&mut b.links);
        }
    }
}
