//! [`Sender`] and [`Receiver`]: enums over the transports, without dynamic dispatch.

use super::{
    Arrival, Feedback, Progress, Recovery, Seq, Transmit, TransportSettings, irn, iwarp, roce,
};
use bandwise_units::Time;

/// Largest number of packets in a flow: half the range of a [`Seq`], so that windows beyond the
/// last packet do not wrap around. With packets of 1 KB this is 2 TB.
pub const MAX_PACKETS: u32 = 1 << 31;

/// The sending end of one flow.
///
/// A driver requests packets while the link is free ([`next`](Self::next)), passes in the
/// receiver's feedback, and calls [`on_timeout`](Self::on_timeout) at the
/// [`deadline`](Self::deadline). The deadline changes with almost every call, mostly to a later
/// time. A driver may therefore keep an earlier event and query the deadline again when it fires.
/// The deadline becomes earlier only in [`on_feedback`](Self::on_feedback), if an acknowledgement
/// leaves so few packets in flight that the short timeout applies.
///
/// Each call takes the settings with which the flow was created.
#[derive(Debug, Clone)]
pub enum Sender {
    /// Go-back-N.
    GoBackN(roce::Sender),
    /// Selective retransmission, with or without selective acknowledgements.
    Selective(irn::Sender),
    /// TCP, boxed so that flows of other transports stay small.
    Tcp(Box<iwarp::Sender>),
}

/// Calls a method of the variant.
macro_rules! each {
    ($self:expr, $end:ident, [$($variant:ident),+], $call:expr) => {
        match $self { $(Self::$variant($end) => $call,)+ }
    };
}

impl Sender {
    /// Creates the sender of a flow of 1 to [`MAX_PACKETS`] packets.
    ///
    /// # Panics
    ///
    /// If `packets` is out of range.
    pub fn new(settings: &TransportSettings, packets: u32) -> Self {
        assert!((1..=MAX_PACKETS).contains(&packets), "a flow has 1 to 2^31 packets");
        match settings.recovery {
            Recovery::GoBackN => Sender::GoBackN(roce::Sender::new(settings, packets)),
            Recovery::Selective { .. } | Recovery::SelectiveWithoutSack => {
                Sender::Selective(irn::Sender::new(settings, packets))
            }
            Recovery::Tcp { initial_window } => {
                Sender::Tcp(Box::new(iwarp::Sender::new(settings, initial_window.get(), packets)))
            }
        }
    }

    /// Resets to the state of [`new`](Self::new), reusing the memory of a finished flow.
    ///
    /// # Panics
    ///
    /// If `packets` is out of range.
    pub fn reset(&mut self, settings: &TransportSettings, packets: u32) {
        assert!((1..=MAX_PACKETS).contains(&packets), "a flow has 1 to 2^31 packets");
        match (&mut *self, settings.recovery) {
            (Sender::GoBackN(sender), Recovery::GoBackN) => sender.reset(settings, packets),
            (
                Sender::Selective(sender),
                Recovery::Selective { .. } | Recovery::SelectiveWithoutSack,
            ) => sender.reset(settings, packets),
            _ => *self = Sender::new(settings, packets),
        }
    }

    /// Returns when the next packet may be sent: `now`, later if a retransmission is being fetched,
    /// or [`Time::MAX`] if only feedback or a timeout can change that. `cwnd` is the congestion
    /// window in packets, [`u32::MAX`] for none.
    #[inline]
    pub fn next_at(&self, settings: &TransportSettings, now: Time, cwnd: u32) -> Time {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.next_at(settings, now, cwnd))
    }

    /// Returns the packet to send at `now`, and counts it as sent. Returns `None` if
    /// [`next_at`](Self::next_at) is later.
    #[inline(always)] // drivers may have several call sites
    pub fn next(&mut self, settings: &TransportSettings, now: Time, cwnd: u32) -> Option<Transmit> {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.next(settings, now, cwnd))
    }

    /// Processes the receiver's feedback.
    #[inline(always)] // drivers may have several call sites
    pub fn on_feedback(
        &mut self,
        settings: &TransportSettings,
        now: Time,
        feedback: Feedback,
    ) -> Progress {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.on_feedback(settings, now, feedback))
    }

    /// Returns when the retransmission timer expires, or [`Time::MAX`] if it is not running.
    #[inline]
    pub fn deadline(&self, settings: &TransportSettings) -> Time {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.deadline(settings))
    }

    /// Handles the retransmission timer. Returns whether it has expired. Before the deadline,
    /// nothing changes.
    pub fn on_timeout(&mut self, settings: &TransportSettings, now: Time) -> bool {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.on_timeout(settings, now))
    }

    /// Returns the number of packets in the flow.
    #[inline]
    pub fn packets(&self) -> u32 {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.packets)
    }

    /// Returns whether all packets are acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.is_done())
    }

    /// Returns the packets in flight, from the first unacknowledged one to the last sent. After
    /// go-back-N goes back, it counts up to the next packet to send.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.in_flight())
    }
}

/// The receiving end of one flow.
///
/// A flow is complete when the receiver has all packets ([`is_complete`](Self::is_complete)), which
/// defines its completion time. The sender detects this half a round trip later, or after a
/// repetition of a lost last acknowledgement.
#[derive(Debug, Clone)]
pub enum Receiver {
    /// Accepts packets in order and drops all others.
    InOrder(roce::Receiver),
    /// Accepts packets out of order.
    AnyOrder(irn::Receiver),
}

impl Receiver {
    /// Creates the receiver of a flow of 1 to [`MAX_PACKETS`] packets.
    ///
    /// # Panics
    ///
    /// If `packets` is out of range.
    pub fn new(settings: &TransportSettings, packets: u32) -> Self {
        assert!((1..=MAX_PACKETS).contains(&packets), "a flow has 1 to 2^31 packets");
        match settings.recovery {
            Recovery::GoBackN => Receiver::InOrder(roce::Receiver::new(packets)),
            _ => Receiver::AnyOrder(irn::Receiver::new(packets)),
        }
    }

    /// Resets to the state of [`new`](Self::new), reusing the memory of a finished flow.
    ///
    /// # Panics
    ///
    /// If `packets` is out of range.
    pub fn reset(&mut self, settings: &TransportSettings, packets: u32) {
        assert!((1..=MAX_PACKETS).contains(&packets), "a flow has 1 to 2^31 packets");
        match self {
            Receiver::AnyOrder(receiver) if settings.recovery != Recovery::GoBackN => {
                receiver.reset(packets);
            }
            _ => *self = Receiver::new(settings, packets),
        }
    }

    /// Processes a data packet.
    #[inline(always)] // drivers may have several call sites
    pub fn on_data(&mut self, settings: &TransportSettings, now: Time, seq: Seq) -> Arrival {
        each!(self, receiver, [InOrder, AnyOrder], receiver.on_data(settings, now, seq))
    }

    /// Returns when a delayed acknowledgement is due, or [`Time::MAX`] if none is.
    #[inline]
    pub fn deadline(&self) -> Time {
        each!(self, receiver, [InOrder, AnyOrder], receiver.acks.deadline)
    }

    /// Returns the delayed acknowledgement if it is due.
    pub fn on_timeout(&mut self, now: Time) -> Option<Feedback> {
        each!(self, receiver, [InOrder, AnyOrder], {
            let cumulative = receiver.cumulative();
            receiver.acks.on_timeout(now, cumulative)
        })
    }

    /// Returns the number of packets received.
    #[inline]
    pub fn received(&self) -> u32 {
        each!(self, receiver, [InOrder, AnyOrder], receiver.received())
    }

    /// Returns whether all packets have been received.
    #[inline]
    pub fn is_complete(&self) -> bool {
        each!(self, receiver, [InOrder, AnyOrder], receiver.is_complete())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simulated host has thousands of flows, so their size determines what fits the cache.
    #[test]
    fn the_state_of_a_flow_is_small() {
        assert!(size_of::<Sender>() <= 96 && size_of::<Receiver>() <= 72);
        assert!(size_of::<Arrival>() <= 16 && size_of::<Progress>() <= 8);
    }

    #[test]
    #[should_panic(expected = "1 to 2^31 packets")]
    fn an_empty_flow_is_refused() {
        Sender::new(&TransportSettings::irn(), 0);
    }
}
