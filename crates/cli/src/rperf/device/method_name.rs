//! The names of methods, in flags, tables and JSON.

use bandwise_session::Method;

/// Returns the name of a method, as the flag has it.
pub(crate) fn method_name(method: Method) -> &'static str {
    match method {
        Method::Rperf => "rperf",
        Method::PingPong(_) => "ping-pong",
        Method::PostPoll => "post-poll",
        Method::ClosedLoop(_) => "closed-loop",
        Method::Bulk(_) => "bulk",
        Method::KeyValue(_) => "key-value",
    }
}
