//! [`Arrival`] and [`FlowRecord`]: a flow before and after its run.

use bandwise_units::Time;
use bandwise_workload::{Flow, ListedFlow};

/// A flow before its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Start, hosts and size.
    pub flow: Flow,
    /// Number of the incast's request to which the flow belongs, from 0.
    pub request: Option<u64>,
    /// Traffic class.
    pub class: u8,
}

impl From<Flow> for Arrival {
    fn from(flow: Flow) -> Self {
        Arrival { flow, request: None, class: 0 }
    }
}

impl From<ListedFlow> for Arrival {
    fn from(listed: ListedFlow) -> Self {
        Arrival { flow: listed.flow, request: None, class: listed.priority }
    }
}

/// A flow that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowRecord {
    /// Number, from 0 in order of start.
    pub number: u32,
    /// Start.
    pub start: Time,
    /// Sending host.
    pub src: u32,
    /// Receiving host.
    pub dst: u32,
    /// Payload.
    pub bytes: u64,
    /// Flow completion time (FCT): from the start until the last byte is at the receiver.
    pub completion_time: Time,
    /// Completion time in an empty network.
    pub alone: Time,
}

impl FlowRecord {
    /// Returns the completion time over that in an empty network (IRN 4.1).
    pub fn slowdown(&self) -> f64 {
        self.completion_time.as_ps() as f64 / self.alone.as_ps() as f64
    }
}
