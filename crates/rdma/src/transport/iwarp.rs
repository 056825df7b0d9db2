//! TCP as in iWARP NICs (IRN 4.6), in packets instead of bytes. The receiver is IRN's, with delayed
//! acknowledgements.

use super::bitmap::RingBitmap;
use super::timer::Timer;
use super::{Feedback, Progress, Seq, Transmit, TransportSettings};
use bandwise_units::Time;

/// The sender of an established connection: slow start and congestion avoidance (RFC 5681), loss
/// recovery by selective acknowledgements (RFC 6675), timeouts (RFC 6298).
///
/// Simplifications: An acknowledgement carries a single packet as its SACK block, the packet that
/// triggered it. So a lost acknowledgement loses its block. There is no rescue retransmission at
/// the end of the data (RFC 6675, NextSeg rule 4). A recovery that follows another does not repeat
/// its retransmissions. In all three cases the timeout remains.
#[derive(Debug, Clone)]
pub struct Sender {
    /// Selectively acknowledged packets; its head is the cumulative acknowledgement.
    sacked: RingBitmap,
    /// Next new packet to send (HighData + 1).
    next: Seq,
    pub(super) packets: u32,
    /// Unacknowledged packets below this number were retransmitted (HighRxt + 1).
    again: Seq,
    /// The recovery ends when all packets below this number are acknowledged (RecoveryPoint).
    recovered: Seq,
    /// Unacknowledged packets below this number are lost because the timer expired.
    timed_out: Seq,
    /// The three highest selectively acknowledged packets, highest first; 0 for none, since packet
    /// 0 is never beyond the expected one.
    highest: [Seq; DUP_THRESH],
    /// Congestion window and slow start threshold, in packets.
    cwnd: u32,
    ssthresh: u32,
    /// Packets acknowledged since the last growth of the window in congestion avoidance.
    counted: u32,
    phase: Phase,
    timer: Timer,
}

/// RFC 6675: number of selectively acknowledged packets above a lost packet.
const DUP_THRESH: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No loss.
    Open,
    /// Fast recovery before its first retransmission, which ignores the window.
    FastFirst,
    /// Fast recovery.
    Fast,
    /// Slow start over packets already sent, after the timer expired.
    Timeout,
}

impl Sender {
    pub(super) fn new(settings: &TransportSettings, initial_window: u32, packets: u32) -> Self {
        Sender {
            sacked: RingBitmap::new(),
            next: 0,
            packets,
            again: 0,
            recovered: 0,
            timed_out: 0,
            highest: [0; DUP_THRESH],
            cwnd: initial_window,
            // RFC 5681 3.1: arbitrarily high.
            ssthresh: u32::MAX,
            counted: 0,
            phase: Phase::Open,
            timer: Timer::new(&settings.timeout),
        }
    }

    #[inline]
    fn cumulative(&self) -> Seq {
        self.sacked.head()
    }

    /// Returns the bound below which unacknowledged packets are lost (RFC 6675, IsLost).
    #[inline]
    fn lost_below(&self) -> Seq {
        self.timed_out.max(self.highest[DUP_THRESH - 1])
    }

    /// Returns the number of packets in the network (RFC 6675, SetPipe): those neither acknowledged
    /// nor lost, and those retransmitted and not acknowledged.
    #[inline]
    fn pipe(&self) -> u32 {
        let (from, next) = (self.cumulative(), self.next);
        let unacknowledged = |from: Seq, to: Seq| {
            to.checked_sub(from).map_or(0, |len| len - self.sacked.count(from, to))
        };
        unacknowledged(self.lost_below().max(from), next) + unacknowledged(from, self.again)
    }

    /// Returns the next packet to send (RFC 6675, NextSeg), if the windows allow one.
    #[inline]
    fn offer(&self, settings: &TransportSettings, cwnd: u32) -> Option<Transmit> {
        if self.phase != Phase::FastFirst && self.pipe() >= self.cwnd.min(cwnd) {
            return None;
        }
        let first_zero = || self.sacked.first_zero(self.again.max(self.cumulative()));
        let retransmit = |seq| Some(Transmit { seq, retransmission: true });
        // Rule 1: lost packets.
        if self.phase != Phase::Open {
            let seq = first_zero();
            if seq < self.lost_below() {
                return retransmit(seq);
            }
        }
        // Rule 2: new data.
        if self.next < self.packets && self.in_flight() < settings.window() {
            return Some(Transmit { seq: self.next, retransmission: false });
        }
        // Rule 3: packets that may be lost.
        if self.phase != Phase::Open {
            let seq = first_zero();
            if seq < self.highest[0] {
                return retransmit(seq);
            }
        }
        None
    }

    #[inline]
    pub(super) fn next_at(&self, settings: &TransportSettings, now: Time, cwnd: u32) -> Time {
        if self.offer(settings, cwnd).is_some() { now } else { Time::MAX }
    }

    #[inline]
    pub(super) fn next(
        &mut self,
        settings: &TransportSettings,
        now: Time,
        cwnd: u32,
    ) -> Option<Transmit> {
        let transmit = self.offer(settings, cwnd)?;
        let seq = transmit.seq;
        if seq == self.cumulative() {
            self.timer.start(now);
        }
        if transmit.retransmission {
            self.timer.retransmitted();
            self.again = seq + 1;
            if self.phase == Phase::FastFirst {
                self.phase = Phase::Fast;
            }
        } else {
            self.next += 1;
            if self.phase == Phase::Open && self.sacked.ones() == 0 {
                self.timer.sent_new(seq, now);
            }
        }
        Some(transmit)
    }

    #[inline]
    pub(super) fn on_feedback(
        &mut self,
        settings: &TransportSettings,
        now: Time,
        feedback: Feedback,
    ) -> Progress {
        let Feedback { cumulative, sack, nack } = feedback;
        if cumulative > self.next {
            // Feedback on packets that were never sent.
            return Progress { done: self.is_done(), ..Progress::default() };
        }
        let newly_acked = cumulative.saturating_sub(self.cumulative());
        if newly_acked > 0 {
            self.sacked.advance(cumulative);
            self.timer.acknowledged(&settings.timeout, cumulative, self.in_flight(), now);
        }
        if nack && self.cumulative() < sack && sack < self.next && self.sacked.insert(sack) {
            self.update_highest(sack);
        }
        if newly_acked > 0 {
            self.grow(newly_acked);
        }
        let loss = self.phase == Phase::Open
            && self.again <= self.cumulative()
            && self.cumulative() < self.lost_below();
        if loss {
            self.halve();
            self.cwnd = self.ssthresh;
            (self.phase, self.recovered) = (Phase::FastFirst, self.next);
            self.again = self.cumulative();
        }
        Progress { newly_acked, loss, done: self.is_done() }
    }

    /// Updates the three highest selectively acknowledged packets.
    fn update_highest(&mut self, sack: Seq) {
        let position = self.highest.iter().position(|&other| other < sack);
        if let Some(position) = position {
            self.highest[position..].rotate_right(1);
            self.highest[position] = sack;
        }
    }

    /// Updates the window after an acknowledgement of new packets.
    fn grow(&mut self, newly_acked: u32) {
        let was_fast = matches!(self.phase, Phase::Fast | Phase::FastFirst);
        if self.phase != Phase::Open && self.cumulative() >= self.recovered {
            self.phase = Phase::Open;
        }
        if was_fast {
            // RFC 6675 5: the window stays at the threshold.
            return;
        }
        if self.cwnd < self.ssthresh {
            // Slow start (RFC 5681 3.1): one packet per acknowledgement.
            self.cwnd += 1;
            return;
        }
        // Congestion avoidance: one packet per window (RFC 5681 3.1, counting acknowledged
        // packets).
        self.counted += newly_acked;
        if self.counted >= self.cwnd {
            self.counted -= self.cwnd;
            self.cwnd = self.cwnd.saturating_add(1);
        }
    }

    /// Sets the threshold after a loss (RFC 5681, equation 4).
    fn halve(&mut self) {
        self.ssthresh = (self.in_flight() / 2).max(2);
        self.counted = 0;
    }

    #[inline]
    pub(super) fn deadline(&self, settings: &TransportSettings) -> Time {
        self.timer.deadline(&settings.timeout, self.in_flight())
    }

    pub(super) fn on_timeout(&mut self, settings: &TransportSettings, now: Time) -> bool {
        let ended = self.timer.expire(&settings.timeout, self.in_flight(), now);
        if ended {
            // RFC 5681 3.1: not again for packets that the timer has already retransmitted.
            if self.phase != Phase::Timeout {
                self.halve();
            }
            self.cwnd = 1;
            (self.phase, self.recovered) = (Phase::Timeout, self.next);
            // RFC 6675 5.1: selective acknowledgements are kept; all other packets are lost.
            (self.again, self.timed_out) = (self.cumulative(), self.next);
        }
        ended
    }

    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.cumulative() == self.packets
    }

    #[inline]
    pub(super) fn in_flight(&self) -> u32 {
        self.next - self.cumulative()
    }

    /// Returns the congestion window in packets.
    pub fn cwnd(&self) -> u32 {
        self.cwnd
    }
}
