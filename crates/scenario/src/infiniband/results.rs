//! [`InfinibandResults`]: the results of a run.

use crate::Stop;
use bandwise_netsim::infiniband::Counters;
use bandwise_rperf::{Bandwidth, Summary};
use bandwise_units::Time;

/// The results of a run.
#[derive(Debug, Clone)]
pub struct InfinibandResults {
    /// Results of flows, in the scenario's order.
    pub flows: Vec<FlowResult>,
    /// Reason for the end of the run.
    pub stop: Stop,
    /// Simulated time.
    pub simulated: Time,
    /// Counters of the simulator.
    pub counters: Counters,
}

/// The results of a flow.
#[derive(Debug, Clone)]
pub struct FlowResult {
    /// Name.
    pub name: String,
    /// Latency, if the flow measures it and has samples.
    pub latency: Option<LatencyResult>,
    /// Bandwidth, if the flow is bulk: the payload that arrived, also of messages that are not
    /// complete, and the messages that the sender has seen completed.
    pub bandwidth: Option<Bandwidth>,
}

/// The latency of a flow, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct LatencyResult {
    /// Latency as the method measures it.
    pub measured: Summary,
    /// True latency: the time between the two ports, both ways.
    pub truth: Option<Summary>,
    /// Error of the method, sample by sample.
    pub error: Option<Summary>,
}
