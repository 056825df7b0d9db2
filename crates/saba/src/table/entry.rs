//! [`Entry`]: the measurements of an application.

use super::Date;
use super::application::is_line;
use crate::sensitivity::{Samples, Setting};

/// The measurements of an application and their provenance.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The completion times.
    pub samples: Samples,
    /// The conditions of the measurement.
    pub setting: Setting,
    /// The date of the measurement, if known.
    pub measured: Option<Date>,
    /// A remark; may be empty.
    pub comment: Text,
}

/// One line of text, without spaces around it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(String);

/// The error for a text with several lines or unprintable characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a text of {0:?}")]
pub struct TextError(pub String);

impl TextError {
    /// The allowed values.
    pub const ALLOWED: &str = "one line of text";
}

impl Text {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<&str> for Text {
    type Error = TextError;
    fn try_from(text: &str) -> Result<Self, TextError> {
        let line = text.trim();
        if is_line(line) { Ok(Text(line.to_owned())) } else { Err(TextError(text.to_owned())) }
    }
}
