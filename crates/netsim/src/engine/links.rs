//! Links: the only channel between nodes. What is on one stands in a ring at the end that it goes
//! to, packets at the receiver's, credits (or whatever goes the other way) at the sender's. A link
//! keeps order, so only the first packet of a ring has an event.

use super::event::{Event, EventQueue};
use crate::ring::Ring;
use bandwise_units::Time;

/// A packet on its way.
#[derive(Debug, Clone, Copy, Default)]
struct Flight<F> {
    /// When the receiver acts on it.
    at: Time,
    packet: F,
}

/// An end of a link, by number.
pub type LinkEnd = u32;

/// One end of a cable: packets come in here, and answers to what goes out.
#[derive(Debug)]
struct End<F, B> {
    /// The far end.
    far: LinkEnd,
    /// The partition of this end's node.
    partition: u32,
    /// Packets on their way here, in order.
    inbound: Ring<Flight<F>>,
    /// The event of an arrival.
    arrival: Event,
    /// What comes back for the packets that went out, by when it counts.
    returning: Ring<(Time, B)>,
    /// The event that looks at the port's sending side.
    wake: Event,
    /// When it will; [`Time::MAX`] if it won't.
    wake_at: Time,
    /// Whether the sending side waits for what comes back.
    waits: bool,
}

/// All links, and the events of all partitions. `F` goes forward, `B` comes back.
///
/// What is sent to another partition is put there at once: it counts from the end of the window on
/// at the earliest, so that the partition sees it in time and not before.
#[derive(Debug)]
pub struct Links<F, B> {
    /// By partition.
    pub(super) queues: Vec<EventQueue>,
    /// The partition whose turn it is.
    pub(super) current: usize,
    ends: Vec<End<F, B>>,
}

impl<F: Copy + Default, B: Copy + Default> Links<F, B> {
    pub(super) fn new(partitions: usize) -> Self {
        let queues = std::iter::repeat_with(EventQueue::default).take(partitions).collect();
        Links { queues, current: 0, ends: Vec::new() }
    }

    /// Adds a port at which packets cause `arrival` and whose sending side is woken by `wake`,
    /// with nothing at its far end yet.
    pub(super) fn add(&mut self, partition: u32, arrival: Event, wake: Event) -> LinkEnd {
        let end = self.ends.len() as LinkEnd;
        self.ends.push(End {
            far: end,
            partition,
            inbound: Ring::new(),
            arrival,
            returning: Ring::new(),
            wake,
            wake_at: Time::MAX,
            waits: false,
        });
        end
    }

    /// Says where a port leads; returns the partitions of both ends.
    pub(super) fn join(&mut self, a: LinkEnd, b: LinkEnd) -> [u32; 2] {
        (self.ends[a as usize].far, self.ends[b as usize].far) = (b, a);
        [a, b].map(|end| self.ends[end as usize].partition)
    }

    /// Sends a packet out of a port: the far end acts on it at `at`, after all those before it.
    #[inline]
    pub fn send(&mut self, port: LinkEnd, at: Time, packet: F) {
        let far = self.ends[port as usize].far;
        let end = &mut self.ends[far as usize];
        if end.inbound.is_empty() {
            self.queues[end.partition as usize].push(end.arrival.moved_to(at));
        }
        end.inbound.push_back(Flight { at, packet });
    }

    /// Takes the packet whose arrival this is.
    #[inline]
    pub fn arrived(&mut self, port: LinkEnd) -> F {
        let end = &mut self.ends[port as usize];
        let packet = end.inbound.pop_front().expect("an arrival has a packet").packet;
        if let Some(next) = end.inbound.front() {
            self.queues[end.partition as usize].push(end.arrival.moved_to(next.at));
        }
        packet
    }

    /// The packets on their way to a port, by when it acts on them.
    pub fn inbound(&self, port: LinkEnd) -> impl Iterator<Item = (Time, F)> + '_ {
        self.ends[port as usize].inbound.iter().map(|flight| (flight.at, flight.packet))
    }

    /// Whether a packet is on its way to a port.
    pub fn is_inbound(&self, port: LinkEnd) -> bool {
        !self.ends[port as usize].inbound.is_empty()
    }

    /// Returns something to the sender at a port's far end, where it counts from `at` on. It is no
    /// event unless the sender waits for it: it looks when it must decide.
    #[inline]
    pub fn give_back(&mut self, port: LinkEnd, at: Time, back: B) {
        let far = self.ends[port as usize].far;
        let end = &mut self.ends[far as usize];
        // Small packets leave a buffer while a large one still does: their credits overtake.
        end.returning.insert((at, back), |&(other, _)| other > at);
        if end.waits && at < end.wake_at {
            end.wake_at = at;
            self.queues[end.partition as usize].push(end.wake.moved_to(at));
        }
    }

    /// Takes the next of what has come back by `now`.
    #[inline]
    pub fn came_back(&mut self, port: LinkEnd, now: Time) -> Option<B> {
        let returning = &mut self.ends[port as usize].returning;
        let &(at, back) = returning.front()?;
        if at > now {
            return None;
        }
        returning.pop_front();
        Some(back)
    }

    /// What is still to come back, or to be looked at, by when it counts.
    pub fn returning(&self, port: LinkEnd) -> impl Iterator<Item = (Time, B)> + '_ {
        self.ends[port as usize].returning.iter().copied()
    }

    /// Sees to it that a port's sending side is looked at, at `at` or before.
    #[inline]
    pub fn wake(&mut self, port: LinkEnd, at: Time) {
        let end = &mut self.ends[port as usize];
        if at < end.wake_at {
            end.wake_at = at;
            self.queues[end.partition as usize].push(end.wake.moved_to(at));
        }
    }

    /// The sending side is being looked at.
    #[inline]
    pub fn woke(&mut self, port: LinkEnd, now: Time) {
        let end = &mut self.ends[port as usize];
        if end.wake_at <= now {
            end.wake_at = Time::MAX;
        }
    }

    /// The sending side can't do anything before the next thing comes back: it is looked at then.
    pub fn wait(&mut self, port: LinkEnd) {
        let end = &mut self.ends[port as usize];
        end.waits = true;
        if let Some(&(at, _)) = end.returning.front() {
            self.wake(port, at);
        }
    }

    /// The sending side waits no longer.
    #[inline]
    pub fn waits_no_longer(&mut self, port: LinkEnd) {
        self.ends[port as usize].waits = false;
    }

    /// Whether the sending side waits for what comes back.
    #[inline]
    pub fn waits(&self, port: LinkEnd) -> bool {
        self.ends[port as usize].waits
    }

    /// Adds an event of a node whose turn it is.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.queues[self.current].push(event);
    }
}
