//! [`PacketResults`]: the results of a policy at packet level.

use crate::jobs::JobsResults;
use bandwise_netsim::infiniband::Counters;
use bandwise_topology::Port;
use bandwise_units::Time;
use std::num::NonZeroU32;

/// Settings of a run at packet level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketSettings {
    /// Divisor of volumes and computing times.
    pub scale: NonZeroU32,
}

/// Results of jobs under a policy at packet level.
#[derive(Debug, Clone, PartialEq)]
pub struct PacketResults {
    /// Times in the scenario's scale: the simulated ones times [`PacketSettings::scale`].
    pub results: JobsResults,
    /// Simulated time, unscaled.
    pub simulated: Time,
    /// Counters of the simulator.
    pub counters: Counters,
    /// Ports that wait for each other's credits forever, if the run ended with a deadlock.
    pub deadlock: Option<Vec<Port>>,
}

impl PacketResults {
    pub(super) fn scaled_up(mut self, by: NonZeroU32) -> Self {
        for took in self.results.took.iter_mut().flatten() {
            *took = *took * u64::from(by.get());
        }
        self
    }
}

/// Interval at which all hosts are polled, about the time after which a process learns of a
/// completion.
pub const REACTION: Time = Time::from_ns(500);

/// Polls of all hosts between two calls of a watch.
pub(super) const WATCH_EVERY: u64 = 64;
