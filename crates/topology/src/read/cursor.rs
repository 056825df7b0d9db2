//! [`Cursor`]: a position in a line that knows its place in the file.

use super::margin::Margin;
use bandwise_input::{InputError, Source};
use std::ops::Range;

/// A position in one line of a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    source: Source<'a>,
    /// Byte offsets in the whole text: the position, and the end of the line.
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    /// Iterates over the lines of a source, without indentation and line ends, and without the text
    /// before each line.
    pub(super) fn lines(source: Source<'a>) -> impl Iterator<Item = Cursor<'a>> {
        let margin = Margin::of(source.text);
        let mut next = 0;
        source.text.split_inclusive('\n').map(move |line| {
            let at = next;
            next += line.len();
            let line = line.trim_end();
            let end = at + line.len();
            Cursor { source, at: end - margin.remove(line).len(), end }
        })
    }

    /// Returns the rest of the line.
    pub(super) fn rest(&self) -> &'a str {
        &self.source.text[self.at..self.end]
    }

    /// Returns the byte range of the rest of the line in the file.
    pub(super) fn span(&self) -> Range<usize> {
        self.at..self.end
    }

    /// Returns an error for the rest of the line.
    pub(super) fn error(&self, message: impl Into<String>) -> InputError {
        self.source.error(self.span(), message)
    }

    /// Skips blanks.
    pub(super) fn skip_space(&mut self) {
        self.at = self.end - self.rest().trim_start().len();
    }

    /// Skips `prefix` if the rest begins with it, and returns whether it did.
    pub(super) fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Reads a decimal number. A number beyond 64 bits becomes the largest one.
    pub(super) fn number(&mut self) -> Option<Spanned<u64>> {
        let digits = self.take_while(|c| c.is_ascii_digit());
        let value = if digits.value.is_empty() { None } else { Some(digits.value) };
        value.map(|d| Spanned { value: d.parse().unwrap_or(u64::MAX), span: digits.span })
    }

    /// Reads a text in double quotes and returns it without them.
    pub(super) fn quoted(&mut self) -> Option<Spanned<&'a str>> {
        let inner = self.rest().strip_prefix('"')?;
        let value = &inner[..inner.find('"')?];
        let span = self.at..self.at + value.len() + 2;
        self.at = span.end;
        Some(Spanned { value, span })
    }

    /// Skips a text between two characters, such as `(2c9030012ab34)`, if it comes next.
    pub(super) fn skip_between(&mut self, open: char, close: char) {
        if self.rest().starts_with(open)
            && let Some(length) = self.rest().find(close)
        {
            self.at += length + close.len_utf8();
        }
    }

    /// Reads a word: all characters up to a blank.
    pub(super) fn word(&mut self) -> Spanned<&'a str> {
        self.take_while(|c| !c.is_whitespace())
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> Spanned<&'a str> {
        let rest = self.rest();
        let value = &rest[..rest.find(|c| !keep(c)).unwrap_or(rest.len())];
        let span = self.at..self.at + value.len();
        self.at = span.end;
        Spanned { value, span }
    }
}

/// A value and its byte range in the file.
#[derive(Debug, Clone)]
pub(super) struct Spanned<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}
