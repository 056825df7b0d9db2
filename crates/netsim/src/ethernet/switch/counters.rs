//! Counters of a switch's ports.

use bandwise_units::{Bytes, Time};

/// Counters of a port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Frames sent by the port.
    pub sent: u64,
    /// Frames that arrived at the port and were dropped.
    pub dropped: u64,
    /// Frames for this output that were dropped.
    pub dropped_leaving: u64,
    /// Frames for this output that were marked (ECN).
    pub marked: u64,
    /// Number of times that the port paused its sender.
    pub pauses: u64,
    /// Total duration of those pauses, summed over traffic classes.
    pub paused: Time,
    /// Longest of those pauses.
    pub longest_pause: Time,
    /// Peak of a traffic class's bytes in the buffer that arrived at the port.
    pub peak: Bytes,
    /// Peak of a traffic class's bytes that waited for this output.
    pub peak_queue: Bytes,
}

impl PortCounters {
    /// Adds a pause of that duration.
    pub(super) fn add_pause(&mut self, time: Time) {
        self.paused += time;
        self.longest_pause = self.longest_pause.max(time);
    }
}
