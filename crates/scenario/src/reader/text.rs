//! Parsing of texts, with the errors of the TOML parser in this project's form.

use bandwise_input::{InputError, Source};
use bandwise_topology::read::{self, Format};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeTable;

/// The readable texts.
const READABLE: &str = "a TOML scenario with a [fabric] table, the output of ibnetdiscover, \
                        or a netlist of ibsim";

/// Refuses bytes that are no text.
pub(crate) fn check_text(source: &Source) -> Result<(), InputError> {
    source.check_text(READABLE)
}

/// Refuses bytes that are no text, and fabrics in the formats of other tools, which are no scenario.
/// `readable` describes the allowed texts.
pub(crate) fn check_scenario(source: &Source, readable: &str) -> Result<(), InputError> {
    source.check_text(readable)?;
    if read::detect(source) == Format::Toml {
        return Ok(());
    }
    let error =
        source.error_in_line(1, "this is a fabric (ibnetdiscover or ibsim), not a scenario");
    Err(error.allowed(
        "a scenario that names this file as `fabric-file`, or `bandwise rperf --fabric` with this file",
    ))
}

/// Returns the first line of a range.
pub(crate) fn first_line(source: &Source, span: Range<usize>) -> Range<usize> {
    let end = source.text[span.start..].find('\n').map_or(span.end, |n| span.start + n);
    span.start..end.min(span.end)
}

/// Parses TOML. The error of a text without any word of a scenario lists all formats.
pub(crate) fn document<'a>(source: &Source<'a>) -> Result<Spanned<DeTable<'a>>, InputError> {
    let is_scenario = ["kind", "fabric", "flow"].iter().any(|word| source.text.contains(word));
    source.document().map_err(|e| if is_scenario { e } else { e.allowed(READABLE) })
}
