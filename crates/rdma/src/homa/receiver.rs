//! [`Receiver`]: the messages that come to a host.

use super::{Message, Place, Seq, Settings, ToReceiver, ToSender};
use crate::transport::RingBitmap;
use bandwise_units::Time;
use std::collections::BTreeSet;

/// The messages of all others to a host.
///
/// Of the messages that are not fully granted, those with the fewest packets missing are granted, as
/// many at a time as there are scheduled priorities (Homa 3.3, 3.5). The shortest has the highest
/// priority of as many as are granted: a message alone has the lowest, so that one that is shorter
/// finds a higher one free (Homa 3.4). A message is granted so far that no more than a round trip's
/// packets are granted and missing.
///
/// Where packets that may be sent don't come, it asks for the first that are missing (Homa 3.7).
#[derive(Debug, Clone, Default)]
pub struct Receiver {
    messages: Vec<Option<Incoming>>,
    /// Those that are not fully granted.
    ungranted: BTreeSet<Rank>,
    /// How many messages were heard of so far.
    heard_of: u64,
}

/// The order of messages that are not fully granted: packets missing; the order in which they were
/// heard of, where as many are.
type Rank = (u32, u64, Place);

#[derive(Debug, Clone)]
struct Incoming {
    number: u64,
    packets: u32,
    /// Packets below may be sent, for all that the sender was told.
    granted: Seq,
    /// Packets below are unscheduled.
    unscheduled: Seq,
    unscheduled_priority: u8,
    /// That of the last grant.
    priority: u8,
    /// What is there: all below its head, and what it holds.
    got: RingBitmap,
    /// When the sender was heard of, or granted something.
    since: Time,
}

/// What became of a DATA packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Whether it was needed: each packet of a message once.
    pub accepted: bool,
    /// Whether the message is complete by it.
    pub completes: bool,
}

impl Receiver {
    /// A host that has heard of nothing yet.
    pub fn new() -> Self {
        Receiver::default()
    }

    /// A packet of a message came; each says how large that is. `tell` is told what to tell whom.
    #[inline]
    pub fn on_data(
        &mut self,
        settings: &Settings,
        now: Time,
        place: Place,
        message: Message,
        seq: Seq,
        mut tell: impl FnMut(Place, ToSender),
    ) -> Arrival {
        let incoming = match self.messages.get_mut(place as usize) {
            Some(Some(incoming)) => incoming,
            _ => self.begin(settings, now, place, message),
        };
        incoming.since = now;
        let before = incoming.rank(place);
        let accepted = seq < incoming.packets && incoming.take(seq);
        if !accepted {
            return Arrival { accepted, completes: false };
        }
        let completes = incoming.missing() == 0;
        let (after, is_granted) = (incoming.rank(place), incoming.is_granted());
        if completes {
            tell(place, ToSender::Done);
        }
        if !is_granted {
            self.ungranted.remove(&before);
            self.ungranted.insert(after);
            self.grant(settings, now, tell);
        }
        Arrival { accepted, completes }
    }

    /// A message is heard of.
    #[cold]
    fn begin(
        &mut self,
        settings: &Settings,
        now: Time,
        place: Place,
        message: Message,
    ) -> &mut Incoming {
        let unscheduled = settings.rtt.get().min(message.packets);
        let incoming = Incoming {
            number: self.heard_of,
            packets: message.packets,
            granted: unscheduled,
            unscheduled,
            unscheduled_priority: settings.priorities.unscheduled(message.bytes),
            priority: 0,
            got: RingBitmap::new(),
            since: now,
        };
        self.heard_of += 1;
        if !incoming.is_granted() {
            self.ungranted.insert(incoming.rank(place));
        }
        if self.messages.len() <= place as usize {
            self.messages.resize(place as usize + 1, None);
        }
        self.messages[place as usize].insert(incoming)
    }

    /// Grants the first messages so much that a round trip's packets are granted and missing. Those
    /// that are fully granted then make room for others.
    fn grant(&mut self, settings: &Settings, now: Time, mut tell: impl FnMut(Place, ToSender)) {
        let most = usize::from(settings.priorities.scheduled());
        loop {
            let active = self.ungranted.len().min(most) as u8;
            let mut complete = None;
            for (&rank, priority) in self.ungranted.iter().zip((0..active).rev()) {
                let place = rank.2;
                let Some(message) = &mut self.messages[place as usize] else { continue };
                let to = message.packets.min(message.received().saturating_add(settings.rtt.get()));
                if to > message.granted {
                    (message.granted, message.priority, message.since) = (to, priority, now);
                    tell(place, ToSender::Grant { to, priority });
                }
                if message.is_granted() {
                    complete.get_or_insert(rank);
                }
            }
            let Some(complete) = complete else { return };
            self.ungranted.remove(&complete);
        }
    }

    /// Its sender says something about a message. Returns what to answer.
    pub fn on_control(
        &mut self,
        settings: &Settings,
        now: Time,
        place: Place,
        message: Message,
        said: ToReceiver,
    ) -> Option<ToSender> {
        let incoming = match self.messages.get_mut(place as usize) {
            Some(Some(incoming)) => incoming,
            // Homa 3.7: nothing of the request came, so that its first bytes are asked for.
            _ if said == ToReceiver::Ask => {
                let to = settings.rtt.get().min(message.packets);
                let priority = settings.priorities.unscheduled(message.bytes);
                return Some(ToSender::Resend { from: 0, to, priority });
            }
            _ => return None,
        };
        match said {
            ToReceiver::Ask if incoming.missing() == 0 => Some(ToSender::Done),
            // What is missing is asked for here when its time has come.
            ToReceiver::Ask => Some(ToSender::Busy),
            ToReceiver::Busy => {
                incoming.since = now;
                None
            }
        }
    }

    /// When to ask for what is missing; [`Time::MAX`] where nothing is that may be sent. It moves to
    /// an earlier time only where the message is granted more, or is heard of first.
    #[inline]
    pub fn deadline(&self, settings: &Settings, place: Place) -> Time {
        match self.message(place) {
            Some(message) if message.received() < message.granted => {
                message.since.saturating_add(settings.resend_after)
            }
            _ => Time::MAX,
        }
    }

    /// Asks for the first packets that are missing, if the deadline has come.
    pub fn on_timeout(&mut self, settings: &Settings, now: Time, place: Place) -> Option<ToSender> {
        if now < self.deadline(settings, place) {
            return None;
        }
        let message = self.messages[place as usize].as_mut()?;
        message.since = now;
        let from = message.got.head();
        let (to, priority) = match from < message.unscheduled {
            true => (message.unscheduled, message.unscheduled_priority),
            false => (message.granted, message.priority),
        };
        let to = message.got.first_one(from).map_or(to, |there| there.min(to));
        Some(ToSender::Resend { from, to, priority })
    }

    /// How many packets of a message are there.
    pub fn received(&self, place: Place) -> u32 {
        self.message(place).map_or(0, Incoming::received)
    }

    /// How many packets of a message its sender was allowed to send; none where it was not heard of.
    pub fn granted(&self, place: Place) -> Option<u32> {
        self.message(place).map(|message| message.granted)
    }

    /// Whether a message is complete.
    pub fn is_complete(&self, place: Place) -> bool {
        self.message(place).is_some_and(|message| message.missing() == 0)
    }

    #[inline]
    fn message(&self, place: Place) -> Option<&Incoming> {
        self.messages.get(place as usize)?.as_ref()
    }

    /// Forgets a message that is complete: its place is free.
    pub fn close(&mut self, place: Place) {
        if let Some(message) = self.messages.get_mut(place as usize) {
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
    fn rank(&self, place: Place) -> Rank {
        (self.missing(), self.number, place)
    }

    /// Takes a packet; whether it is new.
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
