//! Lanes and configurations to try.

use bandwise_enforce::infiniband::Lanes;
use bandwise_rdma::qos::{Sl, Vl};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use proptest::prelude::*;

pub(crate) const SLS: std::ops::RangeInclusive<u8> = 1..=8;
pub(crate) const VLS: std::ops::RangeInclusive<u8> = 1..=4;

/// Service levels 1 to 8 and lanes 1 to 4.
pub(crate) fn lanes() -> Lanes {
    let sls = SLS.map(|sl| Sl::try_from(sl).unwrap()).collect();
    let vls = VLS.map(|vl| Vl::try_from(vl).unwrap()).collect();
    Lanes::new(sls, vls).unwrap()
}

/// Levels in queues, and their weights.
pub(crate) fn config(table: &[(u16, u8)], weights: &[u8]) -> PortConfig {
    let table = table.iter().map(|&(level, queue)| (PriorityLevel(level), queue)).collect();
    PortConfig { table, weights: weights.to_vec() }
}

/// Any configuration of a controller: levels in up to four queues without gaps and weights from 1, or an empty one.
pub(crate) fn configs() -> impl Strategy<Value = PortConfig> {
    let levels = proptest::sample::subsequence((0..8u16).collect::<Vec<_>>(), 0..=8);
    let weights = prop::collection::vec(1u8.., 4);
    (levels, weights, prop::collection::vec(any::<u8>(), 8)).prop_map(|(levels, weights, at)| {
        let queues = levels.len().min(4);
        let queue = |i: usize| if i < queues { i as u8 } else { at[i] % queues.max(1) as u8 };
        let table: Vec<(u16, u8)> =
            levels.iter().enumerate().map(|(i, &level)| (level, queue(i))).collect();
        config(&table, &weights[..queues])
    })
}
