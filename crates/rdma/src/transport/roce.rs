//! Go-back-N, as in today's RoCE NICs (IRN 2.1).

use super::acks::Acknowledger;
use super::timer::Timer;
use super::{Arrival, Feedback, Progress, Seq, Transmit, TransportSettings};
use bandwise_units::Time;

/// A sender of packets in order that retransmits everything from a missing packet on.
#[derive(Debug, Clone)]
pub struct Sender {
    /// All packets below this number are acknowledged.
    cumulative: Seq,
    /// Next packet to send.
    next: Seq,
    /// Packet after the highest ever sent.
    high: Seq,
    pub(super) packets: u32,
    /// Time at which the packets to retransmit are in the NIC (IRN 6.3).
    ready: Time,
    timer: Timer,
}

impl Sender {
    pub(super) fn new(settings: &TransportSettings, packets: u32) -> Self {
        let timer = Timer::new(&settings.timeout);
        Sender { cumulative: 0, next: 0, high: 0, packets, ready: Time::ZERO, timer }
    }

    pub(super) fn reset(&mut self, settings: &TransportSettings, packets: u32) {
        self.timer.reset(&settings.timeout);
        (self.cumulative, self.next, self.high) = (0, 0, 0);
        (self.packets, self.ready) = (packets, Time::ZERO);
    }

    #[inline]
    pub(super) fn next_at(&self, settings: &TransportSettings, now: Time, cwnd: u32) -> Time {
        if self.next >= self.packets || self.in_flight() >= settings.window().min(cwnd) {
            Time::MAX
        } else if self.next < self.high {
            now.max(self.ready)
        } else {
            now
        }
    }

    #[inline]
    pub(super) fn next(
        &mut self,
        settings: &TransportSettings,
        now: Time,
        cwnd: u32,
    ) -> Option<Transmit> {
        if self.next_at(settings, now, cwnd) > now {
            return None;
        }
        let seq = self.next;
        self.next += 1;
        if seq == self.cumulative {
            self.timer.start(now);
        }
        let retransmission = seq < self.high;
        if retransmission {
            self.timer.retransmitted();
        } else {
            self.high = self.next;
            self.timer.sent_new(seq, now);
        }
        Some(Transmit { seq, retransmission })
    }

    #[inline]
    pub(super) fn on_feedback(
        &mut self,
        settings: &TransportSettings,
        now: Time,
        feedback: Feedback,
    ) -> Progress {
        let Feedback { cumulative, nack, .. } = feedback;
        // Overtaken feedback, or feedback on packets that were never sent.
        if cumulative < self.cumulative || cumulative > self.high {
            return Progress { done: self.is_done(), ..Progress::default() };
        }
        let newly_acked = cumulative - self.cumulative;
        if newly_acked > 0 {
            self.cumulative = cumulative;
            // Packets sent before the sender went back may still arrive.
            self.next = self.next.max(cumulative);
            self.timer.acknowledged(&settings.timeout, cumulative, self.in_flight(), now);
        }
        let loss = nack && self.next > self.cumulative;
        if loss {
            self.go_back(settings, now);
        }
        Progress { newly_acked, loss, done: self.is_done() }
    }

    /// Goes back to the first unacknowledged packet. Nothing is in flight then, so the timer starts
    /// with the next packet.
    fn go_back(&mut self, settings: &TransportSettings, now: Time) {
        self.next = self.cumulative;
        self.ready = now.saturating_add(settings.fetch);
        self.timer.stop();
    }

    #[inline]
    pub(super) fn deadline(&self, settings: &TransportSettings) -> Time {
        self.timer.deadline(&settings.timeout, self.in_flight())
    }

    pub(super) fn on_timeout(&mut self, settings: &TransportSettings, now: Time) -> bool {
        let ended = self.timer.expire(&settings.timeout, self.in_flight(), now);
        if ended {
            self.go_back(settings, now);
        }
        ended
    }

    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.cumulative == self.packets
    }

    #[inline]
    pub(super) fn in_flight(&self) -> u32 {
        self.next - self.cumulative
    }
}

/// A receiver that accepts packets in order and drops all others.
#[derive(Debug, Clone)]
pub struct Receiver {
    expected: Seq,
    packets: u32,
    /// A NACK was sent and the requested packet has not arrived. IBTA 9.7: no other NACK is sent
    /// until it has arrived. Otherwise a window of packets in flight would make the sender go back
    /// once for each.
    nacked: bool,
    pub(super) acks: Acknowledger,
}

impl Receiver {
    pub(super) fn new(packets: u32) -> Self {
        Receiver { expected: 0, packets, nacked: false, acks: Acknowledger::new() }
    }

    #[inline]
    pub(super) fn on_data(&mut self, settings: &TransportSettings, now: Time, seq: Seq) -> Arrival {
        if seq == self.expected && seq < self.packets {
            self.expected += 1;
            let urgent = std::mem::take(&mut self.nacked);
            let complete = self.is_complete();
            let reply = self.acks.in_order(&settings.acks, now, self.expected, urgent, complete);
            Arrival { accepted: true, reply }
        } else if seq < self.expected {
            let reply = self.acks.duplicate(&settings.acks, self.expected, self.is_complete());
            Arrival { accepted: false, reply }
        } else {
            let asks = seq < self.packets && !std::mem::replace(&mut self.nacked, true);
            let reply = asks.then(|| self.acks.include(Feedback::nack(self.expected, seq)));
            Arrival { accepted: false, reply }
        }
    }

    #[inline]
    pub(super) fn cumulative(&self) -> Seq {
        self.expected
    }

    #[inline]
    pub(super) fn received(&self) -> u32 {
        self.expected
    }

    #[inline]
    pub(super) fn is_complete(&self) -> bool {
        self.expected == self.packets
    }
}
