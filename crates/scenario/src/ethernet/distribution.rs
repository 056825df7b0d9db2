//! [`Distribution`]: completion times and slowdowns of a group of flows.

use bandwise_stats::{Percentile, of_sorted_parts};
use bandwise_units::Time;

/// Completion times and slowdowns of a group of flows.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Number of flows.
    pub flows: u64,
    /// Average flow completion time (FCT), rounded down to a picosecond.
    pub average: Time,
    /// 50th, 90th, 99th and 99.9th percentile of completion times.
    pub percentiles: [Time; 4],
    /// Average slowdown.
    pub average_slowdown: f64,
    /// Percentiles of slowdowns, as those of times.
    pub slowdown_percentiles: [f64; 4],
}

impl Distribution {
    /// Percentiles, in thousandths.
    pub const PERCENTILES: [u32; 4] = [500, 900, 990, 999];

    /// Returns the distribution of times in picoseconds and of slowdowns, both in sorted parts;
    /// `None` without flows.
    pub(super) fn of(times: &[&[u64]], slowdowns: &[&[f64]]) -> Option<Self> {
        let percentiles = Self::PERCENTILES.map(Percentile::from_permille);
        let flows: usize = times.iter().map(|part| part.len()).sum();
        let sum: u128 = times.iter().flat_map(|part| *part).map(|&ps| u128::from(ps)).sum();
        // The order does not depend on the order of arrival.
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
