//! What came in by a port of one class, and whether its sender is told to stop.

use super::super::output::{Net, Output, PfcFrame};
use super::super::telemetry::Frame;
use super::counters::PortCounters;
use bandwise_units::Time;

/// A traffic class at an input port.
#[derive(Debug, Clone)]
pub(super) struct Ingress {
    /// Bytes in the buffer that came in here.
    pub held: u32,
    /// Those of them that are in the headroom of a shared buffer.
    pub beyond: u32,
    /// The most that was held.
    pub peak: u32,
    /// With a buffer of its own: beyond that much held, stop; at that much or less, go on.
    pub stop: u32,
    pub go: u32,
    /// Since when its sender is told to stop.
    stopped: Option<Time>,
    /// It is to be told to go on when the wire is free.
    owed: bool,
}

/// What becomes of a packet that came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is no room.
    Drop,
    /// It is kept.
    Keep,
    /// It is kept, and the sender must stop.
    KeepAndStop,
}

impl Ingress {
    /// Nothing came in yet; thresholds are those of a buffer of its own.
    pub fn new(stop: u32, go: u32) -> Self {
        Ingress { held: 0, beyond: 0, peak: 0, stop, go, stopped: None, owed: false }
    }

    /// A packet is in the buffer.
    #[inline]
    pub fn keep(&mut self, bytes: u32) {
        self.held += bytes;
        self.peak = self.peak.max(self.held);
    }

    /// Whether that much more would be more than there ever was.
    #[inline]
    pub fn is_most(&self, bytes: u32) -> bool {
        self.held + bytes > self.peak
    }

    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Tells the sender to stop, if it was not told yet.
    #[inline]
    pub fn tell_stop<P: Frame>(
        &mut self,
        now: Time,
        class: u8,
        counters: &mut PortCounters,
        output: &mut Output,
        net: &mut Net<P>,
    ) {
        self.owed = false;
        if self.stopped.is_none() {
            self.stopped = Some(now);
            counters.pauses += 1;
            output.pause(now, PfcFrame { class, stop: true }, net);
        }
    }

    /// Tells the sender to go on, if it was told to stop. The frame never waits for the wire: it would
    /// be in the way of the next one that says stop, for which the headroom allows one packet on the
    /// wire and no more. Where packets are small, stop and go could even pile up.
    #[inline]
    pub fn tell_go<P: Frame>(
        &mut self,
        now: Time,
        class: u8,
        counters: &mut PortCounters,
        output: &mut Output,
        net: &mut Net<P>,
    ) {
        let Some(since) = self.stopped else { return };
        self.owed = output.free_at > now;
        if self.owed {
            net.wake(output.end, output.free_at);
        } else {
            self.stopped = None;
            counters.add_pause(now - since);
            output.pause(now, PfcFrame { class, stop: false }, net);
        }
    }

    /// Whether it is to be told to go on.
    #[inline]
    pub fn is_owed(&self) -> bool {
        self.owed
    }

    /// Counts a stop that has not ended.
    pub fn count_until(&self, now: Time, counters: &mut PortCounters) {
        if let Some(since) = self.stopped {
            counters.add_pause(now.saturating_sub(since));
        }
    }
}
