//! An output: the sending end of a link, with its PFC state.

use super::flow::occupied;
use super::packet::LEAST;
use super::telemetry::Frame;
use crate::engine::{LinkEnd, Links};
use bandwise_units::{BitRate, ByteTime, Time};

/// A frame of priority flow control (PFC, IEEE 802.1Qbb) that pauses or resumes a traffic class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PfcFrame {
    /// The traffic class.
    pub class: u8,
    /// Pause (X-OFF) if true, resume (X-ON) if false.
    pub pause: bool,
}

/// The links of a network, and its events.
pub(crate) type Net<P> = Links<P, PfcFrame>;

/// The sending end of a link.
#[derive(Debug)]
pub(crate) struct Output {
    pub end: LinkEnd,
    byte_time: ByteTime,
    /// One-way propagation delay.
    delay: Time,
    /// Time until the far end obeys a PFC frame.
    response: Time,
    /// Time from which the link is free.
    pub free_at: Time,
    /// Set of paused traffic classes.
    paused: u8,
    /// Number of frames sent, PFC frames excluded.
    pub sent: u64,
}

impl Output {
    pub(crate) fn new(end: LinkEnd, rate: BitRate, delay: Time, response: Time) -> Self {
        Output {
            end,
            byte_time: rate.byte_time(),
            delay,
            response,
            free_at: Time::ZERO,
            paused: 0,
            sent: 0,
        }
    }

    /// Returns the set of traffic classes that may send at `now`: none while the link is busy, and
    /// no paused class. Received PFC frames take effect here; they cause no events.
    #[inline]
    pub(crate) fn open<P: Frame>(&mut self, now: Time, net: &mut Net<P>) -> u8 {
        if self.free_at > now {
            return 0;
        }
        while let Some(PfcFrame { class, pause }) = net.take_flow_control(self.end, now) {
            self.paused = self.paused & !(1 << class) | u8::from(pause) << class;
        }
        !self.paused
    }

    /// Schedules a wake event for the time at which a waiting packet may leave.
    #[inline]
    pub(crate) fn wake<P: Frame>(&self, now: Time, net: &mut Net<P>) {
        if self.free_at > now {
            net.wake(self.end, self.free_at);
        } else {
            net.wait(self.end);
        }
    }

    /// Returns the link's rate.
    pub(crate) fn rate(&self) -> BitRate {
        self.byte_time.rate()
    }

    /// Sends a packet at `now`. It arrives at the far end with its last bit.
    #[inline(always)] // otherwise the frame is passed through memory
    pub(crate) fn transmit<P: Frame>(&mut self, now: Time, frame: P, net: &mut Net<P>) {
        self.free_at = now + self.byte_time.of(occupied(frame.packet().bytes().into()));
        self.sent += 1;
        net.stop_waiting(self.end);
        net.send(self.end, self.free_at + self.delay, frame);
    }

    /// Sends a PFC frame to the far end. It precedes all waiting packets, but not the one being
    /// transmitted.
    pub(crate) fn send_pfc<P: Frame>(&mut self, now: Time, frame: PfcFrame, net: &mut Net<P>) {
        let begin = self.free_at.max(now);
        self.free_at = begin + self.byte_time.of(occupied(LEAST));
        net.send_flow_control(self.end, self.free_at + self.delay + self.response, frame);
    }
}
