//! Flows: who sends what to whom, by which method.

use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_units::{BitRate, Bytes, Time};

/// A flow between two hosts.
#[derive(Debug, Clone)]
pub struct Flow {
    /// What results call it.
    pub name: String,
    /// Sending host, by rank among the fabric's hosts.
    pub from: usize,
    /// Receiving host.
    pub to: usize,
    /// Service level.
    pub sl: Sl,
    /// Transport service; what is not SEND needs a reliable connection.
    pub transport: Transport,
    /// How its programs learn of completions.
    pub notify: Notify,
    /// What it does.
    pub method: Method,
}

/// What a flow does.
#[derive(Debug, Clone)]
pub enum Method {
    /// RPerf: over-the-wire SEND less loopback SEND.
    RPerf(LatencyTraffic),
    /// perftest: SEND answered by software.
    PingPong(LatencyTraffic),
    /// qperf: WRITE and its completion.
    PostPoll(LatencyTraffic),
    /// One request at a time, or `depth`.
    ClosedLoop {
        /// What is asked.
        opcode: Opcode,
        /// Requests under way at most.
        depth: u32,
        /// How often.
        traffic: LatencyTraffic,
    },
    /// As fast as it can.
    Bulk(BulkTraffic),
}

/// Traffic that measures latency.
#[derive(Debug, Clone, Copy)]
pub struct LatencyTraffic {
    /// Payload of a message.
    pub bytes: u32,
    /// Rounds that are not recorded.
    pub warmup: u64,
    /// Most rounds that are.
    pub samples: u64,
    /// After each round it pauses for a time drawn uniformly from nothing to this.
    pub think: Time,
}

/// Traffic that takes what bandwidth it gets.
#[derive(Debug, Clone, Copy)]
pub struct BulkTraffic {
    /// Payload of a message.
    pub bytes: u32,
    /// What is asked.
    pub opcode: Opcode,
    /// Registered send buffer: the payload outstanding.
    pub buffer: Bytes,
    /// Work requests outstanding on each queue pair.
    pub depth: u32,
    /// Messages for each doorbell.
    pub batch: u32,
    /// Queue pairs.
    pub qps: u16,
    /// Payload rate not to exceed.
    pub rate: Option<BitRate>,
    /// When it begins, give or take 2 us by which programs are out of step.
    pub start: Time,
    /// When it posts nothing more.
    pub stop: Option<Time>,
}
