//! [`Plan`]: flows between hosts that are active at the same time.

mod flow;
mod method;
mod span;
mod spec;

use crate::Address;
use bandwise_session::Task;
use bandwise_units::Time;
use serde::Serialize;

pub use span::{Span, SpanError};
pub use spec::MARGINS;

/// The largest number of flows. Each side of a flow keeps a processor busy.
pub const MOST_FLOWS: usize = 256;

/// The longest time from the start of a run to the end of its last flow. Agents refuse more.
pub const LONGEST_RUN: Time = Time::from_ms(3_600_000);
/// The longest pause after a message. Agents refuse more.
pub const LONGEST_THINK: Time = Time::from_ms(1_000);

/// The role of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A latency-sensitive generator (LSG), which measures the latency of messages.
    Lsg,
    /// A bandwidth-sensitive generator (BSG), which takes bandwidth.
    Bsg,
}

/// A host with an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The host's name in the plan.
    pub name: String,
    /// The address of its agent.
    pub agent: Address,
}

/// A flow between two hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// The flow's name in results.
    pub name: String,
    /// The index of the measuring host.
    pub from: usize,
    /// The index of the responding host.
    pub to: usize,
    /// The flow's role.
    pub role: Role,
    /// The measurement.
    pub task: Task,
    /// The longest pause after a message, for methods that send one at a time.
    pub think: Time,
    /// The time span of the flow, from the start of the run.
    pub active: Span,
}

/// A measurement between hosts. In every plan, all flows are active at the same time for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The title.
    pub title: String,
    /// The hosts; each has a flow.
    pub hosts: Vec<Host>,
    /// The flows; at least one.
    pub flows: Vec<Flow>,
    /// The time that is left out at both ends of the span in which all flows are active.
    pub margin: Time,
    /// The span in which all flows are active, without the margins. Only its results count.
    pub window: Span,
    /// The random seed of the pauses.
    pub seed: u64,
}

impl Plan {
    /// Returns the end of the last flow.
    pub fn end(&self) -> Time {
        self.flows.iter().map(|flow| flow.active.to()).max().unwrap_or_default()
    }
}
