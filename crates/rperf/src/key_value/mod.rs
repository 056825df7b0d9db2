//! A key-value store in the manner of HERD ("Using RDMA efficiently for key-value services", SIGCOMM
//! 2014): a client writes its request into the worker's memory, and the worker answers by SEND on an
//! unreliable datagram.
//!
//! A worker of HERD finds requests by looking at its memory. A [`Program`](crate::Program) sees
//! completions only, so the request is a WRITE with immediate, which completes at the worker.
//!
//! The programs know how large messages are. What these hold, where they are real, stands in [`KeyValueQuestions`]
//! and [`KeyValueTable`].

mod client;
mod content;
mod worker;

pub use client::{KeyValueClient, KeyValueClientSettings};
pub use content::{KeyValueQuestions, KeyValueTable};
pub use worker::{KeyValueWorker, KeyValueWorkerSettings};

use bandwise_rdma::verbs::Qp;

/// The way between a client and a worker, as one of the two knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Requests go this way: a reliable connection.
    pub requests: Qp,
    /// Answers go this way: a datagram queue pair.
    pub answers: Qp,
}

/// How large requests and answers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyValueSizes {
    /// A GET, bytes; PUTs have another size, by which a worker tells them apart.
    pub get: u32,
    /// A PUT, bytes.
    pub put: u32,
    /// The answer to a GET, bytes; that to a PUT is empty.
    pub value: u32,
}

impl KeyValueSizes {
    /// HERD's: a key of 16 bytes; with a PUT two bytes of length and the value.
    pub const fn herd(value: u32) -> Self {
        KeyValueSizes { get: 16, put: 18 + value, value }
    }
}

/// One work request in this many of a queue pair asks for a completion, so that each send queue is freed now and
/// then. The others are known to be done: requests when their answer is here, answers when the next one is posted.
const SIGNAL_EVERY: u64 = 64;
