//! What a run of a network found out.

use super::distribution::Distribution;
use super::groups::Group;
use super::ports::{PauseStorm, PortResult};
use super::requests::RequestResult;
use crate::Stop;
use bandwise_netsim::ethernet::Counters;
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
