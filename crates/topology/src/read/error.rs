//! Parts of the errors that all readers report.

use crate::FabricError;
use bandwise_input::{InputError, Source};
use std::ops::Range;

/// A description of the readable formats.
pub(super) const READABLE: &str = "TOML with a [fabric] table of keys such as build = { single-switch = 7 } \
                        and link = { rate = \"100 Gbps\" }, the output of ibnetdiscover, or a \
                        netlist of ibsim";

/// Converts an error of the fabric into one at a place in the file.
pub(super) fn at(source: &Source, span: Range<usize>, error: &FabricError) -> InputError {
    source.error(span, error.to_string()).allowed(error.allowed())
}
