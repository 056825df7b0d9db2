//! From text to what it says: errors of the TOML parser, told as this project tells errors.

use bandwise_input::{InputError, Source};
use serde::de::DeserializeOwned;
use std::ops::Range;

/// What can be read.
const READABLE: &str = "a TOML scenario with a [fabric] table, the output of ibnetdiscover, \
                        or a netlist of ibsim";

/// Refuses what is no text.
pub(crate) fn check_text(source: &Source) -> Result<(), InputError> {
    source.check_text(READABLE)
}

/// What stands in the first line of a range.
pub(crate) fn first_line(source: &Source, span: Range<usize>) -> Range<usize> {
    let end = source.text[span.start..].find('\n').map_or(span.end, |n| span.start + n);
    span.start..end.min(span.end)
}

/// Reads TOML. Where it has nothing of a scenario, what is allowed is all that can be read.
pub(crate) fn toml<T: DeserializeOwned>(source: &Source) -> Result<T, InputError> {
    let is_scenario = source.text.contains("fabric") || source.text.contains("flow");
    source.toml().map_err(|e| if is_scenario { e } else { e.allowed(READABLE) })
}
