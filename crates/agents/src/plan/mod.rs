//! [`Plan`]: which flows between which hosts, all active together for a while.

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

/// Flows of a plan at most: each side of each keeps a processor busy.
pub const MOST_FLOWS: usize = 256;

/// What a flow is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It measures what messages take: a latency-sensitive generator (LSG).
    Lsg,
    /// It takes bandwidth: a bandwidth-sensitive generator (BSG).
    Bsg,
}

/// A host that an agent runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// What the plan calls it.
    pub name: String,
    /// Where its agent listens.
    pub agent: Address,
}

/// From one host to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// What results call it.
    pub name: String,
    /// The place of the host that measures, in the plan's list.
    pub from: usize,
    /// The place of the host that answers.
    pub to: usize,
    /// What it is there for.
    pub role: Role,
    /// What is measured, and how.
    pub task: Task,
    /// The longest pause after a message, where there is one at a time.
    pub think: Time,
    /// When it is active, from the start of the run.
    pub active: Span,
}

/// What is measured between which hosts. One that exists can be run: all its flows are active at the same time for
/// a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What it is about, in a line.
    pub title: String,
    /// Each host once; every one has a part in a flow.
    pub hosts: Vec<Host>,
    /// At least one.
    pub flows: Vec<Flow>,
    /// What is left out at both ends of the time in which all flows are active.
    pub margin: Time,
    /// The rest of that time, in which numbers count.
    pub window: Span,
    /// What pauses between messages are drawn from.
    pub seed: u64,
}

impl Plan {
    /// When the last flow ends.
    pub fn end(&self) -> Time {
        self.flows.iter().map(|flow| flow.active.to()).max().unwrap_or_default()
    }
}
