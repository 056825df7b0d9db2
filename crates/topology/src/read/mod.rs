//! Readers of fabric files. Each takes the text and gives a [`Fabric`], or an error that names
//! the line, what is wrong there and what is allowed.

mod cabling;
mod cursor;
mod ibnetdiscover;
mod ibsim;
mod netlist;
mod resolve;
mod spec;
mod values;

pub use ibnetdiscover::ibnetdiscover;
pub(crate) use ibsim::COMMENT;
pub use ibsim::ibsim;
pub use spec::{FabricSpec, toml};

use crate::{Fabric, FabricError};
use bandwise_input::{InputError, Source};
use std::ops::Range;

/// What can be read.
const READABLE: &str = "TOML with a [fabric] table of keys such as build = { single-switch = 7 } \
                        and link = { rate = \"100 Gbps\" }, the output of ibnetdiscover, or a \
                        netlist of ibsim";

/// A format of fabric files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A TOML document with a `[fabric]` table; see [`toml()`].
    Toml,
    /// What `ibnetdiscover` prints; see [`ibnetdiscover()`].
    Ibnetdiscover,
    /// A netlist of the simulator `ibsim`; see [`ibsim()`].
    Ibsim,
}

/// Tells the format by content. Text without a node line of a netlist is taken for TOML, whose
/// errors then say where it isn't.
pub fn detect(source: &Source) -> Format {
    let mut nodes = source.text.lines().filter_map(node_id_in).peekable();
    if nodes.peek().is_none() {
        Format::Toml
    } else if nodes.all(is_guid_id) {
        Format::Ibnetdiscover
    } else {
        Format::Ibsim
    }
}

/// Reads whichever format the content is in.
pub fn any(source: &Source) -> Result<Fabric, InputError> {
    check_text(source)?;
    match detect(source) {
        Format::Toml => toml(source),
        Format::Ibnetdiscover => ibnetdiscover(source),
        Format::Ibsim => ibsim(source),
    }
}

/// The quoted id of a line such as `Switch 8 "sw1"`.
fn node_id_in(line: &str) -> Option<&str> {
    let rest = netlist::KEYWORDS.iter().find_map(|(keyword, _)| line.strip_prefix(keyword))?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    rest.strip_prefix('"')?.split_once('"').map(|(id, _)| id)
}

/// Whether an id is one that `ibnetdiscover` makes: `H-0002c9030012ab34`.
fn is_guid_id(id: &str) -> bool {
    let digits = ["S-", "H-", "R-"].iter().find_map(|kind| id.strip_prefix(kind));
    digits.is_some_and(|d| d.len() == 16 && d.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Refuses what is no text, before a parser says something less clear about it.
fn check_text(source: &Source) -> Result<(), InputError> {
    if source.text.trim().is_empty() {
        return Err(source.error(0..0, "the file is empty").allowed(READABLE));
    }
    // Whoever read the file put U+FFFD in place of bytes that are not UTF-8.
    match source.text.find(['\0', '\u{fffd}']) {
        None => Ok(()),
        Some(at) => {
            let what = if source.text[at..].starts_with('\0') {
                "a NUL byte: this is not text"
            } else {
                "bytes that are not UTF-8: this is not text"
            };
            Err(source.error(at..at, what).allowed(READABLE))
        }
    }
}

/// An error of the fabric, at the place in the file that it came from.
fn at(source: &Source, span: Range<usize>, error: &FabricError) -> InputError {
    source.error(span, error.to_string()).allowed(error.allowed())
}
