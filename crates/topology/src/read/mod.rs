//! Readers of fabric files. Each takes a text and returns a [`FabricFile`], or an error that names
//! the line, the mistake and the allowed values.

mod cabling;
mod cursor;
mod error;
mod fabric_file;
mod ibnetdiscover;
mod ibsim;
mod margin;
mod netlist;
mod node_id;
mod node_line;
mod resolve;
mod spec;
mod values;

pub use fabric_file::FabricFile;
pub use ibnetdiscover::{LOWEST_PORT, ibnetdiscover};
pub(crate) use ibsim::COMMENT;
pub use ibsim::ibsim;
pub use node_line::node_line;
pub use spec::{FabricSpec, toml};

use crate::infiniband::LinkSpeed;
use bandwise_input::{InputError, Source};
use cursor::Cursor;
use error::READABLE;
use node_id::{is_guid_id, node_id_in};

/// A format of fabric files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A TOML document with a `[fabric]` table; see [`toml()`].
    Toml,
    /// The output of `ibnetdiscover`; see [`ibnetdiscover()`].
    Ibnetdiscover,
    /// A netlist of the simulator `ibsim`; see [`ibsim()`].
    Ibsim,
}

/// Detects the format by content. A text without a node line of a netlist counts as TOML, so that
/// the TOML parser reports its errors, unless all its lines are error messages of ibnetdiscover.
pub fn detect(source: &Source) -> Format {
    let lines = || Cursor::lines(*source).map(|line| line.rest());
    let mut nodes = lines().filter_map(node_id_in).peekable();
    if nodes.peek().is_none() {
        if ibnetdiscover::has_failed(source) { Format::Ibnetdiscover } else { Format::Toml }
    } else if nodes.all(is_guid_id) || lines().any(has_lid_and_speed) {
        Format::Ibnetdiscover
    } else {
        Format::Ibsim
    }
}

/// Reads a fabric in any format, as [`detect`] finds it.
///
/// # Errors
///
/// Returns an [`InputError`] at the first mistake.
pub fn any(source: &Source) -> Result<FabricFile, InputError> {
    source.check_text(READABLE)?;
    match detect(source) {
        Format::Toml => toml(source).map(FabricFile::whole),
        Format::Ibnetdiscover => ibnetdiscover(source),
        Format::Ibsim => ibsim(source),
    }
}

/// Returns whether a line is a port of `ibnetdiscover`, with `lid 5 4xFDR` at its end. The ids of a
/// dump with unreadable GUIDs show no format.
fn has_lid_and_speed(line: &str) -> bool {
    let mut words = line.split_whitespace().rev();
    let (speed, _, lid) = (words.next(), words.next(), words.next());
    line.starts_with('[')
        && lid == Some("lid")
        && speed.is_some_and(|s| s.parse::<LinkSpeed>().is_ok())
}
