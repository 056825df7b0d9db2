//! IRN's loss recovery: selective retransmission (IRN 3.1). Its ablations are settings.

use super::acks::Acknowledger;
use super::bitmap::RingBitmap;
use super::timer::Timer;
use super::{Arrival, Feedback, Progress, Recovery, Seq, Transmit, TransportSettings};
use bandwise_units::Time;

/// A sender that retransmits lost packets, and sends new ones if there are none.
///
/// The state is that of IRN 6.1: the packet to retransmit, the recovery sequence, a bitmap of
/// selective acknowledgements, flags. Points that the paper leaves open are decided as follows:
///
/// - The recovery sequence is set when a recovery starts, by the NACK or the timeout. No new packet
///   is sent between that and the first retransmission.
/// - A further NACK during a recovery adds to the bitmap, and thereby to the lost packets. It does
///   not restart the recovery. Each packet is retransmitted once per recovery. If the
///   retransmission is lost as well, the timeout detects it, or the first NACK of another recovery.
///   That recovery starts at the cumulative acknowledgement, as in the paper, even if the last one
///   retransmitted that packet.
/// - A cumulative acknowledgement during a recovery marks the packet at it as lost, since nothing
///   else reports losses at the end of a window (a setting).
/// - A timeout during a recovery restarts it at the cumulative acknowledgement. The bitmap is kept,
///   since a receiver never discards packets.
/// - Retransmissions ignore the congestion window: they are within the packets already sent, and
///   BDP-FC counts from the first unacknowledged packet.
/// - If the bitmap shows further losses when a recovery ends (of packets after the recovery
///   sequence), the next recovery starts at once.
#[derive(Debug, Clone)]
pub struct Sender {
    /// Selectively acknowledged packets; its head is the cumulative acknowledgement.
    sacked: RingBitmap,
    /// Next new packet to send.
    next: Seq,
    pub(super) packets: u32,
    /// First candidate for retransmission in this recovery; if `pending`, the packet to retransmit.
    again: Seq,
    /// Unacknowledged packets below this number are lost.
    lost_below: Seq,
    /// Packet after the recovery sequence. The recovery ends when all packets before this one are
    /// acknowledged.
    recovered: Seq,
    /// Time at which the packet to retransmit is in the NIC (IRN 6.3).
    ready: Time,
    timer: Timer,
    recovering: bool,
    pending: bool,
}

impl Sender {
    pub(super) fn new(settings: &TransportSettings, packets: u32) -> Self {
        Sender {
            sacked: RingBitmap::new(),
            next: 0,
            packets,
            again: 0,
            lost_below: 0,
            recovered: 0,
            ready: Time::ZERO,
            timer: Timer::new(&settings.timeout),
            recovering: false,
            pending: false,
        }
    }

    pub(super) fn reset(&mut self, settings: &TransportSettings, packets: u32) {
        self.sacked.reset();
        self.timer.reset(&settings.timeout);
        (self.next, self.packets) = (0, packets);
        (self.again, self.lost_below, self.recovered) = (0, 0, 0);
        (self.recovering, self.pending) = (false, false);
    }

    #[inline]
    fn cumulative(&self) -> Seq {
        self.sacked.head()
    }

    #[inline]
    pub(super) fn next_at(&self, settings: &TransportSettings, now: Time, cwnd: u32) -> Time {
        if self.pending {
            // IRN 3.1: lost packets precede new ones, also while they are being fetched.
            now.max(self.ready)
        } else if self.next < self.packets && self.in_flight() < settings.window().min(cwnd) {
            now
        } else {
            Time::MAX
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
        let retransmission = self.pending;
        let seq = if retransmission { self.again } else { self.next };
        if seq == self.cumulative() {
            self.timer.start(now);
        }
        if retransmission {
            self.timer.retransmitted();
            self.again += 1;
            self.pending = false;
            self.look_ahead(settings, now);
        } else {
            self.next += 1;
            if !self.recovering {
                self.timer.sent_new(seq, now);
            }
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
        let Feedback { cumulative, sack, nack } = feedback;
        let newly_acked = cumulative.saturating_sub(self.cumulative());
        if cumulative > self.next {
            // Feedback on packets that were never sent.
            return Progress { done: self.is_done(), ..Progress::default() };
        }
        if newly_acked > 0 {
            self.sacked.advance(cumulative);
            self.timer.acknowledged(&settings.timeout, cumulative, self.in_flight(), now);
        }
        let loss =
            (nack || self.recovering) && self.recover(settings, now, newly_acked, nack, sack);
        Progress { newly_acked, loss, done: self.is_done() }
    }

    /// Updates the recovery state after feedback. Returns whether a recovery starts.
    fn recover(
        &mut self,
        settings: &TransportSettings,
        now: Time,
        newly_acked: u32,
        nack: bool,
        sack: Seq,
    ) -> bool {
        // IRN 3.1: a recovery lasts until the acknowledgement passes the recovery sequence.
        self.recovering &= self.cumulative() < self.recovered;
        // An overtaken NACK may report no packet that is still missing.
        let tells = nack && self.cumulative() < sack && sack < self.next;
        let has_sack = settings.recovery != Recovery::SelectiveWithoutSack;
        if tells && has_sack {
            // A packet is lost only if a later one was selectively acknowledged.
            self.sacked.insert(sack);
            self.lost_below = self.lost_below.max(sack);
        }
        if tells && !self.recovering {
            self.begin();
            self.look_ahead(settings, now);
            return true;
        }
        let partial_acks = match settings.recovery {
            Recovery::Selective { partial_acks } => partial_acks,
            _ => true,
        };
        if partial_acks && self.recovering && newly_acked > 0 {
            self.lost_below = self.lost_below.max(self.cumulative() + 1);
        }
        self.look_ahead(settings, now);
        let begins = self.pending && !self.recovering;
        if begins {
            self.recovering = true;
            self.recovered = self.next;
        }
        begins
    }

    /// Starts a loss recovery. The first retransmission is the packet at the cumulative
    /// acknowledgement (IRN 3.1).
    fn begin(&mut self) {
        self.recovering = true;
        self.recovered = self.next;
        self.again = self.cumulative();
        self.lost_below = self.lost_below.max(self.cumulative() + 1);
        self.pending = false;
    }

    /// Finds the next packet to retransmit, which the NIC fetches at once (IRN 6.3).
    #[inline]
    fn look_ahead(&mut self, settings: &TransportSettings, now: Time) {
        let from = self.again.max(self.cumulative());
        let found = if from < self.lost_below { self.sacked.first_zero(from) } else { from };
        let is_lost = found < self.lost_below;
        if is_lost && !(self.pending && found == self.again) {
            self.ready = now.saturating_add(settings.fetch);
        }
        (self.again, self.pending) = (found, is_lost);
    }

    #[inline]
    pub(super) fn deadline(&self, settings: &TransportSettings) -> Time {
        self.timer.deadline(&settings.timeout, self.in_flight())
    }

    pub(super) fn on_timeout(&mut self, settings: &TransportSettings, now: Time) -> bool {
        let ended = self.timer.expire(&settings.timeout, self.in_flight(), now);
        if ended {
            self.begin();
            self.look_ahead(settings, now);
        }
        ended
    }

    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.cumulative() == self.packets
    }

    /// Returns the packets in flight: the difference between the current packet's number and the
    /// last acknowledged one (IRN 3.2).
    #[inline]
    pub(super) fn in_flight(&self) -> u32 {
        self.next - self.cumulative()
    }
}

/// A receiver that accepts packets out of order and responds with a NACK (IRN 3.1).
#[derive(Debug, Clone)]
pub struct Receiver {
    /// Received packets beyond the expected one, which is its head.
    got: RingBitmap,
    packets: u32,
    pub(super) acks: Acknowledger,
}

impl Receiver {
    pub(super) fn new(packets: u32) -> Self {
        Receiver { got: RingBitmap::new(), packets, acks: Acknowledger::new() }
    }

    pub(super) fn reset(&mut self, packets: u32) {
        self.got.reset();
        (self.packets, self.acks) = (packets, Acknowledger::new());
    }

    #[inline(always)]
    pub(super) fn on_data(&mut self, settings: &TransportSettings, now: Time, seq: Seq) -> Arrival {
        if seq >= self.packets {
            return Arrival { accepted: false, reply: None };
        }
        if seq < self.cumulative() {
            let reply = self.acks.duplicate(&settings.acks, self.cumulative(), self.is_complete());
            return Arrival { accepted: false, reply };
        }
        if seq > self.cumulative() {
            // A NACK for every arrival out of order, duplicates included.
            let accepted = self.got.insert(seq);
            let reply = Some(self.acks.include(Feedback::nack(self.cumulative(), seq)));
            return Arrival { accepted, reply };
        }
        let urgent = self.got.ones() > 0;
        self.got.advance(seq + 1);
        if urgent {
            self.got.advance_over_ones();
        }
        let (cumulative, complete) = (self.cumulative(), self.is_complete());
        let reply = self.acks.in_order(&settings.acks, now, cumulative, urgent, complete);
        Arrival { accepted: true, reply }
    }

    #[inline]
    pub(super) fn cumulative(&self) -> Seq {
        self.got.head()
    }

    #[inline]
    pub(super) fn received(&self) -> u32 {
        self.got.head() + self.got.ones()
    }

    #[inline]
    pub(super) fn is_complete(&self) -> bool {
        self.got.head() == self.packets
    }
}
