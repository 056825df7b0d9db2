//! The defaults of methods.

use bandwise_rperf::PingPongSettings;
use bandwise_rperf::defaults::{BULK_DEPTH, LATENCY_BYTES};
use bandwise_session::{Method, Operation};

/// The payload of messages in bytes: of atomics, and of bandwidths as perftest's.
const ATOMIC: u32 = 8;
const LARGE: u32 = 65_536;

/// The size of a value in bytes, as in HERD's evaluation ("Performance Isolation Anomalies in RDMA" gives none).
const VALUE: u32 = 32;

/// The number of clients of a key-value store. These defaults equal those of the simulated study.
pub const CLIENTS: u32 = 4;
/// The number of workers of a key-value store.
pub const WORKERS: u32 = 4;
/// The number of outstanding requests of a client.
const REQUESTS: u32 = 4;
/// The number of requests per PUT.
pub const PUT_EVERY: u32 = 20;

/// Returns the payload of a message, in bytes.
pub const fn default_bytes(method: Method) -> u32 {
    match (method, method.operation()) {
        (_, Operation::Atomic) => ATOMIC,
        (Method::Bulk(_), _) => LARGE,
        (Method::KeyValue(_), _) => VALUE,
        _ => LATENCY_BYTES,
    }
}

/// Returns the number of outstanding messages of a queue pair; for a key-value store, of outstanding requests of a
/// client.
pub const fn default_depth(method: Method) -> u32 {
    match method {
        Method::Bulk(_) => BULK_DEPTH,
        Method::KeyValue(_) => REQUESTS,
        _ => 1,
    }
}

/// Returns the largest payload inside a WQE, in bytes.
pub const fn default_inline(method: Method) -> u32 {
    match method {
        // HERD sends short requests and responses inside the WQE.
        Method::KeyValue(_) | Method::PingPong(Operation::Send) => {
            PingPongSettings::PERFTEST_INLINE_MAX
        }
        Method::PingPong(Operation::Write) => PingPongSettings::PERFTEST_INLINE_MAX_WRITE,
        _ => 0,
    }
}
