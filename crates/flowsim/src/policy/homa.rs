//! [`Homa`].

use super::{FlowView, HELD, Moves, Newcomer, Placement, Policy, QueueChoice, Scene};
use crate::flow::FlowId;
use crate::rate::Volume;
use bandwise_random::mix;
use bandwise_units::Bytes;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Homa at the level of flows (Montazeri et al., "Homa: A Receiver-Driven Low-Latency Transport
/// Protocol Using Network Priorities", SIGCOMM 2018, 3; Saba 4.6.4). A flow is a message, and the
/// last link of its path leads to its receiver.
///
/// - The first bytes of a message, up to those in flight in a round trip, are *unscheduled*: they
///   are sent at once, at a priority by the size of the message (the paper's 3.4).
/// - The rest is *scheduled*. A receiver grants the messages with the fewest bytes left, up to its
///   degree of overcommitment (3.5). Of messages with equal remainders it grants those that it has
///   known longest, an order that differs between receivers. Others may not send.
/// - Granted messages may share a link at their sender (3.2), at their receiver or in between. The
///   one with the fewest bytes left goes first, below all unscheduled ones.
///
/// Approximations: Grants take no time. Each granted message has a priority of its own on a link,
/// whereas Homa has one priority per granted message of a receiver. Remainders are updated when a
/// message of the receiver starts, ends or has sent its unscheduled bytes, not with every grant.
/// Packets don't wait for each other. Cutoffs are given, not learnt from the traffic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Homa {
    unscheduled: Bytes,
    cutoffs: Vec<Bytes>,
    overcommitment: usize,
    /// The receivers, by the link that leads to each.
    receivers: Vec<Receiver>,
}

/// The scheduled messages of a receiver.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Receiver {
    granted: Vec<Message>,
    /// The messages that may not send. Their remaining bytes do not change.
    held: BTreeSet<Message>,
}

/// A message, ordered by remaining bytes. The start breaks ties only if all else is equal, so that
/// the order of starts at one instant has no effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    left: Volume,
    /// The order among messages with equal remainders, pseudo-random by receiver.
    tie_break: u16,
    path: SmallVec<[u32; 8]>,
    group: u32,
    id: FlowId,
}

impl Message {
    fn of(flow: &FlowView<'_>) -> Message {
        let path: SmallVec<[u32; 8]> = flow.path().collect();
        let tie_break =
            path.iter().fold(u64::from(flow.group), |seed, &link| mix(seed ^ u64::from(link)));
        Message {
            left: flow.left,
            tie_break: tie_break as u16,
            path,
            group: flow.group,
            id: flow.id,
        }
    }

    /// Returns the rank after `first` for the present remainder.
    fn rank(&self, first: u64) -> u64 {
        let left = self.left.bytes().get().min(MOST_LEFT);
        first + (left << u16::BITS) + u64::from(self.tie_break)
    }
}

/// The number of bytes from which ranks do not distinguish messages: the remaining bits of a rank.
const MOST_LEFT: u64 = 1 << 46;

impl Homa {
    /// Returns a policy in which `unscheduled` bytes of each message are sent without a grant,
    /// first those of messages up to the first of `cutoffs`, and so on. A receiver grants
    /// `overcommitment` messages at once, 1 or more.
    ///
    /// The paper's setting is about 10 KB a round trip at 10 Gbps, and 8 priorities in all.
    pub fn new(unscheduled: Bytes, mut cutoffs: Vec<Bytes>, overcommitment: u32) -> Homa {
        cutoffs.sort_unstable();
        let overcommitment = overcommitment.max(1) as usize;
        Homa { unscheduled, cutoffs, overcommitment, receivers: Vec::new() }
    }

    /// Returns the first priority of scheduled bytes.
    fn scheduled(&self) -> u64 {
        self.cutoffs.len() as u64 + 1
    }
}

impl Policy for Homa {
    const HOLDS: bool = true;

    fn place(&mut self, flow: &Newcomer<'_>) -> Placement {
        let queue = QueueChoice::One;
        if flow.left == flow.bytes && self.unscheduled > Bytes::ZERO {
            let rank = self.cutoffs.partition_point(|&cutoff| cutoff < flow.bytes) as u64;
            Placement { rank, queue, kin: None, until: Some(self.unscheduled) }
        } else {
            // The grant is decided before the message has a rate.
            Placement { rank: HELD, queue, kin: None, until: None }
        }
    }

    fn arrange(&mut self, scene: &Scene<'_>, moves: &mut Moves) {
        self.receivers.resize_with(scene.links() as usize, Receiver::default);
        let first = self.scheduled();
        let mut changed: Vec<u32> = scene.left_from().collect();
        for flow in scene.placed().filter(|flow| flow.rank() == HELD) {
            let to = flow.path().next_back().expect("a flow crosses a link");
            self.receivers[to as usize].held.insert(Message::of(&flow));
            changed.push(to);
        }
        changed.sort_unstable();
        changed.dedup();
        for to in changed {
            self.receivers[to as usize].grant(self.overcommitment, first, scene, moves);
        }
    }
}

impl Receiver {
    /// Grants the `most` messages with the fewest remaining bytes, at ranks from `first` on.
    fn grant(&mut self, most: usize, first: u64, scene: &Scene<'_>, moves: &mut Moves) {
        let before: SmallVec<[FlowView<'_>; 8]> =
            self.granted.drain(..).filter_map(|message| scene.get(message.id)).collect();
        self.held.extend(before.iter().map(Message::of));
        self.granted.extend(std::iter::from_fn(|| self.held.pop_first()).take(most));
        for flow in &before {
            if !self.granted.iter().any(|message| message.id == flow.id) {
                moves.flow(flow, HELD);
            }
        }
        // A message with a suitable rank keeps it, because a new rank costs work at each link of
        // the path.
        let mut next = HELD - 1;
        for message in self.granted.iter().rev() {
            let flow = scene.get(message.id).expect("a message that may not send does not end");
            let rank =
                if flow.rank() <= next { flow.rank() } else { message.rank(first).min(next) };
            if rank != flow.rank() {
                moves.flow(&flow, rank);
            }
            next = rank;
        }
    }
}
