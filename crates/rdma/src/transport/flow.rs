//! [`Sender`] and [`Receiver`]: the transports behind one type each, without dynamic dispatch.

use super::{Arrival, Feedback, Progress, Recovery, Seq, Settings, Transmit, irn, iwarp, roce};
use bandwise_units::Time;

/// The most packets of a flow: half of what a [`Seq`] can count, so that windows beyond the last
/// packet do not wrap around. At 1 KB a packet these are 2 TB.
pub const MAX_PACKETS: u32 = 1 << 31;

/// The sending end of one flow.
///
/// A driver asks for packets while the link is free ([`next`](Self::next)), hands in what the
/// receiver answers, and calls [`on_timeout`](Self::on_timeout) when the
/// [`deadline`](Self::deadline) has come. The deadline moves with almost every call, mostly
/// to later: a driver that lets an event stand and asks again when it comes pays little for
/// that. It moves to an earlier time only in [`on_feedback`](Self::on_feedback), where an
/// acknowledgement leaves so few packets in flight that the short timeout holds.
///
/// Each call takes the settings that the flow was made with.
#[derive(Debug, Clone)]
pub enum Sender {
    /// Go-back-N.
    GoBackN(roce::Sender),
    /// Selective retransmission, with or without selective acknowledgements.
    Selective(irn::Sender),
    /// TCP, by itself: flows of the others shall not take more room for it.
    Tcp(Box<iwarp::Sender>),
}

/// Calls a method of whichever end it is.
macro_rules! each {
    ($self:expr, $end:ident, [$($variant:ident),+], $call:expr) => {
        match $self { $(Self::$variant($end) => $call,)+ }
    };
}

impl Sender {
    /// The sender of a flow of 1 to [`MAX_PACKETS`] packets.
    pub fn new(settings: &Settings, packets: u32) -> Self {
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

    /// The same as [`new`](Self::new), in the memory of a flow that is over.
    pub fn reset(&mut self, settings: &Settings, packets: u32) {
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

    /// When the next packet may go: `now`; later, while a retransmission is fetched; or
    /// [`Time::MAX`] if only feedback or the timeout can change that. `cwnd`: the window of a
    /// congestion control in packets, [`u32::MAX`] for none.
    #[inline]
    pub fn next_at(&self, settings: &Settings, now: Time, cwnd: u32) -> Time {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.next_at(settings, now, cwnd))
    }

    /// The packet to send at `now`, which then counts as sent. `None` where
    /// [`next_at`](Self::next_at) is later.
    #[inline(always)] // whoever drives it may have several such places
    pub fn next(&mut self, settings: &Settings, now: Time, cwnd: u32) -> Option<Transmit> {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.next(settings, now, cwnd))
    }

    /// The receiver's answer arrived.
    #[inline(always)] // whoever drives it may have several such places
    pub fn on_feedback(&mut self, settings: &Settings, now: Time, feedback: Feedback) -> Progress {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.on_feedback(settings, now, feedback))
    }

    /// When the retransmission timer ends; [`Time::MAX`] if it does not run.
    #[inline]
    pub fn deadline(&self, settings: &Settings) -> Time {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.deadline(settings))
    }

    /// Gives up what the timer was for, and returns whether it has ended: earlier than the
    /// deadline nothing happens.
    pub fn on_timeout(&mut self, settings: &Settings, now: Time) -> bool {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.on_timeout(settings, now))
    }

    /// How many packets the flow has.
    #[inline]
    pub fn packets(&self) -> u32 {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.packets)
    }

    /// Whether all packets are acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.is_done())
    }

    /// From the first unacknowledged packet to the last that was sent, packets. After going back,
    /// go-back-N counts from there.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        each!(self, sender, [GoBackN, Selective, Tcp], sender.in_flight())
    }
}

/// The receiving end of one flow.
///
/// A flow is complete when the receiver has it all ([`is_complete`](Self::is_complete)): that is
/// what a flow completion time measures. Its sender knows half a round trip later, or when the
/// last acknowledgement that is lost has been repeated.
#[derive(Debug, Clone)]
pub enum Receiver {
    /// Takes packets in order and drops all others.
    InOrder(roce::Receiver),
    /// Keeps what is out of order.
    AnyOrder(irn::Receiver),
}

impl Receiver {
    /// The receiver of a flow of 1 to [`MAX_PACKETS`] packets.
    pub fn new(settings: &Settings, packets: u32) -> Self {
        assert!((1..=MAX_PACKETS).contains(&packets), "a flow has 1 to 2^31 packets");
        match settings.recovery {
            Recovery::GoBackN => Receiver::InOrder(roce::Receiver::new(packets)),
            _ => Receiver::AnyOrder(irn::Receiver::new(packets)),
        }
    }

    /// The same as [`new`](Self::new), in the memory of a flow that is over.
    pub fn reset(&mut self, settings: &Settings, packets: u32) {
        assert!((1..=MAX_PACKETS).contains(&packets), "a flow has 1 to 2^31 packets");
        match self {
            Receiver::AnyOrder(receiver) if settings.recovery != Recovery::GoBackN => {
                receiver.reset(packets);
            }
            _ => *self = Receiver::new(settings, packets),
        }
    }

    /// A data packet arrived.
    #[inline(always)] // whoever drives it may have several such places
    pub fn on_data(&mut self, settings: &Settings, now: Time, seq: Seq) -> Arrival {
        each!(self, receiver, [InOrder, AnyOrder], receiver.on_data(settings, now, seq))
    }

    /// When a delayed acknowledgement is due; [`Time::MAX`] if none is.
    #[inline]
    pub fn deadline(&self) -> Time {
        each!(self, receiver, [InOrder, AnyOrder], receiver.acks.deadline)
    }

    /// The delayed acknowledgement, if it is due.
    pub fn on_timeout(&mut self, now: Time) -> Option<Feedback> {
        each!(self, receiver, [InOrder, AnyOrder], {
            let cumulative = receiver.cumulative();
            receiver.acks.on_timeout(now, cumulative)
        })
    }

    /// How many of the flow's packets it has.
    #[inline]
    pub fn received(&self) -> u32 {
        each!(self, receiver, [InOrder, AnyOrder], receiver.received())
    }

    /// Whether it has them all.
    #[inline]
    pub fn is_complete(&self) -> bool {
        each!(self, receiver, [InOrder, AnyOrder], receiver.is_complete())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simulated host has thousands of flows: what one takes decides what fits the cache.
    #[test]
    fn the_state_of_a_flow_is_small() {
        assert!(size_of::<Sender>() <= 96 && size_of::<Receiver>() <= 72);
        assert!(size_of::<Arrival>() <= 16 && size_of::<Progress>() <= 8);
    }

    #[test]
    #[should_panic(expected = "1 to 2^31 packets")]
    fn a_flow_of_nothing_is_refused() {
        Sender::new(&Settings::irn(), 0);
    }
}
