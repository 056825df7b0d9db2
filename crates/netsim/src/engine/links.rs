//! Links: the only channel between nodes.
//!
//! Packets in flight stand in a ring at the receiving end, and flow-control messages (credits, PFC
//! frames) in a ring at the sending end. A link preserves order, so only the first packet of a ring
//! has an event.

use super::event::{Event, EventQueue};
use super::partition::{ARRIVAL, WAKE};
use crate::base::ring::Ring;
use bandwise_units::Time;

/// A packet in flight.
#[derive(Debug, Clone, Copy, Default)]
struct Flight<P> {
    /// Time at which the receiver acts on the packet.
    at: Time,
    packet: P,
}

/// Number of a link end.
pub type LinkEnd = u32;

/// State of one end of a cable, where packets and flow-control messages arrive.
#[derive(Debug)]
struct EndState<P, F> {
    /// The far end.
    far: LinkEnd,
    /// The shard of this end's node, and the node's partition within the shard.
    shard: u32,
    partition: u32,
    /// Packets in flight to this end, in order.
    inbound: Ring<Flight<P>>,
    /// Flow-control messages for this sender, ordered by the time from which they count.
    flow_control: Ring<(Time, F)>,
    /// The event that serves the port's sending side, at [`Time::MAX`] if none is pending.
    wake: Event,
    /// The sending side can't send before the next flow-control message.
    waits: bool,
}

/// A message to an end in another shard.
#[derive(Debug, Clone, Copy)]
enum Mail<P, F> {
    Packet { to: LinkEnd, at: Time, packet: P },
    FlowControl { to: LinkEnd, at: Time, message: F },
}

/// Messages between two shards, and the time at which the first of them counts.
#[derive(Debug)]
struct Mailbox<P, F> {
    mail: Vec<Mail<P, F>>,
    first: Time,
}

impl<P, F> Mailbox<P, F> {
    const fn new() -> Self {
        Mailbox { mail: Vec::new(), first: Time::MAX }
    }

    /// Adds a message. Rarely called, since most links begin and end in the same shard.
    #[cold]
    fn put(&mut self, at: Time, mail: Mail<P, F>) {
        self.first = self.first.min(at);
        self.mail.push(mail);
    }
}

/// All links, and the events of one shard's partitions. The state of a link end is kept by the
/// shard that contains it.
///
/// `P` is the type of packets, `F` the type of flow-control messages in the opposite direction. A
/// message to another partition of the shard is delivered at once: it counts from the window's end
/// at the earliest. A message to another shard stays in a mailbox until the window's end.
#[derive(Debug)]
pub struct Links<P, F> {
    /// Event queues by partition.
    pub(super) queues: Vec<EventQueue>,
    /// Due time of the first deferred work of each partition.
    pub(super) deferred: Vec<Time>,
    /// The partition that runs, and the end of its window.
    pub(super) current: usize,
    pub(super) horizon: Time,
    /// Number of events handled.
    pub(super) handled: u64,
    /// Number of this shard.
    shard: u32,
    ends: Vec<EndState<P, F>>,
    /// Mailboxes by shard.
    inboxes: Vec<Mailbox<P, F>>,
    outboxes: Vec<Mailbox<P, F>>,
}

impl<P: Copy + Default, F: Copy + Default> Links<P, F> {
    /// Creates the links of one of `shards` shards, which has `partitions` partitions.
    pub(super) fn new(shard: u32, shards: u32, partitions: u32) -> Self {
        Links {
            queues: (0..partitions).map(|_| EventQueue::default()).collect(),
            deferred: vec![Time::MAX; partitions as usize],
            current: 0,
            horizon: Time::ZERO,
            handled: 0,
            shard,
            ends: Vec::new(),
            inboxes: (0..shards).map(|_| Mailbox::new()).collect(),
            outboxes: (0..shards).map(|_| Mailbox::new()).collect(),
        }
    }

    /// Adds a port of a node, numbered within its partition. Events call the port `object`. Nothing
    /// is connected to it yet.
    pub(super) fn add(&mut self, shard: u32, partition: u32, node: u32, object: u16) -> LinkEnd {
        assert!(self.ends.len() < Event::MAX_ARGS, "too many ports");
        let end = self.ends.len() as LinkEnd;
        self.ends.push(EndState {
            far: end,
            shard,
            partition,
            inbound: Ring::new(),
            flow_control: Ring::new(),
            wake: Event::new(Time::MAX, node, WAKE, object, end),
            waits: false,
        });
        end
    }

    /// Returns the shard that contains a link end.
    pub(super) fn shard_of(&self, end: LinkEnd) -> u32 {
        self.ends[end as usize].shard
    }

    /// Returns when the first event, message or deferred work is due, or [`Time::MAX`] if there is
    /// none.
    pub(super) fn first(&self) -> Time {
        let events = self.queues.iter().map(EventQueue::next_at).min();
        let mail = self.inboxes.iter().map(|inbox| inbox.first).min();
        let deferred = self.deferred.iter().min().copied();
        events.into_iter().chain(mail).chain(deferred).min().unwrap_or(Time::MAX)
    }

    /// Exchanges mailboxes with another shard. Mail received from it earlier must have been opened.
    pub(super) fn exchange_mail(&mut self, other: &mut Self) {
        let (here, there) = (self.shard as usize, other.shard as usize);
        std::mem::swap(&mut self.outboxes[there], &mut other.inboxes[here]);
        std::mem::swap(&mut other.outboxes[here], &mut self.inboxes[there]);
    }

    /// Delivers the messages from other shards.
    pub(super) fn open_mail(&mut self) {
        for shard in 0..self.inboxes.len() {
            let mut mail = std::mem::take(&mut self.inboxes[shard].mail);
            for mail in mail.drain(..) {
                match mail {
                    Mail::Packet { to, at, packet } => self.deliver_packet(to, at, packet),
                    Mail::FlowControl { to, at, message } => {
                        self.deliver_flow_control(to, at, message)
                    }
                }
            }
            self.inboxes[shard] = Mailbox { mail, first: Time::MAX };
        }
    }

    /// Joins two ports by a cable. Returns shard and partition of both ends.
    pub(super) fn join(&mut self, a: LinkEnd, b: LinkEnd) -> [(u32, u32); 2] {
        (self.ends[a as usize].far, self.ends[b as usize].far) = (b, a);
        [a, b].map(|end| (self.ends[end as usize].shard, self.ends[end as usize].partition))
    }

    /// Sends a packet from a port. The far end acts on it at `at`, after all earlier packets.
    #[inline(always)] // otherwise the packet is passed through memory
    pub fn send(&mut self, port: LinkEnd, at: Time, packet: P) {
        let to = self.ends[port as usize].far;
        let shard = self.ends[to as usize].shard;
        if shard != self.shard {
            return self.outboxes[shard as usize].put(at, Mail::Packet { to, at, packet });
        }
        self.deliver_packet(to, at, packet);
    }

    /// Puts a packet into the ring of the end that it arrives at.
    #[inline(always)]
    fn deliver_packet(&mut self, to: LinkEnd, at: Time, packet: P) {
        let end = &mut self.ends[to as usize];
        if end.inbound.is_empty() {
            self.queues[end.partition as usize].push(end.wake.of_kind(ARRIVAL).moved_to(at));
        }
        end.inbound.push_back(Flight { at, packet });
    }

    /// Takes the packet that an arrival event announces.
    ///
    /// # Panics
    ///
    /// If no packet is in flight to the port.
    #[inline]
    pub fn arrived(&mut self, port: LinkEnd) -> P {
        let end = &mut self.ends[port as usize];
        let packet = end.inbound.pop_front().expect("an arrival has a packet").packet;
        if let Some(next) = end.inbound.front() {
            self.queues[end.partition as usize].push(end.wake.of_kind(ARRIVAL).moved_to(next.at));
        }
        packet
    }

    /// Returns the next packet to arrive at a port, if one is in flight.
    #[inline]
    pub fn first_inbound(&self, port: LinkEnd) -> Option<&P> {
        self.ends[port as usize].inbound.front().map(|flight| &flight.packet)
    }

    /// Returns the packets in flight to a port, with the time at which it acts on each.
    pub fn inbound(&self, port: LinkEnd) -> impl Iterator<Item = (Time, P)> + '_ {
        self.ends[port as usize].inbound.iter().map(|flight| (flight.at, flight.packet))
    }

    /// Returns whether a packet is in flight to a port.
    pub fn is_inbound(&self, port: LinkEnd) -> bool {
        !self.ends[port as usize].inbound.is_empty()
    }

    /// Sends a flow-control message to the sender at a port's far end, where it counts from `at`
    /// on. It causes an event only if that sender waits for it; otherwise the sender reads it at
    /// its next decision.
    #[inline]
    pub fn send_flow_control(&mut self, port: LinkEnd, at: Time, message: F) {
        let to = self.ends[port as usize].far;
        let shard = self.ends[to as usize].shard;
        if shard != self.shard {
            return self.outboxes[shard as usize].put(at, Mail::FlowControl { to, at, message });
        }
        self.deliver_flow_control(to, at, message);
    }

    /// Puts a flow-control message into the ring of the end that it arrives at.
    #[inline]
    fn deliver_flow_control(&mut self, to: LinkEnd, at: Time, message: F) {
        let end = &mut self.ends[to as usize];
        // A small packet may leave a buffer while a large one still does; its credits then
        // overtake.
        end.flow_control.insert((at, message), |&(other, _)| other > at);
        if end.waits && at < end.wake.at() {
            end.wake = end.wake.moved_to(at);
            self.queues[end.partition as usize].push(end.wake);
        }
    }

    /// Takes the next flow-control message that counts by `now`.
    #[inline]
    pub fn take_flow_control(&mut self, port: LinkEnd, now: Time) -> Option<F> {
        let queue = &mut self.ends[port as usize].flow_control;
        let &(at, message) = queue.front()?;
        if at > now {
            return None;
        }
        queue.pop_front();
        Some(message)
    }

    /// Returns the flow-control messages not yet taken, with the time from which each counts.
    pub fn pending_flow_control(&self, port: LinkEnd) -> impl Iterator<Item = (Time, F)> + '_ {
        self.ends[port as usize].flow_control.iter().copied()
    }

    /// Ensures that a port's sending side is served at `at` or earlier.
    #[inline]
    pub fn wake(&mut self, port: LinkEnd, at: Time) {
        let end = &mut self.ends[port as usize];
        if at < end.wake.at() {
            end.wake = end.wake.moved_to(at);
            self.queues[end.partition as usize].push(end.wake);
        }
    }

    /// Consumes an event at `at` of the current node without queueing it, if it would be the very
    /// next one. Returns whether it would.
    #[inline]
    pub fn try_take_next(&mut self, at: Time) -> bool {
        let is_next = at < self.horizon && at < self.queues[self.current].next_at();
        self.handled += u64::from(is_next);
        is_next
    }

    /// Clears a port's pending wake event once it is due.
    #[inline]
    pub fn woke(&mut self, port: LinkEnd, now: Time) {
        let end = &mut self.ends[port as usize];
        if end.wake.at() <= now {
            end.wake = end.wake.moved_to(Time::MAX);
        }
    }

    /// Marks a port's sending side as unable to send before its next flow-control message, which
    /// will wake it.
    pub fn wait(&mut self, port: LinkEnd) {
        let end = &mut self.ends[port as usize];
        end.waits = true;
        if let Some(&(at, _)) = end.flow_control.front() {
            self.wake(port, at);
        }
    }

    /// Marks a port's sending side as able to send.
    #[inline]
    pub fn stop_waiting(&mut self, port: LinkEnd) {
        self.ends[port as usize].waits = false;
    }

    /// Adds an event of a node in the current partition.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.queues[self.current].push(event);
    }
}
