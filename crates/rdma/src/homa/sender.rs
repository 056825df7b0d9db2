//! [`Sender`]: the messages that a host sends.

use super::{Data, HomaSettings, Message, Seq, Slot, ToReceiver, ToSender};
use bandwise_units::Time;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

/// The messages that a host sends to all others.
///
/// Among messages that may send, the one with the fewest packets left is first (SRPT, Homa 3.2),
/// regardless of its packets' priority in the network. A packet is retransmitted only on the
/// receiver's request (Homa 3.7), before the message's other packets.
#[derive(Debug, Clone, Default)]
pub struct Sender {
    messages: Vec<Option<Outgoing>>,
    /// Messages with packets to send; some entries may be stale.
    queue: BinaryHeap<QueuedMessage>,
    /// Number of messages opened so far.
    opened: u64,
}

/// A message with packets to send. The greatest is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueuedMessage {
    /// Unsent packets, subtracted from the largest possible number.
    few_left: u32,
    /// Decreasing number, so that among equals the message opened first is first.
    number: u64,
    slot: Slot,
}

#[derive(Debug, Clone)]
struct Outgoing {
    number: u64,
    packets: u32,
    /// Packets below this number were sent.
    next: Seq,
    /// Packets below this number may be sent.
    granted: Seq,
    /// Packets below this number are unscheduled.
    unscheduled: Seq,
    unscheduled_priority: u8,
    /// Priority of scheduled packets, from the last grant.
    priority: u8,
    /// Packets to retransmit, and their priority.
    retransmit: Range<Seq>,
    retransmit_priority: u8,
    /// Time of the last packet from or to the receiver.
    since: Time,
    /// The message is in the queue.
    queued: bool,
    /// The response has arrived.
    done: bool,
}

impl Sender {
    /// Creates a sender without messages.
    pub fn new() -> Self {
        Sender::default()
    }

    /// Opens a message at `now` in a free slot.
    pub fn open(&mut self, settings: &HomaSettings, now: Time, slot: Slot, message: Message) {
        let unscheduled = settings.rtt.get().min(message.packets);
        let outgoing = Outgoing {
            number: u64::MAX - self.opened,
            packets: message.packets,
            next: 0,
            granted: unscheduled,
            unscheduled,
            unscheduled_priority: settings.priorities.unscheduled(message.bytes),
            priority: 0,
            retransmit: 0..0,
            retransmit_priority: 0,
            since: now,
            queued: false,
            done: false,
        };
        self.opened += 1;
        if self.messages.len() <= slot as usize {
            self.messages.resize(slot as usize + 1, None);
        }
        self.messages[slot as usize] = Some(outgoing);
        self.enqueue(slot);
    }

    /// Returns whether there may be a packet to send.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Returns the packet to send at `now`, and counts it as sent.
    #[inline]
    pub fn next(&mut self, now: Time) -> Option<Data> {
        loop {
            let mut first = self.queue.peek_mut()?;
            let (number, slot) = (first.number, first.slot);
            let there = self.messages[slot as usize].as_mut();
            let message = there.filter(|message| message.number == number);
            let data = message.and_then(|message| {
                let data = message.take(now, slot);
                message.queued = message.has_packets();
                first.few_left = message.few_left();
                data.map(|data| (data, message.queued))
            });
            match data {
                Some((data, true)) => return Some(data),
                Some((data, false)) => {
                    PeekMut::pop(first);
                    return Some(data);
                }
                // The message ended while it was queued.
                None => PeekMut::pop(first),
            };
        }
    }

    /// Processes a control packet from a message's receiver. Returns the response.
    pub fn on_control(&mut self, now: Time, slot: Slot, control: ToSender) -> Option<ToReceiver> {
        let message = self.messages.get_mut(slot as usize)?.as_mut()?;
        message.since = now;
        match control {
            ToSender::Grant { to, priority } => {
                message.grant(to, priority);
                self.enqueue(slot);
                None
            }
            ToSender::Resend { from, to, priority } => {
                // The grant of unsent packets may have been lost.
                message.grant(to, priority);
                let retransmit = from..to.min(message.next);
                if !retransmit.is_empty() {
                    (message.retransmit, message.retransmit_priority) = (retransmit, priority);
                }
                self.enqueue(slot);
                let first = self.queue.peek().is_none_or(|first| first.slot == slot);
                (!first && self.is_queued(slot)).then_some(ToReceiver::Busy)
            }
            ToSender::Busy => None,
            ToSender::Done => {
                message.done = true;
                None
            }
        }
    }

    /// Queues a message with packets to send, if it is not queued yet.
    #[inline]
    fn enqueue(&mut self, slot: Slot) {
        if let Some(message) = &mut self.messages[slot as usize]
            && !message.queued
            && message.has_packets()
        {
            message.queued = true;
            let (few_left, number) = (message.few_left(), message.number);
            self.queue.push(QueuedMessage { few_left, number, slot });
        }
    }

    /// Returns when to request the state of a message after all its granted packets were sent, or
    /// [`Time::MAX`] if there is none to request. The time becomes earlier only when the last
    /// granted packet is sent.
    #[inline]
    pub fn deadline(&self, settings: &HomaSettings, slot: Slot) -> Time {
        match self.messages.get(slot as usize) {
            Some(Some(message)) if !message.done && !message.queued => {
                message.since.saturating_add(settings.resend_after)
            }
            _ => Time::MAX,
        }
    }

    /// Requests the message's state if the deadline has passed.
    pub fn on_timeout(
        &mut self,
        settings: &HomaSettings,
        now: Time,
        slot: Slot,
    ) -> Option<ToReceiver> {
        if now < self.deadline(settings, slot) {
            return None;
        }
        let message = self.messages[slot as usize].as_mut()?;
        message.since = now;
        Some(ToReceiver::Resend)
    }

    fn is_queued(&self, slot: Slot) -> bool {
        self.message(slot).is_some_and(|message| message.queued)
    }

    /// Returns whether the response to a message has arrived.
    pub fn is_done(&self, slot: Slot) -> bool {
        self.message(slot).is_some_and(|message| message.done)
    }

    /// Returns the number of packets of a message that were sent, each counted once.
    pub fn sent(&self, slot: Slot) -> u32 {
        self.message(slot).map_or(0, |message| message.next)
    }

    fn message(&self, slot: Slot) -> Option<&Outgoing> {
        self.messages.get(slot as usize)?.as_ref()
    }

    /// Removes a message, which frees its slot.
    pub fn close(&mut self, slot: Slot) {
        if let Some(message) = self.messages.get_mut(slot as usize) {
            *message = None;
        }
    }
}

impl Outgoing {
    /// Allows packets below `to`. An overtaken grant has no effect.
    #[inline]
    fn grant(&mut self, to: Seq, priority: u8) {
        if to > self.granted {
            self.granted = to.min(self.packets);
            self.priority = priority;
        }
    }

    #[inline]
    fn has_packets(&self) -> bool {
        !self.done && (self.next < self.granted || !self.retransmit.is_empty())
    }

    /// Returns a value that is greater for fewer unsent packets.
    #[inline]
    fn few_left(&self) -> u32 {
        u32::MAX - (self.packets - self.next)
    }

    #[inline]
    fn take(&mut self, now: Time, slot: Slot) -> Option<Data> {
        if !self.has_packets() {
            return None;
        }
        self.since = now;
        if let Some(seq) = self.retransmit.next() {
            let priority = self.retransmit_priority;
            return Some(Data { slot, seq, priority, retransmission: true });
        }
        let seq = self.next;
        self.next += 1;
        let is_scheduled = seq >= self.unscheduled;
        let priority = if is_scheduled { self.priority } else { self.unscheduled_priority };
        Some(Data { slot, seq, priority, retransmission: false })
    }
}
