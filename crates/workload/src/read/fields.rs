//! [`Field`]: a value in a line, and its place.

use bandwise_input::{InputError, Source};
use std::ops::Range;

/// A value in a text, without blanks around it.
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    pub(super) text: &'a str,
    /// Byte offsets in the text.
    pub(super) span: Range<usize>,
}

impl<'a> Field<'a> {
    /// Iterates over the values of `line` between commas. The line begins at byte `at` of the text.
    pub(super) fn between_commas(line: &'a str, at: usize) -> impl Iterator<Item = Field<'a>> {
        let mut next = at;
        line.split(',').map(move |raw| {
            let at = next + (raw.len() - raw.trim_start().len());
            next += raw.len() + 1;
            let text = raw.trim();
            Field { text, span: at..at + text.len() }
        })
    }

    /// Iterates over the values of `line` between blanks. The line begins at byte `at` of the text.
    pub(super) fn between_blanks(line: &'a str, at: usize) -> impl Iterator<Item = Field<'a>> {
        let mut next = 0;
        line.split_whitespace().map(move |text| {
            // The search succeeds, because `text` is a part of the line.
            let from = next + line[next..].find(text).unwrap_or(0);
            next = from + text.len();
            Field { text, span: at + from..at + next }
        })
    }

    /// Returns an error about this value, which `what` names.
    pub(super) fn error(&self, source: &Source, what: &str) -> InputError {
        /// The maximum number of characters of a value in a message.
        const SHOWN: usize = 40;
        let shown: String = self.text.chars().take(SHOWN).collect();
        let more = if shown.len() < self.text.len() { "…" } else { "" };
        source.error(self.span.clone(), format!("{what} is {shown:?}{more}"))
    }
}
