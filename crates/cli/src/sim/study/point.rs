//! [`Finished`]: the results of a point, which are printed, and stored in a folder that can resume
//! the sweep.

use bandwise_scenario::ethernet::{EthernetResults, Metric};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A point that was run to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Finished {
    /// The reason for the end of the run: complete, at its limit, or stuck.
    pub(super) stop: String,
    pub(super) flows_started: u64,
    pub(super) flows_finished: u64,
    /// The metrics by name, in the units of [`Metric::unit`].
    pub(super) metrics: BTreeMap<String, f64>,
    /// Completion times of flows of a single packet: thousandths of the flows, picoseconds.
    pub(super) tail: Vec<(u32, u64)>,
    pub(super) packets_delivered: u64,
    pub(super) packet_hops: u64,
    pub(super) packets_dropped: u64,
    pub(super) packets_marked: u64,
    pub(super) packets_retransmitted: u64,
    pub(super) timeouts: u64,
    pub(super) pauses: u64,
    pub(super) events: u64,
    pub(super) simulated_ps: u64,
}

impl Finished {
    pub(super) fn of(results: &EthernetResults) -> Self {
        let counters = &results.counters;
        let value = |metric: Metric| Some((metric.name().to_owned(), metric.of(results)?));
        Finished {
            stop: results.stop.as_str().to_owned(),
            flows_started: results.started,
            flows_finished: results.finished,
            metrics: Metric::ALL.into_iter().filter_map(value).collect(),
            tail: results.single_packet_tail.iter().map(|&(at, t)| (at, t.as_ps())).collect(),
            packets_delivered: counters.packets_delivered,
            packet_hops: counters.packet_hops,
            packets_dropped: counters.packets_dropped,
            packets_marked: counters.packets_marked,
            packets_retransmitted: counters.packets_retransmitted,
            timeouts: counters.timeouts,
            pauses: counters.pauses,
            events: counters.events,
            simulated_ps: results.simulated.as_ps(),
        }
    }

    pub(super) fn metric(&self, metric: Metric) -> Option<f64> {
        self.metrics.get(metric.name()).copied()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.stop == "complete"
    }
}
