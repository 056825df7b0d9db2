//! Explanations of errors by what happened to a dump: mixed, wrapped, or cut off.

use super::noise::{has_message, is_of_dump};
use crate::read::cabling::{NO_LINE, NO_NODE};
use crate::read::cursor::Cursor;
use crate::read::node_id::{is_guid_id, node_id_in};
use bandwise_input::{InputError, Source};

/// Returns the error, or a better one if the file shows what happened to it.
pub(super) fn explain(source: &Source, error: InputError) -> InputError {
    let damaged = damage(source, error.line())
        .map(|(message, allowed)| source.error_in_line(error.line(), message).allowed(allowed));
    let explained = damaged.or_else(|| alike(source, &error)).or_else(|| cut_off(source, &error));
    explained.unwrap_or(error)
}

/// The least length of the first part of a wrapped line; blanks of tabs are not counted.
const SHORTEST_WRAPPED: usize = 40;

/// Returns what happened to a line, and the remedy.
fn damage(source: &Source, number: usize) -> Option<(String, &'static str)> {
    let lines = || Cursor::lines(*source).map(|line| line.rest());
    let line = lines().nth(number - 1).unwrap_or_default();
    if has_message(line) {
        let message = "a warning of ibnetdiscover within a line: the two outputs are mixed";
        return Some((
            message.into(),
            "the output without standard error: ibnetdiscover 2>/dev/null",
        ));
    }
    if source.text.contains('\u{1b}') {
        let message = "codes of a terminal, such as colours, in the file";
        return Some((message.into(), "the output in a file: ibnetdiscover > fabric.txt"));
    }
    if line.contains(['\u{201c}', '\u{201d}']) {
        let message = "typographic quotes, as word processors make them";
        return Some((message.into(), "the output as it was printed, with \" around names"));
    }
    // A long line, and one that begins as none of the output does.
    let next = lines().nth(number).unwrap_or_default();
    let is_wrapped = |line: &str| !line.is_empty() && !is_of_dump(line);
    let above = number.checked_sub(2).and_then(|above| lines().nth(above)).unwrap_or_default();
    let is_long = |line: &str| line.chars().count() >= SHORTEST_WRAPPED && is_of_dump(line);
    if (is_long(above) && is_wrapped(line)) || (is_long(line) && is_wrapped(next)) {
        let message = "a line that goes on in the next one: long lines seem to be wrapped";
        return Some((message.into(), "the output in a file, with each port in one line"));
    }
    None
}

/// Explains ids that are alike by GUIDs that were made unreadable.
fn alike(source: &Source, error: &InputError) -> Option<InputError> {
    let id = error.message().strip_prefix("two nodes have the name \"")?.strip_suffix('"')?;
    let is_id = ["S-", "H-", "R-"].iter().any(|kind| id.starts_with(kind));
    let message =
        format!("two nodes have the id {id:?}: are GUIDs made unreadable, so that they are alike?");
    let allowed = "another text for each GUID, the same one in all lines";
    (is_id && !is_guid_id(id)).then(|| source.error_in_line(error.line(), message).allowed(allowed))
}

/// Explains an error by a file that ends too early: an error in the last line, a node that is missing,
/// or a missing line of the last node.
fn cut_off(source: &Source, error: &InputError) -> Option<InputError> {
    let end = source.text.trim_end();
    let is_last = error.line() == source.error(end.len()..end.len(), "").line();
    let nodes = Cursor::lines(*source).map(|line| line.rest());
    let node = nodes.filter(|line| node_id_in(line).is_some()).last();
    let last = node.and_then(node_id_in).unwrap_or_default();
    let lacks_line = error.message().contains(NO_NODE)
        || error.message().ends_with(&format!("{} {last:?}", NO_LINE));
    let name = node.and_then(|line| line.split('#').nth(1)).unwrap_or_default().trim();
    let message = match is_last {
        true => {
            format!("the file seems cut off at its last line, at node {name}: {}", error.message())
        }
        false => format!("{}; is the file cut off after its last node, {name}?", error.message()),
    };
    (is_last || lacks_line).then(|| {
        source.error_in_line(error.line(), message).allowed("the whole output of ibnetdiscover")
    })
}
