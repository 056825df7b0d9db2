//! Links: the only channel between nodes. What is on one stands in a ring at the end that it goes
//! to, packets at the receiver's, credits (or whatever goes the other way) at the sender's. A link
//! keeps order, so only the first packet of a ring has an event.

use super::event::{Event, EventQueue};
use super::partition::{ARRIVAL, WAKE};
use crate::base::ring::Ring;
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
    /// The shard of this end's node, and the partition of that shard.
    shard: u32,
    partition: u32,
    /// Packets on their way here, in order.
    inbound: Ring<Flight<F>>,
    /// What comes back for the packets that went out, by when it counts.
    returning: Ring<(Time, B)>,
    /// The event that looks at the port's sending side; at [`Time::MAX`] if none will.
    wake: Event,
    /// Whether the sending side waits for what comes back.
    waits: bool,
}

/// What goes to an end in another shard.
#[derive(Debug, Clone, Copy)]
enum Mail<F, B> {
    Packet { to: LinkEnd, at: Time, packet: F },
    Back { to: LinkEnd, at: Time, back: B },
}

/// Mail to a shard or from one, and when the first of it matters.
#[derive(Debug)]
struct Mailbox<F, B> {
    mail: Vec<Mail<F, B>>,
    first: Time,
}

impl<F, B> Mailbox<F, B> {
    const fn new() -> Self {
        Mailbox { mail: Vec::new(), first: Time::MAX }
    }

    /// Not often: most links end in the shard that they begin in.
    #[cold]
    fn put(&mut self, at: Time, mail: Mail<F, B>) {
        self.first = self.first.min(at);
        self.mail.push(mail);
    }
}

/// All links, of which those that end in one shard are kept here, and the events of its partitions.
/// `F` goes forward, `B` comes back.
///
/// What is sent to another partition is put there at once: it counts from the end of the window on
/// at the earliest, so that the partition sees it in time and not before. What is sent to another
/// shard is mail until the window's end.
#[derive(Debug)]
pub struct Links<F, B> {
    /// By partition.
    pub(super) queues: Vec<EventQueue>,
    /// By partition: when the first of what its nodes have put off is due.
    pub(super) put_off: Vec<Time>,
    /// The partition whose turn it is, and until when.
    pub(super) current: usize,
    pub(super) horizon: Time,
    /// Events handled so far.
    pub(super) handled: u64,
    /// This shard.
    shard: u32,
    ends: Vec<End<F, B>>,
    /// By shard.
    inboxes: Vec<Mailbox<F, B>>,
    outboxes: Vec<Mailbox<F, B>>,
}

impl<F: Copy + Default, B: Copy + Default> Links<F, B> {
    /// Links as one of `shards` shards has them, with that many partitions.
    pub(super) fn new(shard: u32, shards: u32, partitions: u32) -> Self {
        Links {
            queues: (0..partitions).map(|_| EventQueue::default()).collect(),
            put_off: vec![Time::MAX; partitions as usize],
            current: 0,
            horizon: Time::ZERO,
            handled: 0,
            shard,
            ends: Vec::new(),
            inboxes: (0..shards).map(|_| Mailbox::new()).collect(),
            outboxes: (0..shards).map(|_| Mailbox::new()).collect(),
        }
    }

    /// Adds a port of a node (by its number in the partition) that events call `object`, with
    /// nothing at its far end yet.
    pub(super) fn add(&mut self, shard: u32, partition: u32, node: u32, object: u16) -> LinkEnd {
        assert!(self.ends.len() < Event::MAX_ARGS, "too many ports");
        let end = self.ends.len() as LinkEnd;
        self.ends.push(End {
            far: end,
            shard,
            partition,
            inbound: Ring::new(),
            returning: Ring::new(),
            wake: Event::new(Time::MAX, node, WAKE, object, end),
            waits: false,
        });
        end
    }

    /// The shard in which a link ends.
    pub(super) fn shard_of(&self, end: LinkEnd) -> u32 {
        self.ends[end as usize].shard
    }

    /// When the first event is due or the first mail may matter; [`Time::MAX`] if there is none.
    pub(super) fn first(&self) -> Time {
        let events = self.queues.iter().map(EventQueue::next_at).min();
        let mail = self.inboxes.iter().map(|inbox| inbox.first).min();
        let put_off = self.put_off.iter().min().copied();
        events.into_iter().chain(mail).chain(put_off).min().unwrap_or(Time::MAX)
    }

    /// Gives another shard its mail and takes what that has for this one. All mail from there was
    /// opened before.
    pub(super) fn exchange_mail(&mut self, other: &mut Self) {
        let (here, there) = (self.shard as usize, other.shard as usize);
        std::mem::swap(&mut self.outboxes[there], &mut other.inboxes[here]);
        std::mem::swap(&mut other.outboxes[here], &mut self.inboxes[there]);
    }

    /// Puts on the links what other shards have sent.
    pub(super) fn open_mail(&mut self) {
        for shard in 0..self.inboxes.len() {
            let mut mail = std::mem::take(&mut self.inboxes[shard].mail);
            for mail in mail.drain(..) {
                match mail {
                    Mail::Packet { to, at, packet } => self.bring(to, at, packet),
                    Mail::Back { to, at, back } => self.bring_back(to, at, back),
                }
            }
            self.inboxes[shard] = Mailbox { mail, first: Time::MAX };
        }
    }

    /// Says where a port leads; returns shards and partitions of both ends.
    pub(super) fn join(&mut self, a: LinkEnd, b: LinkEnd) -> [(u32, u32); 2] {
        (self.ends[a as usize].far, self.ends[b as usize].far) = (b, a);
        [a, b].map(|end| (self.ends[end as usize].shard, self.ends[end as usize].partition))
    }

    /// Sends a packet out of a port: the far end acts on it at `at`, after all those before it.
    #[inline(always)] // or it is passed through memory
    pub fn send(&mut self, port: LinkEnd, at: Time, packet: F) {
        let to = self.ends[port as usize].far;
        let shard = self.ends[to as usize].shard;
        if shard != self.shard {
            return self.outboxes[shard as usize].put(at, Mail::Packet { to, at, packet });
        }
        self.bring(to, at, packet);
    }

    /// A packet will come in at an end.
    #[inline(always)]
    fn bring(&mut self, to: LinkEnd, at: Time, packet: F) {
        let end = &mut self.ends[to as usize];
        if end.inbound.is_empty() {
            self.queues[end.partition as usize].push(end.wake.of_kind(ARRIVAL).moved_to(at));
        }
        end.inbound.push_back(Flight { at, packet });
    }

    /// Takes the packet whose arrival this is.
    #[inline]
    pub fn arrived(&mut self, port: LinkEnd) -> F {
        let end = &mut self.ends[port as usize];
        let packet = end.inbound.pop_front().expect("an arrival has a packet").packet;
        if let Some(next) = end.inbound.front() {
            self.queues[end.partition as usize].push(end.wake.of_kind(ARRIVAL).moved_to(next.at));
        }
        packet
    }

    /// The packet that will arrive next at a port, if it is on its way.
    #[inline]
    pub fn first_inbound(&self, port: LinkEnd) -> Option<&F> {
        self.ends[port as usize].inbound.front().map(|flight| &flight.packet)
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
        let to = self.ends[port as usize].far;
        let shard = self.ends[to as usize].shard;
        if shard != self.shard {
            return self.outboxes[shard as usize].put(at, Mail::Back { to, at, back });
        }
        self.bring_back(to, at, back);
    }

    /// Something will have come back to an end.
    #[inline]
    fn bring_back(&mut self, to: LinkEnd, at: Time, back: B) {
        let end = &mut self.ends[to as usize];
        // Small packets leave a buffer while a large one still does: their credits overtake.
        end.returning.insert((at, back), |&(other, _)| other > at);
        if end.waits && at < end.wake.at() {
            end.wake = end.wake.moved_to(at);
            self.queues[end.partition as usize].push(end.wake);
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
        if at < end.wake.at() {
            end.wake = end.wake.moved_to(at);
            self.queues[end.partition as usize].push(end.wake);
        }
    }

    /// Takes an event at `at` of the node whose turn it is as if it had been in its queue, if it would be the very next
    /// one; whether it would.
    #[inline]
    pub fn take_at_once(&mut self, at: Time) -> bool {
        let is_next = at < self.horizon && at < self.queues[self.current].next_at();
        self.handled += u64::from(is_next);
        is_next
    }

    /// The sending side is being looked at.
    #[inline]
    pub fn woke(&mut self, port: LinkEnd, now: Time) {
        let end = &mut self.ends[port as usize];
        if end.wake.at() <= now {
            end.wake = end.wake.moved_to(Time::MAX);
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

    /// Adds an event of a node whose turn it is.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.queues[self.current].push(event);
    }
}
