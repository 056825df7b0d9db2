//! Sources and errors of all readers: a [`Source`] is a named text; an [`InputError`] names the
//! file, the line, the mistake and the allowed values. The crate does no I/O. The caller opens the
//! file and supplies its text.
//!
//! ```
//! use bandwise_input::Source;
//!
//! let source = Source::new("fabric.toml", "link = 1\nmtu = 5000\n");
//! let error = source.error_in_line(2, "no such MTU").allowed("256 to 4096");
//! assert_eq!(error.to_string(), "fabric.toml:2: no such MTU (allowed: 256 to 4096)");
//! ```

mod decimal;
mod encoding;
mod excerpt;
mod foreign;
mod printable;
mod reason;

pub use decimal::Decimal;
pub use encoding::Encoding;
pub use foreign::Foreign;
pub use printable::is_printable;
pub use reason::reason;

use excerpt::Excerpt;
use miette::{Diagnostic, LabeledSpan, SourceSpan};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeTable;

/// A text and its name: a path, or `<flags>`.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The name in error messages.
    pub name: &'a str,
    /// The whole text, or an excerpt of it if a reader works piece by piece.
    pub text: &'a str,
    /// The number of lines of the input before the text.
    lines_before: usize,
}

impl<'a> Source<'a> {
    /// Returns a source with this name and text.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        Source { name, text, lines_before: 0 }
    }

    /// Returns an excerpt of a longer input, such as one line of a file that does not fit into
    /// memory. `line` is the number of the excerpt's first line in the input, counted from 1.
    pub fn excerpt(name: &'a str, text: &'a str, line: usize) -> Self {
        Source { name, text, lines_before: line.saturating_sub(1) }
    }

    /// Returns an error at a byte range of the text. A range outside of the text is moved to its
    /// end.
    pub fn error(&self, at: Range<usize>, message: impl Into<String>) -> InputError {
        let start = at.start.min(self.text.len());
        let end = at.end.clamp(start, self.text.len());
        InputError(Box::new(Content {
            message: message.into(),
            allowed: None,
            line: 1
                + self.lines_before
                + self.text.as_bytes()[..start].iter().filter(|&&b| b == b'\n').count(),
            file: self.name.to_owned(),
            code: Excerpt::new(self.name, self.text, self.lines_before),
            span: Some((start, end - start).into()),
        }))
    }

    /// Returns an error for a whole line, counted from 1 at the beginning of the input.
    pub fn error_in_line(&self, line: usize, message: impl Into<String>) -> InputError {
        let before = line.saturating_sub(1 + self.lines_before);
        let start: usize = self.text.split_inclusive('\n').take(before).map(str::len).sum();
        let len = self.text[start..].lines().next().map_or(0, str::len);
        self.error(start..start + len, message)
    }

    /// Checks that the text is not empty, no [`Foreign`] file, not binary and valid UTF-8. Parsers
    /// report such texts less clearly. `readable` describes the allowed inputs.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] at the first byte that is not text, or at the first line of a
    /// foreign file.
    pub fn check_text(&self, readable: &str) -> Result<(), InputError> {
        self.check_own()?;
        if self.text.trim().is_empty() {
            return Err(self.error(0..0, "the file is empty").allowed(readable));
        }
        // The file was decoded with U+FFFD in place of bytes that are not UTF-8.
        let Some(at) = self.text.find(['\0', '\u{fffd}']) else { return Ok(()) };
        let what = match self.text[at..].starts_with('\0') {
            true => "a NUL byte: this is not text",
            false => "bytes that are not UTF-8: this is not text",
        };
        Err(self.error(at..at, what).allowed(readable))
    }

    /// Checks that the text is no [`Foreign`] file.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] at the first line of a foreign file, with the remedy in place of
    /// the allowed values.
    pub fn check_own(&self) -> Result<(), InputError> {
        let Some(foreign) = Foreign::of(self.text) else { return Ok(()) };
        let error =
            self.error_in_line(self.lines_before + 1, format!("this looks like {}", foreign.name));
        Err(error.allowed(foreign.remedy))
    }

    /// Reads the text as TOML into `T`.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] if the text is not TOML or does not fit `T`, with the mistake
    /// apart from the allowed values. Unknown keys are errors if `T` denies them.
    pub fn toml<T: serde::de::DeserializeOwned>(&self) -> Result<T, InputError> {
        self.read(self.document()?)
    }

    /// Parses the text as a TOML document with spans. A caller can change parts of it before
    /// [`Source::read`].
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] if the text is not TOML, or has more than 2,000,000 keys, values
    /// and tables.
    pub fn document(&self) -> Result<Spanned<DeTable<'a>>, InputError> {
        self.check_parts()?;
        DeTable::parse(self.text).map_err(|e| self.toml_error(&e))
    }

    /// Reads a document of this text into `T`.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] if the document does not fit `T`.
    pub fn read<'de, T>(&self, document: Spanned<DeTable<'de>>) -> Result<T, InputError>
    where
        T: serde::de::Deserialize<'de>,
    {
        T::deserialize(toml::Deserializer::from(document)).map_err(|e| self.toml_error(&e))
    }

    fn toml_error(&self, error: &toml::de::Error) -> InputError {
        let (message, allowed) = parts(error.message().trim());
        self.error(error.span().unwrap_or(0..0), message).allowed(allowed)
    }

    /// Refuses a document with more than [`MAX_PARTS`] keys, values and tables, because the parser
    /// takes hundreds of bytes for each. Text in quotes is not counted if the quotes are on one
    /// line.
    fn check_parts(&self) -> Result<(), InputError> {
        let begins_a_part = |b: &u8| matches!(b, b'=' | b',' | b'[' | b'.');
        let mut count = 0;
        for (i, line) in self.text.lines().enumerate() {
            let bare = line.split('"').step_by(2);
            count += bare.map(|s| s.bytes().filter(|b| begins_a_part(b)).count()).sum::<usize>();
            if count > MAX_PARTS {
                let message = format!("more than {MAX_PARTS} keys, values and tables up to here");
                return Err(self.error_in_line(i + 1, message).allowed("fewer of them"));
            }
        }
        Ok(())
    }
}

/// The limit of keys, values and tables. A list of 60,000 hosts and 120,000 cables, each with rate
/// and delay, has two thirds of it.
const MAX_PARTS: usize = 2_000_000;

/// Rewrites a message about a value of the wrong type in terms of TOML instead of serde.
fn without_type(message: &str) -> String {
    let refused = ["invalid type: ", "invalid value: "];
    let Some(found) = refused.iter().find_map(|start| message.strip_prefix(start)) else {
        return message.to_owned();
    };
    let found = match found.split_once(' ') {
        Some(("integer" | "boolean", value)) => {
            // Numbers of more than 64 bits are followed by their type.
            value.split(' ').next().unwrap_or(value).trim_matches('`').to_owned()
        }
        Some(("floating", value)) => {
            value.trim_start_matches("point ").trim_matches('`').to_owned()
        }
        Some(("string", value)) => format!("the text {value}"),
        _ if found == "sequence" => "a list".to_owned(),
        _ if found == "map" => "a table".to_owned(),
        _ => return message.to_owned(),
    };
    format!("{found} can't stand here")
}

/// Splits a message of the TOML parser into the mistake and the allowed values.
fn parts(message: &str) -> (String, String) {
    for separator in ["; expected ", ", expected "] {
        if let Some((message, expected)) = message.rsplit_once(separator) {
            let allowed = match expected {
                "a string" => "a text in quotes",
                "a boolean" => "true or false",
                "a sequence" => "a list, or for tables [[name]] before each",
                "u8" => "0 to 255",
                "u16" => "0 to 65535",
                "u32" => "0 to 4294967295",
                "u64" | "usize" => "0 to 18446744073709551615",
                "i64" => "a whole number of at most 19 digits",
                "f64" => "a number",
                expected => expected,
            };
            return (without_type(message), allowed.to_owned());
        }
    }
    let allowed = match message.strip_prefix("missing field ") {
        Some(key) => format!("{key} in this table"),
        None if message.starts_with("duplicate key") => {
            "each key once in a table, and [[name]] for one of several tables".to_owned()
        }
        None => "TOML, in which a line is `key = value`, `[table]` or `[[list]]`".to_owned(),
    };
    (message.to_owned(), allowed)
}

/// An error in an input: its place, the mistake and the allowed values.
///
/// It prints as `file:line: message (allowed: …)`. As a [`Diagnostic`] it also shows the line.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", .0.text())]
pub struct InputError(Box<Content>);

/// The content of an error, boxed to keep `Result` small.
#[derive(Debug, Clone)]
struct Content {
    message: String,
    allowed: Option<String>,
    file: String,
    line: usize,
    code: Excerpt,
    span: Option<SourceSpan>,
}

impl Content {
    fn text(&self) -> String {
        let Content { file, line, message, .. } = self;
        match &self.allowed {
            Some(allowed) => format!("{file}:{line}: {message} (allowed: {allowed})"),
            None => format!("{file}:{line}: {message}"),
        }
    }
}

impl InputError {
    /// Returns an error of a whole input, such as a file that is too large.
    pub fn whole(name: &str, message: impl Into<String>) -> Self {
        InputError(Box::new(Content {
            message: message.into(),
            allowed: None,
            file: name.to_owned(),
            line: 1,
            code: Excerpt::new(name, "", 0),
            span: None,
        }))
    }

    /// Adds the allowed values.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.0.allowed = Some(allowed.into());
        self
    }

    /// Adds a context in front of the message, for a value that is invalid only in this context.
    #[must_use]
    pub fn of(mut self, what: &str) -> Self {
        self.0.message = format!("{what}: {}", self.0.message);
        self
    }

    /// Returns the message without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the file's name.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// Returns the line, counted from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }
}

impl Diagnostic for InputError {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        let allowed = self.0.allowed.as_ref()?;
        Some(Box::new(format!("allowed: {allowed}")))
    }
    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.0.span.is_some().then_some(&self.0.code as &dyn miette::SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.0.span?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".into()), span))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_file_line_and_what_is_allowed() {
        let source = Source::new("f.toml", "a = 1\nmtu = 5000\n");
        let error = source.error(12..16, "no such MTU").allowed("256 to 4096");
        assert_eq!(error.to_string(), "f.toml:2: no such MTU (allowed: 256 to 4096)");
        assert_eq!(source.error_in_line(2, "x").to_string(), "f.toml:2: x");
        assert_eq!(source.error_in_line(99, "x").line(), 3);
    }

    #[test]
    fn an_excerpt_keeps_the_numbers_of_its_lines() {
        let excerpt = Source::excerpt("f.csv", "1,2\n3,x\n", 4_001);
        assert_eq!(excerpt.error(6..7, "no number").to_string(), "f.csv:4002: no number");
        assert_eq!(excerpt.error_in_line(4_002, "bad").line(), 4_002);
        assert_eq!(excerpt.error_in_line(1, "before it").line(), 4_001);
        // The excerpt shown to people has the same line numbers.
        let error = excerpt.error(6..7, "no number");
        let contents = error.source_code().unwrap().read_span(&(6, 1).into(), 1, 1).unwrap();
        // miette counts lines from 0.
        assert_eq!((contents.name(), contents.line()), (Some("f.csv"), 4_000));
        assert_eq!(contents.data(), b"1,2\n3,x\n");
    }

    #[test]
    fn unknown_keys_are_errors_with_their_line() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Settings {
            #[allow(dead_code)]
            a: u8,
        }
        let error = Source::new("f.toml", "a = 1\nbee = 2\n").toml::<Settings>().unwrap_err();
        assert_eq!(error.to_string(), "f.toml:2: unknown field `bee` (allowed: `a`)");
    }

    #[test]
    fn errors_name_values_of_a_wrong_type() {
        #[derive(Debug, serde::Deserialize)]
        struct Settings {
            #[allow(dead_code)]
            name: String,
            #[allow(dead_code)]
            on: bool,
        }
        let error = |text: &str| Source::new("f", text).toml::<Settings>().unwrap_err().to_string();
        for (value, message) in
            [("-64", "-64"), ("1.5", "1.5"), ("true", "true"), ("[1]", "a list"), ("{}", "a table")]
        {
            let message = format!("f:1: {message} can't stand here (allowed: a text in quotes)");
            assert_eq!(error(&format!("name = {value}")), message);
        }
        let message = "f:2: the text \"yes\" can't stand here (allowed: true or false)";
        assert_eq!(error("name = \"a\"\non = \"yes\""), message);
    }

    #[test]
    fn errors_of_numbers_name_the_allowed_numbers() {
        #[derive(Debug, serde::Deserialize)]
        struct Settings {
            #[allow(dead_code)]
            seed: u64,
            #[allow(dead_code)]
            queues: i64,
        }
        let error = |text: &str| Source::new("f", text).toml::<Settings>().unwrap_err().to_string();
        let seed = "f:1: -1 can't stand here (allowed: 0 to 18446744073709551615)";
        assert_eq!(error("seed = -1\nqueues = 1"), seed);
        for queues in ["18446744073709551616", "18446744073709551615"] {
            let message = format!(
                "f:2: {queues} can't stand here (allowed: a whole number of at most 19 digits)"
            );
            assert_eq!(error(&format!("seed = 1\nqueues = {queues}")), message);
        }
    }

    #[test]
    fn binary_and_empty_inputs_are_refused() {
        let check = |text| Source::new("f", text).check_text("text").unwrap_err().to_string();
        assert_eq!(check(" \n"), "f:1: the file is empty (allowed: text)");
        assert_eq!(check("a\n\0"), "f:2: a NUL byte: this is not text (allowed: text)");
        assert!(check("\u{fffd}").starts_with("f:1: bytes that are not UTF-8"));
    }

    #[test]
    fn documents_with_too_many_parts_are_refused() {
        let read = |text: String| Source::new("f.toml", &text).toml::<toml::Table>();
        let ones = |n| format!("# a list\na = [{}]\n", "1,".repeat(n));
        assert!(read(ones(1000)).is_ok());
        let error = read(ones(MAX_PARTS)).unwrap_err();
        assert!(error.to_string().starts_with("f.toml:2: more than 2000000 keys"), "{error}");
        let quoted = format!("a = \"{}\"\n", "1,".repeat(MAX_PARTS));
        assert!(read(quoted).is_ok());
    }
}
