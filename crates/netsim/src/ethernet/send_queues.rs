//! Send queues of a host by traffic class: flows that send round-robin or poll, and
//! acknowledgements.

use super::classes::{Classes, DeficitRoundRobin};
use super::features::{Features, class};
use super::packet::{CLASSES, Packet};
use super::polls::{self, QueuedFlow};
use super::telemetry::Frame;
use crate::base::ring::Ring;
use bandwise_units::Time;

/// One send queue per class.
#[derive(Debug)]
pub(super) struct SendQueues<F: Features> {
    classes: Classes,
    scheduler: DeficitRoundRobin,
    /// Interval at which flows poll the link; round-robin if not given.
    poll: Option<Time>,
    /// Queues by class.
    queues: [ClassQueue<F::Frame>; CLASSES],
    /// Set of classes with a queued flow or acknowledgement.
    waiting: u8,
    /// True if a flow or acknowledgement was added since the last query.
    grown: bool,
}

#[derive(Debug)]
struct ClassQueue<P> {
    /// Flows that may send, in order.
    flows: Ring<QueuedFlow>,
    acks: Ring<P>,
}

/// The next item of a class.
#[derive(Debug)]
pub(super) enum Next<P> {
    /// An acknowledgement, which precedes data.
    Ack(P),
    /// A packet of the flow with this key, if it has one.
    Flow(u32),
    /// No packet before this time, unless another one is queued.
    Later(Time),
}

impl<F: Features> SendQueues<F> {
    pub(super) fn new(classes: &Classes, poll: Option<Time>) -> Self {
        let queue = || ClassQueue { flows: Ring::new(), acks: Ring::new() };
        SendQueues {
            classes: classes.clone(),
            scheduler: DeficitRoundRobin::default(),
            poll,
            queues: std::array::from_fn(|_| queue()),
            waiting: 0,
            grown: false,
        }
    }

    /// Returns the set of classes with a queued flow or acknowledgement.
    #[inline]
    pub(super) fn waiting(&self) -> u8 {
        self.waiting
    }

    /// Returns whether a flow or acknowledgement was added since the last call.
    #[inline]
    pub(super) fn take_grown(&mut self) -> bool {
        std::mem::take(&mut self.grown)
    }

    /// Queues a flow of a class that may send from `now` on.
    #[inline]
    pub(super) fn add(&mut self, now: Time, class: u8, flow: u32) {
        let class = if F::CLASSES { usize::from(class) % CLASSES } else { 0 };
        self.waiting |= 1 << class;
        self.grown = true;
        self.queues[class].flows.push_back(QueuedFlow::new(flow, now, self.poll));
    }

    /// Queues an acknowledgement.
    #[inline]
    pub(super) fn add_ack(&mut self, ack: F::Frame) {
        let class = class::<F>(ack.packet());
        self.waiting |= 1 << class;
        self.grown = true;
        self.queues[class].acks.push_back(ack);
    }

    /// Takes the next item of the given classes, at least one of which has something queued. The
    /// link must be free.
    #[inline]
    pub(super) fn take(&mut self, now: Time, ready: u8) -> Option<Next<F::Frame>> {
        let schedule = &self.classes.schedule;
        let class = if F::CLASSES { self.scheduler.next(schedule, ready) } else { 0 };
        let queue = &mut self.queues[class];
        let next = match (queue.acks.pop_front(), self.poll) {
            (Some(ack), _) => Some(Next::Ack(ack)),
            (None, None) => queue.flows.pop_front().map(|flow| Next::Flow(flow.key)),
            (None, Some(interval)) => match polls::first(queue.flows.iter(), now, interval) {
                Some((_, wait)) if wait > Time::ZERO => return Some(Next::Later(now + wait)),
                first => first.map(|(index, _)| Next::Flow(queue.flows.remove(index).key)),
            },
        };
        self.waiting &= !(u8::from(queue.acks.is_empty() && queue.flows.is_empty()) << class);
        next
    }

    /// Returns the flow of class 0 that has been queued longest.
    #[inline]
    pub(super) fn first_flow(&self) -> Option<u32> {
        self.queues[0].flows.front().map(|flow| flow.key)
    }

    /// Accounts for a packet that leaves, taken while the given classes were ready.
    #[inline]
    pub(super) fn sent(&mut self, ready: u8, packet: &Packet) {
        if F::CLASSES {
            self.scheduler.sent(&self.classes.schedule, ready, packet.class(), packet.bytes());
        }
    }
}
