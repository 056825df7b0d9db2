//! A key-value store in the manner of HERD ("Using RDMA efficiently for key-value services",
//! SIGCOMM 2014). A client writes its request into the worker's memory, and the worker responds by
//! SEND on an unreliable datagram.
//!
//! A worker of HERD finds requests by polling its memory. A [`Program`](crate::Program) sees
//! completions only, so the request is a WRITE with immediate, which completes at the worker.
//!
//! The programs know only the sizes of messages. Real contents come from [`KeyValueRequests`] and
//! [`KeyValueTable`].

mod client;
mod content;
mod worker;

pub use client::{KeyValueClient, KeyValueClientSettings};
pub use content::{KeyValueRequests, KeyValueTable};
pub use worker::{KeyValueWorker, KeyValueWorkerSettings};

use bandwise_rdma::verbs::Qp;

/// Queue pairs between a client and a worker, as seen by one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyValueQps {
    /// Queue pair of requests: a reliable connection.
    pub requests: Qp,
    /// Queue pair of responses: a datagram queue pair.
    pub responses: Qp,
}

/// Sizes of requests and responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyValueSizes {
    /// Bytes of a GET; PUTs have another size, by which a worker distinguishes them.
    pub get: u32,
    /// Bytes of a PUT.
    pub put: u32,
    /// Bytes of the response to a GET; the response to a PUT is empty.
    pub value: u32,
}

impl KeyValueSizes {
    /// Returns HERD's sizes: a key of 16 bytes; with a PUT also two bytes of length and the value.
    pub const fn herd(value: u32) -> Self {
        KeyValueSizes { get: 16, put: 18 + value, value }
    }
}

/// One work request in this many of a queue pair is signaled, so that each send queue is freed
/// regularly. The others are known to be complete: requests when their response arrives, responses
/// when the next one is posted.
const SIGNAL_EVERY: u64 = 64;
