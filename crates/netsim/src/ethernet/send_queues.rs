//! What waits at a host to be sent, by traffic class: flows that take turns or poll, and
//! acknowledgements.

use super::classes::{Classes, DeficitRoundRobin};
use super::features::{Features, class};
use super::packet::{CLASSES, Packet};
use super::polls::{self, QueuedFlow};
use super::telemetry::Frame;
use crate::base::ring::Ring;
use bandwise_units::Time;

/// A line for each class.
#[derive(Debug)]
pub(super) struct SendQueues<F: Features> {
    classes: Classes,
    turns: DeficitRoundRobin,
    /// How often flows look whether the link is free; they take turns if not given.
    poll: Option<Time>,
    /// By class.
    lines: [SendQueue<F::Frame>; CLASSES],
    /// Classes with something in line, a set.
    waiting: u8,
    /// Something was added since somebody asked.
    grew: bool,
}

#[derive(Debug)]
struct SendQueue<P> {
    /// Flows that may send, in turn.
    flows: Ring<QueuedFlow>,
    acks: Ring<P>,
}

/// What goes next of a class.
#[derive(Debug)]
pub(super) enum Next<P> {
    /// An acknowledgement: they go before data.
    Ack(P),
    /// A packet of the flow of this key, if it has one.
    Flow(u32),
    /// Nothing before that time, as long as nothing else gets in line.
    Later(Time),
}

impl<F: Features> SendQueues<F> {
    pub fn new(classes: &Classes, poll: Option<Time>) -> Self {
        let line = || SendQueue { flows: Ring::new(), acks: Ring::new() };
        SendQueues {
            classes: classes.clone(),
            turns: DeficitRoundRobin::default(),
            poll,
            lines: std::array::from_fn(|_| line()),
            waiting: 0,
            grew: false,
        }
    }

    /// Classes with something in line, a set.
    #[inline]
    pub fn waiting(&self) -> u8 {
        self.waiting
    }

    /// Whether something was added since this was asked.
    #[inline]
    pub fn grew(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    /// Adds a flow of a class, which may send from `now` on.
    #[inline]
    pub fn add(&mut self, now: Time, class: u8, flow: u32) {
        let class = if F::CLASSES { usize::from(class) % CLASSES } else { 0 };
        self.waiting |= 1 << class;
        self.grew = true;
        self.lines[class].flows.push_back(QueuedFlow::new(flow, now, self.poll));
    }

    /// Adds an acknowledgement.
    #[inline]
    pub fn answer(&mut self, ack: F::Frame) {
        let class = class::<F>(ack.packet());
        self.waiting |= 1 << class;
        self.grew = true;
        self.lines[class].acks.push_back(ack);
    }

    /// Takes what goes next, of these classes: a set in which one waits at least. The link is free.
    #[inline]
    pub fn take(&mut self, now: Time, ready: u8) -> Option<Next<F::Frame>> {
        let schedule = &self.classes.schedule;
        let class = if F::CLASSES { self.turns.next(schedule, ready) } else { 0 };
        let line = &mut self.lines[class];
        let next = match (line.acks.pop_front(), self.poll) {
            (Some(ack), _) => Some(Next::Ack(ack)),
            (None, None) => line.flows.pop_front().map(|place| Next::Flow(place.key)),
            (None, Some(every)) => match polls::first(line.flows.iter(), now, every) {
                Some((_, wait)) if wait > Time::ZERO => return Some(Next::Later(now + wait)),
                first => first.map(|(index, _)| Next::Flow(line.flows.remove(index).key)),
            },
        };
        self.waiting &= !(u8::from(line.acks.is_empty() && line.flows.is_empty()) << class);
        next
    }

    /// The flow that is in line for longest, of the first class.
    #[inline]
    pub fn first_flow(&self) -> Option<u32> {
        self.lines[0].flows.front().map(|place| place.key)
    }

    /// A packet leaves that was taken, where these classes were ready.
    #[inline]
    pub fn took(&mut self, ready: u8, packet: &Packet) {
        if F::CLASSES {
            self.turns.took(&self.classes.schedule, ready, packet.class(), packet.bytes());
        }
    }
}
