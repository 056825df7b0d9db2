//! [`Acknowledger`]: which packets in order a receiver answers, and when.

use super::{Acks, Feedback, Seq};
use bandwise_units::Time;

/// What a receiver owes its sender.
#[derive(Debug, Clone)]
pub(super) struct Acknowledger {
    /// When the acknowledgement of the packets that wait for one is due; [`Time::MAX`]: none does.
    pub deadline: Time,
    /// How many packets in order wait for an acknowledgement.
    waiting: u32,
}

impl Acknowledger {
    pub fn new() -> Self {
        Acknowledger { deadline: Time::MAX, waiting: 0 }
    }

    /// A packet in order arrived, after which all below `cumulative` are there. `urgent`: it
    /// filled a gap.
    #[inline]
    pub fn in_order(
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
                    return Some(self.now(Feedback::ack(cumulative)));
                }
                self.deadline = self.deadline.min(now.saturating_add(after));
                None
            }
        }
    }

    /// A packet came twice: the acknowledgement of the first may be lost.
    #[inline]
    pub fn twice(&mut self, acks: &Acks, cumulative: Seq, complete: bool) -> Option<Feedback> {
        let silent = matches!(acks, Acks::OnCompletion) && !complete;
        (!silent).then(|| self.now(Feedback::ack(cumulative)))
    }

    /// Any feedback acknowledges all that wait.
    #[inline]
    pub fn now(&mut self, feedback: Feedback) -> Feedback {
        (self.deadline, self.waiting) = (Time::MAX, 0);
        feedback
    }

    /// The time `now` has come.
    pub fn on_timeout(&mut self, now: Time, cumulative: Seq) -> Option<Feedback> {
        (now >= self.deadline && self.waiting > 0).then(|| self.now(Feedback::ack(cumulative)))
    }
}
