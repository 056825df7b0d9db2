//! What the ports of a switch count.

use bandwise_units::{Bytes, Time};

/// What a port counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Frames that left by it.
    pub sent: u64,
    /// Frames that came in by it and were dropped.
    pub dropped: u64,
    /// Frames that were to leave by it and were dropped.
    pub dropped_leaving: u64,
    /// Frames that were marked before they left by it.
    pub marked: u64,
    /// How often it told its sender to stop.
    pub pauses: u64,
    /// For how long in all, each traffic class by itself.
    pub paused: Time,
    /// The longest of these times.
    pub longest_pause: Time,
    /// The most of a traffic class in the buffer that had come in by it.
    pub peak: Bytes,
    /// The most of a traffic class that waited to leave by it.
    pub peak_queue: Bytes,
}

impl PortCounters {
    /// Its sender was told to stop for so long.
    pub(super) fn add_pause(&mut self, time: Time) {
        self.paused += time;
        self.longest_pause = self.longest_pause.max(time);
    }
}
