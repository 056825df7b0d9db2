//! A traffic class at an input port: occupancy, and pauses of the sender.

use super::super::output::{Net, Output, PfcFrame};
use super::super::telemetry::Frame;
use super::counters::PortCounters;
use bandwise_units::Time;

/// A traffic class at an input port.
#[derive(Debug, Clone)]
pub(super) struct Ingress {
    /// Bytes in the buffer that arrived here.
    pub held: u32,
    /// Bytes of those that occupy the headroom of a shared buffer.
    pub in_headroom: u32,
    /// Peak of `held`.
    pub peak: u32,
    /// Thresholds of a buffer per input: pause above `xoff`, resume at `xon` or below.
    pub xoff: u32,
    pub xon: u32,
    /// Start of the current pause of the sender.
    paused_since: Option<Time>,
    /// The sender is to be resumed when the wire is free.
    resume_pending: bool,
}

/// Result of the admission of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// The buffer is full.
    Drop,
    /// The packet is stored.
    Accept,
    /// The packet is stored, and the sender must be paused.
    AcceptAndPause,
}

impl Ingress {
    /// Creates an empty input with the thresholds of a buffer per input.
    pub(super) fn new(xoff: u32, xon: u32) -> Self {
        Ingress {
            held: 0,
            in_headroom: 0,
            peak: 0,
            xoff,
            xon,
            paused_since: None,
            resume_pending: false,
        }
    }

    /// Adds a stored packet.
    #[inline]
    pub(super) fn add(&mut self, bytes: u32) {
        self.held += bytes;
        self.peak = self.peak.max(self.held);
    }

    /// Returns whether `bytes` more would exceed the peak.
    #[inline]
    pub(super) fn exceeds_peak(&self, bytes: u32) -> bool {
        self.held + bytes > self.peak
    }

    #[inline]
    pub(super) fn is_paused(&self) -> bool {
        self.paused_since.is_some()
    }

    /// Pauses the sender, if it is not paused.
    #[inline]
    pub(super) fn pause_sender<P: Frame>(
        &mut self,
        now: Time,
        class: u8,
        counters: &mut PortCounters,
        output: &mut Output,
        net: &mut Net<P>,
    ) {
        self.resume_pending = false;
        if self.paused_since.is_none() {
            self.paused_since = Some(now);
            counters.pauses += 1;
            output.send_pfc(now, PfcFrame { class, pause: true }, net);
        }
    }

    /// Resumes the sender, if it is paused. The frame never waits for the wire: it could delay the
    /// next pause frame, for which the headroom allows a single packet on the wire. With small
    /// packets, such frames could even accumulate.
    #[inline]
    pub(super) fn resume_sender<P: Frame>(
        &mut self,
        now: Time,
        class: u8,
        counters: &mut PortCounters,
        output: &mut Output,
        net: &mut Net<P>,
    ) {
        let Some(since) = self.paused_since else { return };
        self.resume_pending = output.free_at > now;
        if self.resume_pending {
            net.wake(output.end, output.free_at);
        } else {
            self.paused_since = None;
            counters.add_pause(now - since);
            output.send_pfc(now, PfcFrame { class, pause: false }, net);
        }
    }

    /// Returns whether the sender is to be resumed when the wire is free.
    #[inline]
    pub(super) fn is_resume_pending(&self) -> bool {
        self.resume_pending
    }

    /// Adds the current pause up to `now` to the counters.
    pub(super) fn count_until(&self, now: Time, counters: &mut PortCounters) {
        if let Some(since) = self.paused_since {
            counters.add_pause(now.saturating_sub(since));
        }
    }
}
