//! [`Receiver`]: the messages that a host receives.

use super::{HomaSettings, Message, Seq, Slot, ToReceiver, ToSender};
use crate::transport::RingBitmap;
use bandwise_units::Time;
use std::collections::BTreeSet;

/// The messages that a host receives from all others.
///
/// Among messages that are not fully granted, those with the fewest missing packets are granted, as
/// many at a time as there are scheduled priorities (Homa 3.3, 3.5). The shortest has the highest
/// priority used. A single message has the lowest, so that a shorter one finds a higher one free
/// (Homa 3.4). A message's grants never exceed its received packets by more than a round trip's
/// worth.
///
/// If granted packets do not arrive, the receiver requests the first missing ones (Homa 3.7).
#[derive(Debug, Clone, Default)]
pub struct Receiver {
    messages: Vec<Option<Incoming>>,
    /// Messages that are not fully granted.
    ungranted: BTreeSet<Rank>,
    /// Number of messages seen so far.
    seen: u64,
}

/// Order of messages that are not fully granted: by missing packets, then by the order of their
/// first packets.
type Rank = (u32, u64, Slot);

#[derive(Debug, Clone)]
struct Incoming {
    number: u64,
    packets: u32,
    /// Packets below this number may be sent, according to the grants sent.
    granted: Seq,
    /// Packets below this number are unscheduled.
    unscheduled: Seq,
    unscheduled_priority: u8,
    /// Priority of the last grant.
    priority: u8,
    /// Received packets: all below its head, and its members.
    got: RingBitmap,
    /// Time of the last packet from the sender, or of the last grant to it.
    since: Time,
}

/// Result of a DATA packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The packet was new.
    pub accepted: bool,
    /// The packet completes its message.
    pub completes: bool,
}

impl Receiver {
    /// Creates a receiver without messages.
    pub fn new() -> Self {
        Receiver::default()
    }

    /// Processes a packet of a message; each packet states the message's size. `send` is called
    /// with the control packets to send.
    #[inline]
    pub fn on_data(
        &mut self,
        settings: &HomaSettings,
        now: Time,
        slot: Slot,
        message: Message,
        seq: Seq,
        mut send: impl FnMut(Slot, ToSender),
    ) -> Arrival {
        let incoming = match self.messages.get_mut(slot as usize) {
            Some(Some(incoming)) => incoming,
            _ => self.begin(settings, now, slot, message),
        };
        incoming.since = now;
        let before = incoming.rank(slot);
        let accepted = seq < incoming.packets && incoming.take(seq);
        if !accepted {
            return Arrival { accepted, completes: false };
        }
        let completes = incoming.missing() == 0;
        let (after, is_granted) = (incoming.rank(slot), incoming.is_granted());
        if completes {
            send(slot, ToSender::Done);
        }
        if !is_granted {
            self.ungranted.remove(&before);
            self.ungranted.insert(after);
            self.grant(settings, now, send);
        }
        Arrival { accepted, completes }
    }

    /// Adds a message after its first packet.
    #[cold]
    fn begin(
        &mut self,
        settings: &HomaSettings,
        now: Time,
        slot: Slot,
        message: Message,
    ) -> &mut Incoming {
        let unscheduled = settings.rtt.get().min(message.packets);
        let incoming = Incoming {
            number: self.seen,
            packets: message.packets,
            granted: unscheduled,
            unscheduled,
            unscheduled_priority: settings.priorities.unscheduled(message.bytes),
            priority: 0,
            got: RingBitmap::new(),
            since: now,
        };
        self.seen += 1;
        if !incoming.is_granted() {
            self.ungranted.insert(incoming.rank(slot));
        }
        if self.messages.len() <= slot as usize {
            self.messages.resize(slot as usize + 1, None);
        }
        self.messages[slot as usize].insert(incoming)
    }

    /// Grants the first messages up to a round trip's packets beyond those received. Fully granted
    /// messages make room for others.
    fn grant(&mut self, settings: &HomaSettings, now: Time, mut send: impl FnMut(Slot, ToSender)) {
        let most = usize::from(settings.priorities.scheduled());
        loop {
            let active = self.ungranted.len().min(most) as u8;
            let mut complete = None;
            for (&rank, priority) in self.ungranted.iter().zip((0..active).rev()) {
                let slot = rank.2;
                let Some(message) = &mut self.messages[slot as usize] else { continue };
                let to = message.packets.min(message.received().saturating_add(settings.rtt.get()));
                if to > message.granted {
                    (message.granted, message.priority, message.since) = (to, priority, now);
                    send(slot, ToSender::Grant { to, priority });
                }
                if message.is_granted() {
                    complete.get_or_insert(rank);
                }
            }
            let Some(complete) = complete else { return };
            self.ungranted.remove(&complete);
        }
    }

    /// Processes a control packet from a message's sender. Returns the response.
    pub fn on_control(
        &mut self,
        settings: &HomaSettings,
        now: Time,
        slot: Slot,
        message: Message,
        control: ToReceiver,
    ) -> Option<ToSender> {
        let incoming = match self.messages.get_mut(slot as usize) {
            Some(Some(incoming)) => incoming,
            // Homa 3.7: no packet of the request has arrived, so its first bytes are requested.
            _ if control == ToReceiver::Resend => {
                let to = settings.rtt.get().min(message.packets);
                let priority = settings.priorities.unscheduled(message.bytes);
                return Some(ToSender::Resend { from: 0, to, priority });
            }
            _ => return None,
        };
        match control {
            ToReceiver::Resend if incoming.missing() == 0 => Some(ToSender::Done),
            // Missing packets are requested at the receiver's own deadline.
            ToReceiver::Resend => Some(ToSender::Busy),
            ToReceiver::Busy => {
                incoming.since = now;
                None
            }
        }
    }

    /// Returns when to request missing packets, or [`Time::MAX`] if no granted packet is missing.
    /// The time becomes earlier only when the message is first seen or granted more.
    #[inline]
    pub fn deadline(&self, settings: &HomaSettings, slot: Slot) -> Time {
        match self.message(slot) {
            Some(message) if message.received() < message.granted => {
                message.since.saturating_add(settings.resend_after)
            }
            _ => Time::MAX,
        }
    }

    /// Requests the first missing packets if the deadline has passed.
    pub fn on_timeout(
        &mut self,
        settings: &HomaSettings,
        now: Time,
        slot: Slot,
    ) -> Option<ToSender> {
        if now < self.deadline(settings, slot) {
            return None;
        }
        let message = self.messages[slot as usize].as_mut()?;
        message.since = now;
        let from = message.got.head();
        let (to, priority) = match from < message.unscheduled {
            true => (message.unscheduled, message.unscheduled_priority),
            false => (message.granted, message.priority),
        };
        let to = message.got.first_one(from).map_or(to, |there| there.min(to));
        Some(ToSender::Resend { from, to, priority })
    }

    /// Returns the number of received packets of a message.
    pub fn received(&self, slot: Slot) -> u32 {
        self.message(slot).map_or(0, Incoming::received)
    }

    /// Returns the number of packets that the sender may send, or `None` for an unknown message.
    pub fn granted(&self, slot: Slot) -> Option<u32> {
        self.message(slot).map(|message| message.granted)
    }

    /// Returns whether a message is complete.
    pub fn is_complete(&self, slot: Slot) -> bool {
        self.message(slot).is_some_and(|message| message.missing() == 0)
    }

    #[inline]
    fn message(&self, slot: Slot) -> Option<&Incoming> {
        self.messages.get(slot as usize)?.as_ref()
    }

    /// Removes a message, which frees its slot.
    pub fn close(&mut self, slot: Slot) {
        if let Some(message) = self.messages.get_mut(slot as usize) {
            *message = None;
        }
    }
}

impl Incoming {
    #[inline]
    fn received(&self) -> u32 {
        self.got.head() + self.got.ones()
    }

    #[inline]
    fn missing(&self) -> u32 {
        self.packets - self.received()
    }

    #[inline]
    fn is_granted(&self) -> bool {
        self.granted == self.packets
    }

    #[inline]
    fn rank(&self, slot: Slot) -> Rank {
        (self.missing(), self.number, slot)
    }

    /// Adds a packet. Returns whether it is new.
    #[inline]
    fn take(&mut self, seq: Seq) -> bool {
        if seq != self.got.head() {
            return self.got.insert(seq);
        }
        self.got.advance(seq + 1);
        if self.got.ones() > 0 {
            self.got.advance_over_ones();
        }
        true
    }
}
