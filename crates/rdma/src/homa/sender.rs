//! [`Sender`]: the messages that leave a host.

use super::{Data, Message, Place, Seq, Settings, ToReceiver, ToSender};
use bandwise_units::Time;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

/// The messages of a host to all others.
///
/// Of those that may send, the one with the fewest packets left goes first (SRPT, Homa 3.2); it does
/// not matter which priority its packets have in the network. Nothing is sent again unless a receiver
/// asks for it (Homa 3.7), and then before what else the message has to send.
#[derive(Debug, Clone, Default)]
pub struct Sender {
    messages: Vec<Option<Outgoing>>,
    /// Those that have something to send; a few that had, when they were last looked at.
    turns: BinaryHeap<Turn>,
    /// How many messages were opened so far.
    opened: u64,
}

/// A message with something to send: the greatest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    /// Packets that were not sent yet, counted down from the most there can be.
    few_left: u32,
    /// The one opened first where as many are left: numbers of messages count down.
    number: u64,
    place: Place,
}

#[derive(Debug, Clone)]
struct Outgoing {
    number: u64,
    packets: u32,
    /// Packets below were sent.
    next: Seq,
    /// Packets below may be.
    granted: Seq,
    /// Packets below are unscheduled.
    unscheduled: Seq,
    unscheduled_priority: u8,
    /// That of scheduled packets: what the last grant said.
    priority: u8,
    /// Sent already and asked for again, and the priority that they then have.
    again: Range<Seq>,
    again_priority: u8,
    /// When the receiver was heard of, or something was sent to it.
    since: Time,
    /// There is a turn of it.
    listed: bool,
    /// The response came.
    done: bool,
}

impl Sender {
    /// A host that sends nothing yet.
    pub fn new() -> Self {
        Sender::default()
    }

    /// A message begins at `now`, at a place that is free.
    pub fn open(&mut self, settings: &Settings, now: Time, place: Place, message: Message) {
        let unscheduled = settings.rtt.get().min(message.packets);
        let outgoing = Outgoing {
            number: u64::MAX - self.opened,
            packets: message.packets,
            next: 0,
            granted: unscheduled,
            unscheduled,
            unscheduled_priority: settings.priorities.unscheduled(message.bytes),
            priority: 0,
            again: 0..0,
            again_priority: 0,
            since: now,
            listed: false,
            done: false,
        };
        self.opened += 1;
        if self.messages.len() <= place as usize {
            self.messages.resize(place as usize + 1, None);
        }
        self.messages[place as usize] = Some(outgoing);
        self.list(place);
    }

    /// Whether there may be a packet to send.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        !self.turns.is_empty()
    }

    /// The packet to send at `now`, which then counts as sent.
    #[inline]
    pub fn next(&mut self, now: Time) -> Option<Data> {
        loop {
            let mut turn = self.turns.peek_mut()?;
            let (number, place) = (turn.number, turn.place);
            let there = self.messages[place as usize].as_mut();
            let message = there.filter(|message| message.number == number);
            let data = message.and_then(|message| {
                let data = message.take(now, place);
                message.listed = message.has_something();
                turn.few_left = message.few_left();
                data.map(|data| (data, message.listed))
            });
            match data {
                Some((data, true)) => return Some(data),
                Some((data, false)) => {
                    PeekMut::pop(turn);
                    return Some(data);
                }
                // It ended while it waited.
                None => PeekMut::pop(turn),
            };
        }
    }

    /// Its receiver says something about a message. Returns what to answer.
    pub fn on_control(&mut self, now: Time, place: Place, said: ToSender) -> Option<ToReceiver> {
        let message = self.messages.get_mut(place as usize)?.as_mut()?;
        message.since = now;
        match said {
            ToSender::Grant { to, priority } => {
                message.grant(to, priority);
                self.list(place);
                None
            }
            ToSender::Resend { from, to, priority } => {
                // Of what was not sent yet, the grant may be lost.
                message.grant(to, priority);
                let again = from..to.min(message.next);
                if !again.is_empty() {
                    (message.again, message.again_priority) = (again, priority);
                }
                self.list(place);
                let first = self.turns.peek().is_none_or(|turn| turn.place == place);
                (!first && self.is_listed(place)).then_some(ToReceiver::Busy)
            }
            ToSender::Busy => None,
            ToSender::Done => {
                message.done = true;
                None
            }
        }
    }

    /// Puts a message in line, if it has something to send and is not there.
    #[inline]
    fn list(&mut self, place: Place) {
        if let Some(message) = &mut self.messages[place as usize]
            && !message.listed
            && message.has_something()
        {
            message.listed = true;
            let (few_left, number) = (message.few_left(), message.number);
            self.turns.push(Turn { few_left, number, place });
        }
    }

    /// When to ask what became of a message whose receiver has everything that it was granted, for
    /// all that is known here; [`Time::MAX`] where there is nothing to ask. It moves to an earlier
    /// time only where the last packet that may go is sent.
    #[inline]
    pub fn deadline(&self, settings: &Settings, place: Place) -> Time {
        match self.messages.get(place as usize) {
            Some(Some(message)) if !message.done && !message.listed => {
                message.since.saturating_add(settings.resend_after)
            }
            _ => Time::MAX,
        }
    }

    /// Asks, if the deadline has come.
    pub fn on_timeout(
        &mut self,
        settings: &Settings,
        now: Time,
        place: Place,
    ) -> Option<ToReceiver> {
        if now < self.deadline(settings, place) {
            return None;
        }
        let message = self.messages[place as usize].as_mut()?;
        message.since = now;
        Some(ToReceiver::Ask)
    }

    fn is_listed(&self, place: Place) -> bool {
        self.message(place).is_some_and(|message| message.listed)
    }

    /// Whether the response to a message came.
    pub fn is_done(&self, place: Place) -> bool {
        self.message(place).is_some_and(|message| message.done)
    }

    /// How many packets of a message were sent, each counted once.
    pub fn sent(&self, place: Place) -> u32 {
        self.message(place).map_or(0, |message| message.next)
    }

    fn message(&self, place: Place) -> Option<&Outgoing> {
        self.messages.get(place as usize)?.as_ref()
    }

    /// Forgets a message: its place is free.
    pub fn close(&mut self, place: Place) {
        if let Some(message) = self.messages.get_mut(place as usize) {
            *message = None;
        }
    }
}

impl Outgoing {
    /// All packets below `to` may be sent. A grant that another has overtaken says nothing.
    #[inline]
    fn grant(&mut self, to: Seq, priority: u8) {
        if to > self.granted {
            self.granted = to.min(self.packets);
            self.priority = priority;
        }
    }

    #[inline]
    fn has_something(&self) -> bool {
        !self.done && (self.next < self.granted || !self.again.is_empty())
    }

    /// Greater, the fewer packets were not sent yet.
    #[inline]
    fn few_left(&self) -> u32 {
        u32::MAX - (self.packets - self.next)
    }

    #[inline]
    fn take(&mut self, now: Time, place: Place) -> Option<Data> {
        if !self.has_something() {
            return None;
        }
        self.since = now;
        if let Some(seq) = self.again.next() {
            let priority = self.again_priority;
            return Some(Data { place, seq, priority, retransmission: true });
        }
        let seq = self.next;
        self.next += 1;
        let is_scheduled = seq >= self.unscheduled;
        let priority = if is_scheduled { self.priority } else { self.unscheduled_priority };
        Some(Data { place, seq, priority, retransmission: false })
    }
}
