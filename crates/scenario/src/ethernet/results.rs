//! [`EthernetResults`]: the results of a run.

use super::distribution::Distribution;
use super::groups::Group;
use super::ports::{PauseStorm, PortResult};
use super::requests::RequestResult;
use crate::Stop;
use bandwise_netsim::ethernet::Counters;
use bandwise_units::Time;

/// Percentiles of the tail of single-packet messages, in thousandths: 90% to 99.9% (IRN 4.4.2).
pub const TAIL: [u32; 19] =
    [900, 910, 920, 930, 940, 950, 960, 970, 980, 990, 991, 992, 993, 994, 995, 996, 997, 998, 999];

/// The results of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct EthernetResults {
    /// Reason for the end of the run.
    pub stop: Stop,
    /// Number of flows that started.
    pub started: u64,
    /// Number of flows that arrived.
    pub finished: u64,
    /// Payload of the flows that started, in bytes. 2^32 flows of 2^40 bytes exceed 64 bits.
    pub started_bytes: u128,
    /// Distributions of arrived flows by size, all together first, without empty groups.
    pub groups: Vec<(Group, Distribution)>,
    /// Completion times of single-packet flows at the percentiles of [`TAIL`]; empty if there is no
    /// such flow.
    pub single_packet_tail: Vec<(u32, Time)>,
    /// Completion times of an incast's requests, if one is complete.
    pub requests: Option<RequestResult>,
    /// Flows beside requests (IRN 4.4.3: "the background workload").
    pub beside_requests: Option<Distribution>,
    /// Counters of the network.
    pub counters: Counters,
    /// Counters of each port, those of switches first.
    pub ports: Vec<PortResult>,
    /// Ports that PFC paused for longer than the scenario's limit without a break, longest first.
    pub storms: Vec<PauseStorm>,
    /// Simulated time.
    pub simulated: Time,
}

impl EthernetResults {
    /// Returns the mean payload of the flows that started, in bytes, or `None` without a flow.
    pub fn mean_bytes(&self) -> Option<f64> {
        (self.started > 0).then(|| self.started_bytes as f64 / self.started as f64)
    }

    /// Returns whether flows have arrived and all of them started in the warm-up. All tables are
    /// empty then.
    pub fn is_all_warmup(&self) -> bool {
        self.finished > 0 && self.groups.is_empty()
    }
}
