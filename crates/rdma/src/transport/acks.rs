//! [`Acknowledger`]: acknowledgement of packets that arrive in order.

use super::{Acks, Feedback, Seq};
use bandwise_units::Time;

/// State of a receiver's pending acknowledgements.
#[derive(Debug, Clone)]
pub(super) struct Acknowledger {
    /// Time at which the pending acknowledgement is due; [`Time::MAX`] if none is pending.
    pub deadline: Time,
    /// Number of packets in order without an acknowledgement.
    waiting: u32,
}

impl Acknowledger {
    pub(super) fn new() -> Self {
        Acknowledger { deadline: Time::MAX, waiting: 0 }
    }

    /// Processes a packet in order, after which all packets below `cumulative` have arrived.
    /// `urgent` packets fill a gap.
    #[inline]
    pub(super) fn in_order(
        &mut self,
        acks: &Acks,
        now: Time,
        cumulative: Seq,
        urgent: bool,
        complete: bool,
    ) -> Option<Feedback> {
        match *acks {
            Acks::EveryPacket => Some(Feedback::ack(cumulative)),
            Acks::OnCompletion => complete.then(|| Feedback::ack(cumulative)),
            Acks::Delayed { every, after } => {
                self.waiting += 1;
                if urgent || complete || self.waiting >= every.get() {
                    return Some(self.include(Feedback::ack(cumulative)));
                }
                self.deadline = self.deadline.min(now.saturating_add(after));
                None
            }
        }
    }

    /// Processes a duplicate, since the first acknowledgement may be lost.
    #[inline]
    pub(super) fn duplicate(
        &mut self,
        acks: &Acks,
        cumulative: Seq,
        complete: bool,
    ) -> Option<Feedback> {
        let silent = matches!(acks, Acks::OnCompletion) && !complete;
        (!silent).then(|| self.include(Feedback::ack(cumulative)))
    }

    /// Resets the pending acknowledgement, which any feedback includes.
    #[inline]
    pub(super) fn include(&mut self, feedback: Feedback) -> Feedback {
        (self.deadline, self.waiting) = (Time::MAX, 0);
        feedback
    }

    /// Returns the pending acknowledgement if it is due by `now`.
    pub(super) fn on_timeout(&mut self, now: Time, cumulative: Seq) -> Option<Feedback> {
        (now >= self.deadline && self.waiting > 0).then(|| self.include(Feedback::ack(cumulative)))
    }
}
