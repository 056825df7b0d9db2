//! [`Application`]: the name of an application.

use bandwise_input::is_printable;
use std::borrow::Borrow;
use std::fmt;

/// The name of an application: one line of text, without spaces around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Application(String);

/// The error for a text that is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an application called {0:?}")]
pub struct NameError(pub String);

impl NameError {
    /// The allowed values.
    pub const ALLOWED: &str =
        "one or more characters on one line, without a space at the beginning or end";
}

impl Application {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<&str> for Application {
    type Error = NameError;
    fn try_from(name: &str) -> Result<Self, NameError> {
        let is_one = !name.is_empty() && name.trim() == name && is_line(name);
        if is_one { Ok(Application(name.to_owned())) } else { Err(NameError(name.to_owned())) }
    }
}

/// Returns whether a text is one printable line. Decoders put U+FFFD in place of invalid bytes.
pub(super) fn is_line(text: &str) -> bool {
    !text.contains(|c: char| !is_printable(c) || c == '\u{fffd}')
}

impl Borrow<str> for Application {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
