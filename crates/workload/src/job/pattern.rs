//! [`Pattern`]: the communication of a stage.

use bandwise_units::{BitRate, Bytes, Time};

/// The senders, receivers and sizes of a stage's transfers (Saba 2.1.1 and figure 2.1). Instances
/// are numbered from 0. The variants define the meaning of a stage's bytes for each instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// MapReduce: each instance sends its bytes to all others in equal parts.
    Shuffle,
    /// Each instance sends its bytes to its aggregator. Then the first aggregator gathers the
    /// same number of bytes from each other aggregator. Aggregators are the first instances, 1 to
    /// all but one.
    PartitionAggregate {
        /// The number of aggregators.
        aggregators: u32,
    },
    /// A star: workers send their bytes to the parameter servers in equal parts and receive the
    /// same number. Servers are the first instances, 1 to all but one.
    ParameterServer {
        /// The number of servers.
        servers: u32,
    },
    /// All-reduce around a ring: 2 (n - 1) steps with an n-th of the bytes each. A step depends
    /// only on the previous one of the neighbour, so all steps count as one stream.
    RingAllReduce,
    /// All-reduce in a binary tree: up to the first instance, then down. Each edge carries the
    /// bytes.
    TreeAllReduce,
    /// A superstep: each instance sends its bytes to the next ones in equal parts.
    BulkSynchronous {
        /// The number of receivers of each instance, 1 to all others.
        neighbours: u32,
    },
    /// The first instance sends the bytes to each other one.
    Broadcast,
    /// A broadcast in which each instance forwards the bytes to the next, as in peer-to-peer
    /// broadcasts.
    Chain,
}

/// A transfer between two instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The sending instance.
    pub from: u32,
    /// The receiving instance, different from `from`.
    pub to: u32,
    /// The size, 1 byte or more.
    pub bytes: Bytes,
}

impl Pattern {
    /// Returns the number of phases. A phase starts when the previous one has ended.
    pub const fn phases(self) -> u32 {
        match self {
            Pattern::PartitionAggregate { .. }
            | Pattern::ParameterServer { .. }
            | Pattern::TreeAllReduce => 2,
            _ => 1,
        }
    }

    /// Returns the bytes of part `index` of `parts`. The first parts get the remainder.
    fn share(bytes: u64, parts: u32, index: u32) -> u64 {
        bytes / u64::from(parts) + u64::from(u64::from(index) < bytes % u64::from(parts))
    }

    /// Calls `send` with each transfer of a phase among `instances`. No transfer is empty.
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

    /// Returns the bytes of all transfers.
    pub fn total(self, instances: u32, bytes: Bytes) -> Bytes {
        let mut total = 0;
        for phase in 0..self.phases() {
            self.transfers(phase, instances, bytes, |transfer| total += transfer.bytes.get());
        }
        Bytes::new(total)
    }

    /// Returns the duration with a link of `rate` for each instance: that of the busiest link in
    /// each phase.
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

/// Sends from each instance to the `count` next ones, cyclically.
fn to_next(n: u32, count: u32, bytes: u64, go: &mut impl FnMut(u32, u32, u64)) {
    for from in 0..n {
        for step in 0..count {
            go(from, (from + 1 + step) % n, Pattern::share(bytes, count, step));
        }
    }
}
