//! [`WorkloadError`]: what can't be generated.

use crate::{MAX_FLOW, MAX_LOAD, MAX_WIRE_FACTOR, MIN_LOAD};
use bandwise_units::{Bytes, Time};

/// Why there are no such flows.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkloadError {
    /// No flow has that size.
    #[error("a flow of {bytes} bytes")]
    Size {
        /// The size as given.
        bytes: u64,
    },
    /// Sizes from more to less.
    #[error("sizes from {least} to {most} bytes")]
    SizeRange {
        /// The least as given.
        least: u64,
        /// The largest as given.
        most: u64,
    },
    /// Nobody to send to.
    #[error("too few hosts for a flow: {hosts}")]
    Hosts {
        /// How many there are.
        hosts: u32,
    },
    /// A host that is not there.
    #[error("there is no host {host}")]
    NoSuchHost {
        /// Its number as given.
        host: u32,
        /// How many there are.
        hosts: u32,
    },
    /// No load, no number, or most likely percent.
    #[error("a load of {load}")]
    Load {
        /// The load as given.
        load: f64,
    },
    /// Fewer bytes on the wire than payload, or no number.
    #[error("{factor} bytes on the wire for each of payload")]
    WireFactor {
        /// The factor as given.
        factor: f64,
    },
    /// Links that carry nothing.
    #[error("a load of links with a rate of 0")]
    ZeroRate,
    /// More senders than hosts, or none.
    #[error("{senders} sender{} to one of {hosts} hosts", plural(u64::from(*senders)))]
    Senders {
        /// How many senders were asked for.
        senders: u32,
        /// How many hosts there are.
        hosts: u32,
    },
    /// A sender without a connection.
    #[error("0 connections from each sender")]
    NoConnections,
    /// A request that can't be cut into that many flows.
    #[error("a request of {} bytes over {flows} flow{}", request.get(), plural(*flows))]
    Request {
        /// Its size as given.
        request: Bytes,
        /// The flows it would be cut into.
        flows: u64,
    },
    /// The last request would start beyond the end of time.
    #[error("{requests} request{}, {every} apart", plural(*requests))]
    TooLong {
        /// How many were asked for.
        requests: u64,
        /// The time between two.
        every: Time,
    },
}

impl WorkloadError {
    /// What would be allowed instead.
    pub fn allowed(&self) -> String {
        match self {
            Self::Size { .. } => format!("1 to {} bytes", MAX_FLOW.get()),
            Self::SizeRange { .. } => "the smaller size first".into(),
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
