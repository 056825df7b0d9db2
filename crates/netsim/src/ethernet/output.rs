//! An output: a link's sending end, with what priority flow control does to it.

use super::flow::occupied;
use super::packet::LEAST;
use super::telemetry::Frame;
use crate::engine::{LinkEnd, Links};
use bandwise_units::{BitRate, ByteTime, Time};

/// A frame of priority flow control (PFC, IEEE 802.1Qbb) on its way: stop sending packets of a
/// traffic class, or go on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PfcFrame {
    /// The traffic class.
    pub class: u8,
    /// Stop (X-OFF) or go on (X-ON).
    pub stop: bool,
}

/// All links of a network, and its events.
pub(crate) type Net<P> = Links<P, PfcFrame>;

/// The sending end of a link.
#[derive(Debug)]
pub(crate) struct Output {
    pub end: LinkEnd,
    byte_time: ByteTime,
    /// Propagation, one way.
    delay: Time,
    /// When the link is free again.
    pub free_at: Time,
    /// Traffic classes that were told to stop, a set.
    paused: u8,
    /// Frames sent, those of flow control not counted.
    pub sent: u64,
}

impl Output {
    pub fn new(end: LinkEnd, rate: BitRate, delay: Time) -> Self {
        Output { end, byte_time: rate.byte_time(), delay, free_at: Time::ZERO, paused: 0, sent: 0 }
    }

    /// The traffic classes of which a packet may leave at `now`, a set: none while the link is
    /// busy, and none that was told to stop. Pauses that have come are looked at now, and only now:
    /// they are no events.
    #[inline]
    pub fn open<P: Frame>(&mut self, now: Time, net: &mut Net<P>) -> u8 {
        if self.free_at > now {
            return 0;
        }
        while let Some(PfcFrame { class, stop }) = net.came_back(self.end, now) {
            self.paused = self.paused & !(1 << class) | u8::from(stop) << class;
        }
        !self.paused
    }

    /// Sees to it that something that waits is looked at when it may leave.
    #[inline]
    pub fn wake<P: Frame>(&self, now: Time, net: &mut Net<P>) {
        if self.free_at > now {
            net.wake(self.end, self.free_at);
        } else {
            net.wait(self.end);
        }
    }

    /// Bits per second.
    pub fn rate(&self) -> BitRate {
        self.byte_time.rate()
    }

    /// A packet leaves at `now`: it has come to the far end with its last bit.
    #[inline(always)] // or it is passed through memory
    pub fn transmit<P: Frame>(&mut self, now: Time, frame: P, net: &mut Net<P>) {
        self.free_at = now + self.byte_time.of(occupied(frame.packet().bytes().into()));
        self.sent += 1;
        net.waits_no_longer(self.end);
        net.send(self.end, self.free_at + self.delay, frame);
    }

    /// Tells the far end to stop or go on with a class. The frame goes before all packets, but not
    /// before the one that is on the wire.
    pub fn pause<P: Frame>(&mut self, now: Time, pause: PfcFrame, net: &mut Net<P>) {
        let begin = self.free_at.max(now);
        self.free_at = begin + self.byte_time.of(occupied(LEAST));
        net.give_back(self.end, self.free_at + self.delay, pause);
    }
}
