//! [`Entry`]: what is known of an application.

use super::Date;
use super::application::is_line;
use crate::sensitivity::{Samples, Setting};

/// What an application was measured to take, and where that comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its completion times.
    pub samples: Samples,
    /// What it was measured on.
    pub setting: Setting,
    /// When it was measured, if anybody wrote that down.
    pub measured: Option<Date>,
    /// Anything else; may be empty.
    pub comment: Text,
}

/// Any text on one line, without spaces around it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(String);

/// A text of several lines, or with characters that can't be printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a text of {0:?}")]
pub struct TextError(pub String);

impl TextError {
    /// What would be allowed instead.
    pub const ALLOWED: &str = "one line of text";
}

impl Text {
    /// The text.
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
