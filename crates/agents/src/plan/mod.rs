//! [`Plan`]: which flows between which hosts, all active together for a while.

mod flow;
mod method;
mod spec;

use crate::Address;
use bandwise_input::{InputError, Source};
use bandwise_session::Task;
use bandwise_units::Time;
use serde::{Deserialize, Serialize};
use spec::PlanSpec;

pub use spec::MARGINS;

/// Flows of a plan at most: each side of each keeps a processor busy.
pub const MOST_FLOWS: usize = 256;

/// A time from here to there, which takes some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Ends", into = "Ends")]
pub struct Span {
    from: Time,
    to: Time,
}

/// A span that would end before it begins, or with that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing is between {0} and {1}")]
pub struct SpanError(Time, Time);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: Time,
    to: Time,
}

impl Span {
    /// From here to there.
    pub fn new(from: Time, to: Time) -> Result<Span, SpanError> {
        if from < to { Ok(Span { from, to }) } else { Err(SpanError(from, to)) }
    }

    /// When it begins.
    pub const fn from(self) -> Time {
        self.from
    }

    /// When it ends.
    pub const fn to(self) -> Time {
        self.to
    }
}

impl TryFrom<Ends> for Span {
    type Error = SpanError;
    fn try_from(ends: Ends) -> Result<Span, SpanError> {
        Span::new(ends.from, ends.to)
    }
}

impl From<Span> for Ends {
    fn from(span: Span) -> Ends {
        Ends { from: span.from, to: span.to }
    }
}

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
    /// Reads a plan. `usual` is the port of an agent whose address has none.
    pub fn from_toml(source: &Source, usual: u16) -> Result<Plan, InputError> {
        source.toml::<PlanSpec>()?.resolve(source, usual)
    }

    /// When the last flow ends.
    pub fn end(&self) -> Time {
        self.flows.iter().map(|flow| flow.active.to).max().unwrap_or_default()
    }
}
