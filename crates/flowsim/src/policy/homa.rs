//! [`Homa`].

use super::{FlowView, HELD, Moves, Newcomer, Place, Policy, QueueChoice, Scene};
use bandwise_units::Bytes;

/// Homa at the level of flows (Montazeri and others, "Homa: A Receiver-Driven Low-Latency Transport
/// Protocol Using Network Priorities", SIGCOMM 2018, 3; Saba 4.6.4). A flow is a message, and the last link
/// of its path leads to its receiver.
///
/// - The first bytes of a message, as many as are on the way in a round trip, are *unscheduled*: they are
///   sent at once, at a priority by the size of the message (the paper's 3.4).
/// - The rest is *scheduled*: a receiver grants the messages with the fewest bytes left, so many of them at
///   once (its degree of overcommitment, 3.5), each at a priority of its own below all unscheduled ones, the
///   shortest first. Others may not send.
///
/// What is approximate: grants take no time; priorities of a receiver's messages change when one of them
/// starts, ends or has sent its unscheduled bytes instead of with every grant; a sender serves its granted messages by the priorities that their
/// receivers gave them, and equally within one, instead of the one with the fewest bytes left first; packets
/// don't wait for each other; and cutoffs are given, not learnt from the traffic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Homa {
    unscheduled: Bytes,
    cutoffs: Vec<Bytes>,
    overcommitment: u32,
}

impl Homa {
    /// `unscheduled` bytes of each message are sent without a grant, those of messages up to the first of
    /// `cutoffs` first, and so on. A receiver grants `overcommitment` messages at once; 1 or more.
    ///
    /// The paper's setting is about 10 KB a round trip at 10 Gbps, and 8 priorities in all.
    pub fn new(unscheduled: Bytes, mut cutoffs: Vec<Bytes>, overcommitment: u32) -> Homa {
        cutoffs.sort_unstable();
        Homa { unscheduled, cutoffs, overcommitment: overcommitment.max(1) }
    }

    /// The first priority of scheduled bytes.
    fn scheduled(&self) -> u64 {
        self.cutoffs.len() as u64 + 1
    }
}

impl Policy for Homa {
    fn place(&mut self, flow: &Newcomer<'_>) -> Place {
        let queue = QueueChoice::One;
        if flow.left == flow.bytes && self.unscheduled > Bytes::ZERO {
            let rank = self.cutoffs.partition_point(|&cutoff| cutoff < flow.bytes) as u64;
            Place { rank, queue, kin: Some(0), until: Some(self.unscheduled) }
        } else {
            // Whether it is granted is decided before it has a rate.
            Place { rank: HELD, queue, kin: None, until: None }
        }
    }

    fn arrange(&mut self, scene: &Scene<'_>, moves: &mut Moves) {
        let first = self.scheduled();
        let receiver = |flow: &FlowView<'_>| flow.path().next_back();
        let mut receivers: Vec<u32> = scene.started().filter_map(|flow| receiver(&flow)).collect();
        receivers.extend(scene.left_from());
        receivers.sort_unstable();
        receivers.dedup();
        for to in receivers {
            let is_scheduled =
                |flow: &FlowView<'_>| flow.rank() >= first && receiver(flow) == Some(to);
            let mut flows: Vec<_> = scene.crossing(to).filter(is_scheduled).collect();
            // By start only where nothing else tells them apart, so that those of one instant may start in
            // any order.
            let shortest = |a: &FlowView<'_>, b: &FlowView<'_>| {
                let shortest = a.left.cmp(&b.left).then_with(|| a.path().cmp(b.path()));
                shortest.then_with(|| (a.group, a.id).cmp(&(b.group, b.id)))
            };
            let granted = flows.len().min(self.overcommitment as usize);
            if granted < flows.len() {
                flows.select_nth_unstable_by(granted, shortest);
            }
            let (granted, held) = flows.split_at_mut(granted);
            granted.sort_unstable_by(shortest);
            for (flow, rank) in granted.iter().zip(first..) {
                moves.flow(flow, rank);
            }
            for flow in held.iter().filter(|flow| flow.rank() != HELD) {
                moves.flow(flow, HELD);
            }
        }
    }
}
