//! What a method does where nothing else is said.

use bandwise_rperf::PingPongSettings;
use bandwise_units::Time;
use bandwise_verbs::session::{Method, Operation};

/// Payload of a message of a latency, of an atomic, and of a bandwidth, bytes; the last as perftest has it, like the
/// depth.
const SMALL: u32 = 64;
const ATOMIC: u32 = 8;
const LARGE: u32 = 65_536;

/// Messages that bulk traffic has posted at a time to a queue pair.
pub const DEPTH: u32 = 128;

/// The longest pause between a message and the next of what is done one at a time; they are drawn uniformly.
pub const THINK: Time = Time::from_ns(600);

/// Payload of a message, bytes.
pub const fn usual_bytes(method: Method) -> u32 {
    match (method, method.operation()) {
        (_, Operation::Atomic) => ATOMIC,
        (Method::Bulk(_), _) => LARGE,
        _ => SMALL,
    }
}

/// The largest payload inside a WQE, bytes.
pub const fn usual_inline(method: Method) -> u32 {
    match method {
        Method::PingPong(Operation::Send) => PingPongSettings::PERFTEST_INLINE_MAX,
        Method::PingPong(Operation::Write) => PingPongSettings::PERFTEST_INLINE_MAX_WRITE,
        _ => 0,
    }
}
