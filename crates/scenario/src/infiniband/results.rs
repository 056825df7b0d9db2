//! What a run found.

use crate::Stop;
use bandwise_netsim::infiniband::Counters;
use bandwise_rperf::{Bandwidth, Summary};
use bandwise_units::Time;

/// What a run found.
#[derive(Debug, Clone)]
pub struct InfinibandResults {
    /// By flow, in the scenario's order.
    pub flows: Vec<FlowResult>,
    /// Why it ended.
    pub stop: Stop,
    /// Simulated time.
    pub simulated: Time,
    /// What the simulator counted.
    pub counters: Counters,
}

/// What a flow found.
#[derive(Debug, Clone)]
pub struct FlowResult {
    /// Its name.
    pub name: String,
    /// Latency, where it measures it and has samples.
    pub latency: Option<LatencyResult>,
    /// Bandwidth, where it is bulk.
    pub bandwidth: Option<Bandwidth>,
}

/// What a latency flow found, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct LatencyResult {
    /// What the method says.
    pub measured: Summary,
    /// What was true: time between the two ports, both ways.
    pub truth: Option<Summary>,
    /// The method's error, sample by sample.
    pub error: Option<Summary>,
}
