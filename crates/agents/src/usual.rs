//! What a method does where nothing else is said.

use bandwise_rperf::PingPongSettings;
use bandwise_session::{Method, Operation};
use bandwise_units::Time;

/// Payload of a message of a latency, of an atomic, and of a bandwidth, bytes; the last as perftest has it, like the
/// depth.
const SMALL: u32 = 64;
const ATOMIC: u32 = 8;
const LARGE: u32 = 65_536;

/// Of a value ("Performance Isolation Anomalies in RDMA" names none; HERD's evaluation has 32 B), bytes.
const VALUE: u32 = 32;

/// Messages that bulk traffic has posted at a time to a queue pair.
const DEPTH: u32 = 128;

/// Clients and workers of a key-value store, the requests that a client has under way, and how many of them there are
/// for each PUT: those of the simulated study.
pub const CLIENTS: u32 = 4;
/// See [`CLIENTS`].
pub const WORKERS: u32 = 4;
/// See [`CLIENTS`].
const REQUESTS: u32 = 4;
/// See [`CLIENTS`].
pub const PUT_EVERY: u32 = 20;

/// The longest pause between a message and the next of what is done one at a time; they are drawn uniformly.
pub const THINK: Time = Time::from_ns(600);

/// Payload of a message, bytes.
pub const fn usual_bytes(method: Method) -> u32 {
    match (method, method.operation()) {
        (_, Operation::Atomic) => ATOMIC,
        (Method::Bulk(_), _) => LARGE,
        (Method::KeyValue(_), _) => VALUE,
        _ => SMALL,
    }
}

/// How many messages are posted at a time to a queue pair; with a key-value store requests that a client has under way.
pub const fn usual_depth(method: Method) -> u32 {
    match method {
        Method::Bulk(_) => DEPTH,
        Method::KeyValue(_) => REQUESTS,
        _ => 1,
    }
}

/// The largest payload inside a WQE, bytes.
pub const fn usual_inline(method: Method) -> u32 {
    match method {
        // HERD's requests and answers travel inside the WQE as long as they are short.
        Method::KeyValue(_) | Method::PingPong(Operation::Send) => {
            PingPongSettings::PERFTEST_INLINE_MAX
        }
        Method::PingPong(Operation::Write) => PingPongSettings::PERFTEST_INLINE_MAX_WRITE,
        _ => 0,
    }
}
