//! [`Pattern`]: who sends to whom in a stage.

use bandwise_units::{BitRate, Bytes, Time};

/// Who sends how much to whom (Saba 2.1.1 and figure 2.1). Instances are numbered from 0; the bytes
/// of a stage are what each of them has to send or to be sent, as said here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// MapReduce: each instance sends its bytes to all others, to each the same.
    Shuffle,
    /// Each instance sends its bytes to its aggregator, the first of which gathers the others'
    /// results, of as many bytes. Aggregators are the first instances, 1 to all but one.
    PartitionAggregate {
        /// How many aggregators there are.
        aggregators: u32,
    },
    /// A star: workers send their bytes to the parameter servers, to each the same, and get as many
    /// back. Servers are the first instances, 1 to all but one.
    ParameterServer {
        /// How many servers there are.
        servers: u32,
    },
    /// All-reduce around a ring: 2 (n - 1) steps by an n-th of the bytes each. As each step depends
    /// on the one before at the neighbour alone, the steps are taken as one stream.
    RingAllReduce,
    /// All-reduce in a binary tree: up to the first instance, then down; each edge carries the bytes.
    TreeAllReduce,
    /// A superstep: each instance sends its bytes to those that follow it, to each the same.
    BulkSynchronous {
        /// How many they are, 1 to all others.
        neighbours: u32,
    },
    /// The first instance sends the bytes to each other one.
    Broadcast,
    /// The same, but each instance hands on to the next what it gets, as peer-to-peer broadcasts do.
    Chain,
}

/// Something to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The instance that sends.
    pub from: u32,
    /// The one that receives, another one.
    pub to: u32,
    /// How much, 1 byte or more.
    pub bytes: Bytes,
}

impl Pattern {
    /// How many phases it has: a phase starts when the one before is over.
    pub const fn phases(self) -> u32 {
        match self {
            Pattern::PartitionAggregate { .. }
            | Pattern::ParameterServer { .. }
            | Pattern::TreeAllReduce => 2,
            _ => 1,
        }
    }

    /// How many bytes go to each of `parts`: the first ones get what is left over.
    fn share(bytes: u64, parts: u32, index: u32) -> u64 {
        bytes / u64::from(parts) + u64::from(u64::from(index) < bytes % u64::from(parts))
    }

    /// Calls `send` with each transfer of a phase among `instances`; nobody sends nothing.
    pub fn transfers(
        self,
        phase: u32,
        instances: u32,
        bytes: Bytes,
        mut send: impl FnMut(Transfer),
    ) {
        let n = instances;
        if n < 2 {
            return;
        }
        let mut go = |from: u32, to: u32, bytes: u64| {
            if bytes > 0 && from != to {
                send(Transfer { from, to, bytes: Bytes::new(bytes) });
            }
        };
        let all = bytes.get();
        match self {
            Pattern::Shuffle => to_next(n, n - 1, all, &mut go),
            Pattern::BulkSynchronous { neighbours } => {
                to_next(n, neighbours.clamp(1, n - 1), all, &mut go);
            }
            Pattern::PartitionAggregate { aggregators } => {
                let k = aggregators.clamp(1, n - 1);
                match phase {
                    0 => (k..n).for_each(|worker| go(worker, worker % k, all)),
                    _ => (1..k).for_each(|aggregator| go(aggregator, 0, all)),
                }
            }
            Pattern::ParameterServer { servers } => {
                let k = servers.clamp(1, n - 1);
                for worker in k..n {
                    for server in 0..k {
                        let bytes = Self::share(all, k, server);
                        match phase {
                            0 => go(worker, server, bytes),
                            _ => go(server, worker, bytes),
                        }
                    }
                }
            }
            Pattern::RingAllReduce => {
                let each = 2 * (u128::from(all) * u128::from(n - 1)).div_ceil(u128::from(n));
                (0..n).for_each(|i| go(i, (i + 1) % n, each as u64));
            }
            Pattern::TreeAllReduce => (1..n).for_each(|child| {
                let parent = (child - 1) / 2;
                match phase {
                    0 => go(child, parent, all),
                    _ => go(parent, child, all),
                }
            }),
            Pattern::Broadcast => (1..n).for_each(|to| go(0, to, all)),
            Pattern::Chain => (1..n).for_each(|to| go(to - 1, to, all)),
        }
    }

    /// What is sent in all.
    pub fn total(self, instances: u32, bytes: Bytes) -> Bytes {
        let mut total = 0;
        for phase in 0..self.phases() {
            self.transfers(phase, instances, bytes, |transfer| total += transfer.bytes.get());
        }
        Bytes::new(total)
    }

    /// How long it takes where each instance has a link of `rate` to itself: each phase as long as
    /// the busiest link.
    pub fn alone(self, instances: u32, bytes: Bytes, rate: BitRate) -> Time {
        let mut time = Time::ZERO;
        let mut busy = vec![(0u64, 0u64); instances as usize];
        for phase in 0..self.phases() {
            busy.fill((0, 0));
            self.transfers(phase, instances, bytes, |transfer| {
                busy[transfer.from as usize].0 += transfer.bytes.get();
                busy[transfer.to as usize].1 += transfer.bytes.get();
            });
            let most = busy.iter().map(|&(out, in_)| out.max(in_)).max().unwrap_or(0);
            time += rate.time_for(Bytes::new(most));
        }
        time
    }
}

/// Each instance sends to the `count` that follow it, round and round.
fn to_next(n: u32, count: u32, bytes: u64, go: &mut impl FnMut(u32, u32, u64)) {
    for from in 0..n {
        for step in 0..count {
            go(from, (from + 1 + step) % n, Pattern::share(bytes, count, step));
        }
    }
}
