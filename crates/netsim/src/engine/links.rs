//! Links: the only channel between nodes. What is on one stands in a ring at the end that it goes
//! to, packets at the receiver's, credits (or whatever goes the other way) at the sender's. A link
//! keeps order, so only the first packet of a ring has an event.

use super::event::{Event, EventQueue};
use crate::ring::Ring;
use bandwise_units::Time;

/// A packet on its way.
#[derive(Debug, Clone, Copy)]
struct Flight<F> {
    /// When the receiver acts on it.
    at: Time,
    packet: F,
}

/// An end of a link, by its place among those of its partition.
pub type LinkEnd = u32;

/// What the far end of a port is.
#[derive(Debug, Clone, Copy)]
enum Peer {
    Here(LinkEnd),
    There(Place),
}

/// A port of some partition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub partition: u32,
    pub port: LinkEnd,
}

/// One end of a cable: packets come in here, and answers to what goes out.
#[derive(Debug)]
struct End<F, B> {
    peer: Peer,
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

/// Something for another partition.
#[derive(Debug)]
pub(super) struct Mail<F, B> {
    pub to: Place,
    pub at: Time,
    pub what: Letter<F, B>,
}

#[derive(Debug)]
pub(super) enum Letter<F, B> {
    Packet(F),
    Back(B),
}

/// The links of a partition, and the events of its nodes. `F` goes forward, `B` comes back.
#[derive(Debug)]
pub struct Links<F, B> {
    events: EventQueue,
    ends: Vec<End<F, B>>,
    pub(super) mail: Vec<Mail<F, B>>,
}

impl<F: Copy, B: Copy> Links<F, B> {
    pub(super) fn new() -> Self {
        Links { events: EventQueue::default(), ends: Vec::new(), mail: Vec::new() }
    }

    /// Adds a port at which packets cause `arrival` and whose sending side is woken by `wake`,
    /// with nothing at its far end yet.
    pub(super) fn add(&mut self, arrival: Event, wake: Event) -> LinkEnd {
        let port = self.ends.len() as LinkEnd;
        self.ends.push(End {
            peer: Peer::Here(port),
            inbound: Ring::new(),
            arrival,
            returning: Ring::new(),
            wake,
            wake_at: Time::MAX,
            waits: false,
        });
        port
    }

    /// Says where a port leads.
    pub(super) fn join(&mut self, near: Place, far: Place) {
        let here = near.partition == far.partition;
        self.ends[near.port as usize].peer =
            if here { Peer::Here(far.port) } else { Peer::There(far) };
    }

    /// Sends a packet out of a port: the far end acts on it at `at`, after all those before it.
    #[inline]
    pub fn send(&mut self, port: LinkEnd, at: Time, packet: F) {
        match self.ends[port as usize].peer {
            Peer::Here(far) => self.deliver(far, at, packet),
            Peer::There(to) => self.mail.push(Mail { to, at, what: Letter::Packet(packet) }),
        }
    }

    #[inline]
    pub(super) fn deliver(&mut self, port: LinkEnd, at: Time, packet: F) {
        let end = &mut self.ends[port as usize];
        if end.inbound.is_empty() {
            self.events.push(end.arrival.moved_to(at));
        }
        end.inbound.push_back(Flight { at, packet });
    }

    /// Takes the packet whose arrival this is.
    #[inline]
    pub fn arrived(&mut self, port: LinkEnd) -> F {
        let end = &mut self.ends[port as usize];
        let packet = end.inbound.pop_front().expect("an arrival has a packet").packet;
        if let Some(next) = end.inbound.front() {
            self.events.push(end.arrival.moved_to(next.at));
        }
        packet
    }

    /// Whether a packet is on its way to a port.
    pub fn is_inbound(&self, port: LinkEnd) -> bool {
        !self.ends[port as usize].inbound.is_empty()
    }

    /// Returns something to the sender at a port's far end, where it counts from `at` on.
    #[inline]
    pub fn give_back(&mut self, port: LinkEnd, at: Time, back: B) {
        match self.ends[port as usize].peer {
            Peer::Here(far) => self.deliver_back(far, at, back),
            Peer::There(to) => self.mail.push(Mail { to, at, what: Letter::Back(back) }),
        }
    }

    /// What comes back is no event unless the sender waits for it: it looks when it must decide.
    #[inline]
    pub(super) fn deliver_back(&mut self, port: LinkEnd, at: Time, back: B) {
        let end = &mut self.ends[port as usize];
        // Small packets leave a buffer while a large one still does: their credits overtake.
        end.returning.insert((at, back), |&(other, _)| other > at);
        if end.waits && at < end.wake_at {
            end.wake_at = at;
            self.events.push(end.wake.moved_to(at));
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

    /// What is still to come back.
    pub fn returning(&self, port: LinkEnd) -> impl Iterator<Item = B> + '_ {
        self.ends[port as usize].returning.iter().map(|&(_, back)| back)
    }

    /// Sees to it that a port's sending side is looked at, at `at` or before.
    #[inline]
    pub fn wake(&mut self, port: LinkEnd, at: Time) {
        let end = &mut self.ends[port as usize];
        if at < end.wake_at {
            end.wake_at = at;
            self.events.push(end.wake.moved_to(at));
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

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    #[inline]
    pub(super) fn pop_before(&mut self, horizon: Time) -> Option<Event> {
        self.events.pop_before(horizon)
    }

    pub(super) fn next_at(&self) -> Time {
        self.events.next_at()
    }
}
