//! [`Span`]: a time span of a run.

use bandwise_units::Time;
use serde::{Deserialize, Serialize};

/// A time span with a duration above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Ends", into = "Ends")]
pub struct Span {
    from: Time,
    to: Time,
}

/// A time span whose end is not after its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the range from {0} to {1} is empty")]
pub struct SpanError(Time, Time);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: Time,
    to: Time,
}

impl Span {
    /// Returns the span between two times.
    ///
    /// # Errors
    ///
    /// Returns [`SpanError`] if the end is not after the start.
    pub fn new(from: Time, to: Time) -> Result<Span, SpanError> {
        if from < to { Ok(Span { from, to }) } else { Err(SpanError(from, to)) }
    }

    /// Returns the start.
    pub const fn from(self) -> Time {
        self.from
    }

    /// Returns the end.
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
