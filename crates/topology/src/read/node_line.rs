//! Lines of netlists and of the output of `ibnetdiscover` that begin a node.

use super::cursor::Cursor;
use super::node_id::node_id_in;
use bandwise_input::Source;
use std::ops::Range;

/// Returns the line that begins the node `name` in a netlist or in the output of ibnetdiscover.
/// Returns `None` for TOML, and if the description is not in quotes.
pub fn node_line(source: &Source, name: &str) -> Option<Range<usize>> {
    let quoted = format!("\"{name}\"");
    let is_node = |line: &Cursor| node_id_in(line.rest()).is_some();
    Cursor::lines(*source)
        .find(|line| is_node(line) && line.rest().contains(&quoted))
        .map(|line| line.span())
}
