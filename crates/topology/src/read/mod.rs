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
use cursor::Cursor;
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
    source.check_text(READABLE)?;
    match detect(source) {
        Format::Toml => toml(source),
        Format::Ibnetdiscover => ibnetdiscover(source),
        Format::Ibsim => ibsim(source),
    }
}

/// The line of a netlist, or of the output of ibnetdiscover, that begins the node of that name; none
/// in TOML, and where a description is not in quotes.
pub fn node_line(source: &Source, name: &str) -> Option<Range<usize>> {
    let quoted = format!("\"{name}\"");
    let is_node = |line: &Cursor| node_id_in(line.rest()).is_some();
    Cursor::lines(*source)
        .find(|line| is_node(line) && line.rest().contains(&quoted))
        .map(|line| line.span())
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

/// An error of the fabric, at the place in the file that it came from.
fn at(source: &Source, span: Range<usize>, error: &FabricError) -> InputError {
    source.error(span, error.to_string()).allowed(error.allowed())
}
