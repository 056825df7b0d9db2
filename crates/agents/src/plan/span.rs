//! [`Span`]: a time span of a run.

use bandwise_units::Time;
use serde::{Deserialize, Serialize};

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
