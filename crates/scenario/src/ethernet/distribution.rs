//! [`Distribution`]: completion times and slowdowns of a group of flows.

use bandwise_stats::{Percentile, of_sorted_parts};
use bandwise_units::Time;

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
