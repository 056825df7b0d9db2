//! [`WorkloadError`]: the reasons for which flows cannot be generated.

use crate::{MAX_FLOW, MAX_LOAD, MAX_START, MAX_WIRE_FACTOR, MIN_LOAD};
use bandwise_units::{Bytes, Time};

/// The reasons for which flows cannot be generated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkloadError {
    /// A flow without bytes, or larger than [`MAX_FLOW`].
    #[error("a flow of {bytes} bytes")]
    Size {
        /// The size.
        bytes: u64,
    },
    /// A range of sizes with a first size above its second.
    #[error("sizes from {least} to {most} bytes")]
    SizeRange {
        /// The first size.
        least: u64,
        /// The second size.
        most: u64,
    },
    /// A start after [`MAX_START`].
    #[error("flows that start at {start}")]
    Start {
        /// The start.
        start: Time,
    },
    /// Fewer than 2 hosts.
    #[error("too few hosts for a flow: {hosts}")]
    Hosts {
        /// The number of hosts.
        hosts: u32,
    },
    /// A host that does not exist.
    #[error("there is no host {host}")]
    NoSuchHost {
        /// The host's number.
        host: u32,
        /// The number of hosts.
        hosts: u32,
    },
    /// A load out of range, such as a percentage.
    #[error("a load of {load}")]
    Load {
        /// The load.
        load: f64,
    },
    /// A ratio of bytes on the wire to payload that is out of range.
    #[error("{factor} bytes on the wire for each of payload")]
    WireFactor {
        /// The ratio.
        factor: f64,
    },
    /// Links with a rate of zero.
    #[error("a load of links with a rate of 0")]
    ZeroRate,
    /// No senders, or no other host than senders.
    #[error("{senders} sender{} to one of {hosts} hosts", plural(u64::from(*senders)))]
    Senders {
        /// The number of senders.
        senders: u32,
        /// The number of hosts.
        hosts: u32,
    },
    /// Senders without connections.
    #[error("0 connections from each sender")]
    NoConnections,
    /// A request that does not divide into this number of flows.
    #[error("a request of {} bytes over {flows} flow{}", request.get(), plural(*flows))]
    Request {
        /// The request's size.
        request: Bytes,
        /// The number of flows.
        flows: u64,
    },
    /// Requests with a last start beyond 2^63 ps.
    #[error("{requests} request{}, {every} apart", plural(*requests))]
    TooLong {
        /// The number of requests.
        requests: u64,
        /// The time between two requests.
        every: Time,
    },
}

impl WorkloadError {
    /// Returns the allowed values.
    pub fn allowed(&self) -> String {
        match self {
            Self::Size { .. } => format!("1 to {} bytes", MAX_FLOW.get()),
            Self::SizeRange { .. } => "the smaller size first".into(),
            Self::Start { .. } => format!("up to {MAX_START}"),
            Self::Hosts { .. } => "2 hosts or more".into(),
            Self::NoSuchHost { hosts, .. } => format!("hosts 0 to {}", hosts.saturating_sub(1)),
            Self::Load { .. } => {
                format!("a fraction of the link rate from {MIN_LOAD} to {MAX_LOAD}, such as 0.7")
            }
            Self::WireFactor { .. } => {
                format!("1, which counts payload alone, to {MAX_WIRE_FACTOR}, such as 1.07")
            }
            Self::ZeroRate => "a rate above 0 such as \"40 Gbps\"".into(),
            Self::Senders { hosts, .. } => {
                format!("1 to {} senders, all but the receiver", hosts.saturating_sub(1))
            }
            Self::NoConnections => "1 connection or more".into(),
            Self::Request { flows, .. } => {
                let most = MAX_FLOW.get().saturating_mul(*flows);
                format!("1 to {} bytes a flow, {flows} to {most} in all", MAX_FLOW.get())
            }
            Self::TooLong { .. } => {
                "one request or more, the last of which starts within 106 days".into()
            }
        }
    }
}

fn plural(n: u64) -> &'static str {
    if n == 1 { "" } else { "s" }
}
