//! TCP, as the NICs of iWARP run it (IRN 4.6), in packets instead of bytes. Its receiver is IRN's,
//! with delayed acknowledgements.

use super::bitmap::RingBitmap;
use super::timer::Timer;
use super::{Feedback, Progress, Seq, Settings, Transmit};
use bandwise_units::Time;

/// An established connection's sender: slow start and congestion avoidance (RFC 5681), loss
/// recovery by selective acknowledgements (RFC 6675), timeouts (RFC 6298).
///
/// Simpler than the RFCs in this: an acknowledgement carries one packet as its SACK block, the one
/// that triggered it, so a lost acknowledgement loses its block; there is no rescue retransmission
/// at the end of the data (RFC 6675, NextSeg rule 4); a recovery that follows another does not send
/// again what the other did. In all three cases the timeout remains.
#[derive(Debug, Clone)]
pub struct Sender {
    /// Selectively acknowledged packets; its head is the cumulative acknowledgement.
    sacked: RingBitmap,
    /// The new packet to send next (HighData + 1).
    next: Seq,
    pub(super) packets: u32,
    /// Packets below that are not acknowledged were sent again (HighRxt + 1).
    again: Seq,
    /// Acknowledged up to here, the recovery is over (RecoveryPoint).
    recovered: Seq,
    /// Packets below that are not acknowledged are lost, as the timer ended.
    timed_out: Seq,
    /// The three highest of the selectively acknowledged, the highest first; 0 for none, as
    /// packet 0 is never beyond the expected one.
    highest: [Seq; DUP_THRESH],
    /// Congestion window and slow start threshold, packets.
    cwnd: u32,
    ssthresh: u32,
    /// Packets acknowledged since the window last grew, in congestion avoidance.
    counted: u32,
    phase: Phase,
    timer: Timer,
}

/// RFC 6675: how many packets above it must be selectively acknowledged for a packet to be lost.
const DUP_THRESH: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing is lost.
    Open,
    /// Fast recovery is about to send its first packet again, whatever the window.
    FastFirst,
    /// Fast recovery.
    Fast,
    /// The timer ended: slow start over what was sent already.
    Timeout,
}

impl Sender {
    pub(super) fn new(settings: &Settings, initial_window: u32, packets: u32) -> Self {
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

    /// Packets below that are not acknowledged are lost (RFC 6675, IsLost).
    #[inline]
    fn lost_below(&self) -> Seq {
        self.timed_out.max(self.highest[DUP_THRESH - 1])
    }

    /// How many packets are in the network (RFC 6675, SetPipe): those neither acknowledged nor
    /// lost, and those sent again and not acknowledged.
    #[inline]
    fn pipe(&self) -> u32 {
        let (from, next) = (self.cumulative(), self.next);
        let unacknowledged = |from: Seq, to: Seq| {
            to.checked_sub(from).map_or(0, |len| len - self.sacked.count(from, to))
        };
        unacknowledged(self.lost_below().max(from), next) + unacknowledged(from, self.again)
    }

    /// What to send next (RFC 6675, NextSeg), if the windows allow anything.
    #[inline]
    fn offer(&self, settings: &Settings, cwnd: u32) -> Option<Transmit> {
        if self.phase != Phase::FastFirst && self.pipe() >= self.cwnd.min(cwnd) {
            return None;
        }
        let first_zero = || self.sacked.first_zero(self.again.max(self.cumulative()));
        let again = |seq| Some(Transmit { seq, retransmission: true });
        // Rule 1: what is lost.
        if self.phase != Phase::Open {
            let seq = first_zero();
            if seq < self.lost_below() {
                return again(seq);
            }
        }
        // Rule 2: new data.
        if self.next < self.packets && self.in_flight() < settings.window() {
            return Some(Transmit { seq: self.next, retransmission: false });
        }
        // Rule 3: what may be lost.
        if self.phase != Phase::Open {
            let seq = first_zero();
            if seq < self.highest[0] {
                return again(seq);
            }
        }
        None
    }

    #[inline]
    pub(super) fn next_at(&self, settings: &Settings, now: Time, cwnd: u32) -> Time {
        if self.offer(settings, cwnd).is_some() { now } else { Time::MAX }
    }

    #[inline]
    pub(super) fn next(&mut self, settings: &Settings, now: Time, cwnd: u32) -> Option<Transmit> {
        let transmit = self.offer(settings, cwnd)?;
        let seq = transmit.seq;
        if seq == self.cumulative() {
            self.timer.start(now);
        }
        if transmit.retransmission {
            self.timer.sent_again();
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
        settings: &Settings,
        now: Time,
        feedback: Feedback,
    ) -> Progress {
        let Feedback { cumulative, sack, nack } = feedback;
        if cumulative > self.next {
            // About packets that were never sent.
            return Progress { done: self.is_done(), ..Progress::default() };
        }
        let newly_acked = cumulative.saturating_sub(self.cumulative());
        if newly_acked > 0 {
            self.sacked.advance(cumulative);
            self.timer.acknowledged(&settings.timeout, cumulative, self.in_flight(), now);
        }
        if nack && self.cumulative() < sack && sack < self.next && self.sacked.insert(sack) {
            self.remember(sack);
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

    /// Keeps the three highest selectively acknowledged packets.
    fn remember(&mut self, sack: Seq) {
        let place = self.highest.iter().position(|&other| other < sack);
        if let Some(place) = place {
            self.highest[place..].rotate_right(1);
            self.highest[place] = sack;
        }
    }

    /// The window after an acknowledgement of something new.
    fn grow(&mut self, newly_acked: u32) {
        let was_fast = matches!(self.phase, Phase::Fast | Phase::FastFirst);
        if self.phase != Phase::Open && self.cumulative() >= self.recovered {
            self.phase = Phase::Open;
        }
        if was_fast {
            // RFC 6675 5: the window stays at the threshold that it was set to.
            return;
        }
        if self.cwnd < self.ssthresh {
            // Slow start (RFC 5681 3.1): a packet an acknowledgement.
            self.cwnd += 1;
            return;
        }
        // Congestion avoidance: a packet a window (RFC 5681 3.1, by counting what is acknowledged).
        self.counted += newly_acked;
        if self.counted >= self.cwnd {
            self.counted -= self.cwnd;
            self.cwnd = self.cwnd.saturating_add(1);
        }
    }

    /// RFC 5681, equation 4.
    fn halve(&mut self) {
        self.ssthresh = (self.in_flight() / 2).max(2);
        self.counted = 0;
    }

    #[inline]
    pub(super) fn deadline(&self, settings: &Settings) -> Time {
        self.timer.deadline(&settings.timeout, self.in_flight())
    }

    pub(super) fn on_timeout(&mut self, settings: &Settings, now: Time) -> bool {
        let ended = self.timer.expire(&settings.timeout, self.in_flight(), now);
        if ended {
            // RFC 5681 3.1: not again for packets that the timer has sent again already.
            if self.phase != Phase::Timeout {
                self.halve();
            }
            self.cwnd = 1;
            (self.phase, self.recovered) = (Phase::Timeout, self.next);
            // RFC 6675 5.1: what is selectively acknowledged stays so; all else is lost.
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

    /// The congestion window, packets.
    pub fn cwnd(&self) -> u32 {
        self.cwnd
    }
}
