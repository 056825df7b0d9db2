//! [`FlowMethod`]: the method of a `[[flow]]`, by name.

use bandwise_scenario::infiniband::MethodName;
use bandwise_scenario::values::Text;
use bandwise_session::Method;
use std::fmt;

/// A method of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlowMethod {
    /// A method that scenarios have too.
    Simple(MethodName),
    /// A key-value store.
    KeyValue,
}

const KEY_VALUE: &str = "key-value";

impl FlowMethod {
    pub(super) fn of(method: Method) -> FlowMethod {
        FlowMethod::Simple(match method {
            Method::Rperf => MethodName::Rperf,
            Method::PingPong(_) => MethodName::PingPong,
            Method::PostPoll => MethodName::PostPoll,
            Method::ClosedLoop(_) => MethodName::ClosedLoop,
            Method::Bulk(_) => MethodName::Bulk,
            Method::KeyValue(_) => return FlowMethod::KeyValue,
        })
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            FlowMethod::Simple(name) => name.as_str(),
            FlowMethod::KeyValue => KEY_VALUE,
        }
    }
}

impl fmt::Display for FlowMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Text for FlowMethod {
    const EXAMPLE: &'static str = "rperf, ping-pong, post-poll, closed-loop, bulk or key-value";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            KEY_VALUE => Ok(FlowMethod::KeyValue),
            name => MethodName::read(name).map(FlowMethod::Simple),
        }
    }
}
