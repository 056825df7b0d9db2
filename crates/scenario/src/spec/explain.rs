//! From text to what it says: errors of the TOML parser, told as this project tells errors.

use bandwise_input::{InputError, Source};
use serde::de::DeserializeOwned;
use std::ops::Range;

/// What can be read.
const READABLE: &str = "a TOML scenario with a [fabric] table, the output of ibnetdiscover, \
                        or a netlist of ibsim";

/// Refuses what is no text, before a parser says something less clear about it.
pub(super) fn check_text(source: &Source) -> Result<(), InputError> {
    if source.text.trim().is_empty() {
        return Err(source.error(0..0, "the file is empty").allowed(READABLE));
    }
    // Whoever read the file put U+FFFD in place of bytes that are not UTF-8.
    let Some(at) = source.text.find(['\0', '\u{fffd}']) else { return Ok(()) };
    let what = match source.text[at..].starts_with('\0') {
        true => "a NUL byte: this is not text",
        false => "bytes that are not UTF-8: this is not text",
    };
    Err(source.error(at..at, what).allowed(READABLE))
}

/// What stands in the first line of a range.
pub(super) fn first_line(source: &Source, span: Range<usize>) -> Range<usize> {
    let end = source.text[span.start..].find('\n').map_or(span.end, |n| span.start + n);
    span.start..end.min(span.end)
}

/// Reads TOML; an error says what is wrong apart from what is allowed.
pub(super) fn toml<T: DeserializeOwned>(source: &Source) -> Result<T, InputError> {
    toml::from_str(source.text).map_err(|e| {
        let at = e.span().unwrap_or(0..0);
        let (message, allowed) = parts(source, e.message().trim());
        source.error(at, message).allowed(allowed)
    })
}

/// The message without what was expected, and that.
fn parts(source: &Source, message: &str) -> (String, String) {
    for separator in ["; expected ", ", expected "] {
        if let Some((message, expected)) = message.rsplit_once(separator) {
            let is_scenario = source.text.contains("fabric") || source.text.contains("flow");
            let allowed = match expected {
                _ if !is_scenario => READABLE,
                "a string" => "a text in quotes",
                "a boolean" => "true or false",
                "a sequence" => "a list, or for tables [[name]] before each",
                expected => expected,
            };
            return (message.to_owned(), allowed.to_owned());
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
