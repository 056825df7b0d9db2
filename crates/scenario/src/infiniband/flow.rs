//! Flows: senders, receivers, and the methods that send.

use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_units::{BitRate, Bytes, Time};

/// A flow between two hosts.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Name in results.
    pub name: String,
    /// Sending host, by rank among the fabric's hosts.
    pub from: usize,
    /// Receiving host.
    pub to: usize,
    /// Service level.
    pub sl: Sl,
    /// Transport service. Operations other than SEND need a reliable connection.
    pub transport: Transport,
    /// Most outstanding READs and atomics of a queue pair.
    pub max_rd_atomic: u8,
    /// Method by which programs learn of completions.
    pub notify: Notify,
    /// Method.
    pub method: Method,
}

/// The method of a flow.
#[derive(Debug, Clone)]
pub enum Method {
    /// RPerf: over-the-wire SEND less loopback SEND.
    RPerf(LatencyTraffic),
    /// perftest: SEND answered by software.
    PingPong(LatencyTraffic),
    /// qperf: WRITE and its completion.
    PostPoll(LatencyTraffic),
    /// Closed loop: a constant number of requests in flight.
    ClosedLoop {
        /// Operation.
        opcode: Opcode,
        /// Requests in flight.
        depth: u32,
        /// Size and number of requests.
        traffic: LatencyTraffic,
    },
    /// Bulk: as much bandwidth as possible.
    Bulk(BulkTraffic),
}

impl Method {
    /// Returns the operation of each message.
    pub fn opcode(&self) -> Opcode {
        match self {
            Method::RPerf(_) | Method::PingPong(_) => Opcode::Send,
            Method::PostPoll(_) => Opcode::Write,
            Method::ClosedLoop { opcode, .. } => *opcode,
            Method::Bulk(traffic) => traffic.opcode,
        }
    }

    /// Returns whether the messages are READs or atomics.
    pub fn reads(&self) -> bool {
        matches!(self.opcode(), Opcode::Read | Opcode::Atomic)
    }
}

/// Traffic that measures latency.
#[derive(Debug, Clone, Copy)]
pub struct LatencyTraffic {
    /// Payload of a message.
    pub bytes: u32,
    /// Rounds before the first sample.
    pub warmup: u64,
    /// Largest number of samples.
    pub samples: u64,
    /// Longest pause after a round. Pauses are uniformly distributed from 0.
    pub think: Time,
}

/// Traffic that uses all available bandwidth.
#[derive(Debug, Clone, Copy)]
pub struct BulkTraffic {
    /// Payload of a message.
    pub bytes: u32,
    /// Operation.
    pub opcode: Opcode,
    /// Size of the registered send buffer, the most outstanding payload.
    pub buffer: Bytes,
    /// Most outstanding work requests on each queue pair.
    pub depth: u32,
    /// Messages for each doorbell.
    pub batch: u32,
    /// Queue pairs.
    pub qps: u16,
    /// Highest payload rate.
    pub rate: Option<BitRate>,
    /// Start. Programs start up to 2 us later, so that they are out of step.
    pub start: Time,
    /// Time after which the program posts no more messages.
    pub stop: Option<Time>,
}
