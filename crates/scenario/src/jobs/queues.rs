//! [`Queues`]: the queues of a port.

use std::ops::RangeInclusive;

/// Parts of links that jobs can share.
pub(super) const PARTS: RangeInclusive<f64> = 0.001..=1.0;

/// The queues of every port, and the part of its link that they share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Queues {
    /// Queues of a port, virtual lanes of InfiniBand: 1 to 16.
    pub queues: u8,
    /// Priority levels of applications, service levels of InfiniBand: 1 to 16.
    pub levels: u8,
    /// Part of each link that jobs share: C_Saba (Saba 4.3.1), 0.001 to 1.
    pub part: f64,
}

impl Default for Queues {
    /// Returns 8 queues (Saba 4.6.1: "only 8 VLs are configurable") and 16 levels (IBTA 7.6.5) on
    /// whole links.
    fn default() -> Self {
        Queues { queues: 8, levels: 16, part: 1.0 }
    }
}
