//! What a run of a network found out.

use super::groups::Group;
use super::ports::{PauseStorm, PortResult};
use crate::Stop;
use bandwise_netsim::ethernet::Counters;
use bandwise_stats::{Percentile, of_sorted_parts};
use bandwise_units::Time;

/// The shares of flows, in thousandths, at which the tail of single-packet messages is told: 90% to
/// 99.9% (IRN 4.4.2).
pub const TAIL: [u32; 19] =
    [900, 910, 920, 930, 940, 950, 960, 970, 980, 990, 991, 992, 993, 994, 995, 996, 997, 998, 999];

/// What a run of a network found out.
#[derive(Debug, Clone, PartialEq)]
pub struct EthernetResults {
    /// Why it ended.
    pub stop: Stop,
    /// Flows that started.
    pub started: u64,
    /// Flows that arrived.
    pub finished: u64,
    /// Those that arrived by size, all together first; groups without a flow are left out.
    pub groups: Vec<(Group, Distribution)>,
    /// Completion times of flows of a single packet at the shares of [`TAIL`]; empty without one.
    pub single_packet_tail: Vec<(u32, Time)>,
    /// Requests of an incast, if there was one and a request of it is complete.
    pub requests: Option<RequestResult>,
    /// Flows that belong to no request, where there are requests beside them (IRN 4.4.3: "the
    /// background workload").
    pub beside_requests: Option<Distribution>,
    /// What the network counted.
    pub counters: Counters,
    /// What each port counted, those of switches first.
    pub ports: Vec<PortResult>,
    /// Ports that were told to stop for longer than the scenario's limit at a stretch, the longest
    /// first.
    pub storms: Vec<PauseStorm>,
    /// Simulated time.
    pub simulated: Time,
}

impl EthernetResults {
    /// Whether flows have arrived, and all of them started in the warm-up: no table has any.
    pub fn is_all_warm_up(&self) -> bool {
        self.finished > 0 && self.groups.is_empty()
    }
}

/// Completion times and slowdowns of some flows.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// How many flows.
    pub flows: u64,
    /// Average flow completion time (FCT), rounded down to a picosecond.
    pub average: Time,
    /// Completion times that 50%, 90%, 99% and 99.9% of the flows do not exceed.
    pub percentiles: [Time; 4],
    /// Average slowdown.
    pub average_slowdown: f64,
    /// The same percentiles of slowdowns.
    pub slowdown_percentiles: [f64; 4],
}

impl Distribution {
    /// What percentiles there are, in thousandths.
    pub const PERCENTILES: [u32; 4] = [500, 900, 990, 999];

    /// Of times in picoseconds and slowdowns, both sorted in several parts; nothing of nothing.
    pub(super) fn of(times: &[&[u64]], slowdowns: &[&[f64]]) -> Option<Self> {
        let percentiles = Self::PERCENTILES.map(Percentile::from_permille);
        let flows: usize = times.iter().map(|part| part.len()).sum();
        let sum: u128 = times.iter().flat_map(|part| *part).map(|&ps| u128::from(ps)).sum();
        // In an order that does not depend on when flows arrived.
        let slowdown: f64 = slowdowns.iter().flat_map(|part| *part).sum();
        Some(Distribution {
            flows: flows as u64,
            percentiles: of_sorted_parts(times, percentiles)?.map(Time::from_ps),
            average: Time::from_ps((sum / flows as u128) as u64),
            average_slowdown: slowdown / flows as f64,
            slowdown_percentiles: of_sorted_parts(slowdowns, percentiles)?,
        })
    }
}

/// Completion times of requests, from a request's start until the last byte of its last flow is at
/// the receiver (IRN 4.4.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestResult {
    /// How many requests are complete.
    pub requests: u64,
    /// On average, rounded down to a picosecond.
    pub average: Time,
    /// What half of them do not exceed, and what 99% do not.
    pub percentiles: [Time; 2],
    /// The longest.
    pub longest: Time,
}
