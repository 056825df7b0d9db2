//! Lines that the output of `ibnetdiscover` and netlists of `ibsim` share: a line for each node,
//! and below it a line for each connected port.
//!
//! ```text
//! Switch  8 "sw1"         # "the switch on top of the rack"
//! [1]     "host1"[1]
//! ```

use super::cursor::{Cursor, Spanned};
use super::error::at;
use super::node_id::{KEYWORDS, ROUTER};
use crate::infiniband::MAX_PORTS;
use crate::{FabricError, MAX_NODES, NodeKind};
use bandwise_input::{InputError, Source};
use std::ops::Range;

/// The differences between the two formats.
pub(super) trait Dialect {
    /// The speed in a port line.
    type Speed;

    /// Returns the description of a node from a comment without quotes.
    fn bare_description<'a>(&self, comment: &'a str) -> Option<&'a str>;

    /// Returns `true` for a line that is not of the file itself, such as a prompt. It is asked of
    /// lines that begin as those of ports and nodes do, and go on as text.
    fn is_noise(&mut self, _line: Cursor) -> bool {
        false
    }

    /// Reads a line that is neither blank nor a comment, a node or a port.
    fn other_line(&mut self, line: Cursor) -> Result<(), InputError>;

    /// Returns the PCI device ID in the lines above a node, and forgets it.
    fn take_device(&mut self) -> Option<u16> {
        None
    }

    /// Reads the end of a port line, after the far port.
    fn speed(&self, end: Cursor) -> Result<Self::Speed, InputError>;
}

/// A node and its ports.
#[derive(Debug)]
pub(super) struct Record<'a, S> {
    pub(super) kind: NodeKind,
    /// Set for a router, which is a node of kind host.
    pub(super) is_router: bool,
    pub(super) ports: Spanned<u64>,
    pub(super) id: Spanned<&'a str>,
    pub(super) description: Option<&'a str>,
    /// The PCI device ID, where the file states it.
    pub(super) device: Option<u16>,
    pub(super) cables: Vec<Half<'a, S>>,
}

/// A port line: one end of a cable.
#[derive(Debug)]
pub(super) struct Half<'a, S> {
    pub(super) port: Spanned<u64>,
    pub(super) peer: Spanned<&'a str>,
    pub(super) peer_port: Spanned<u64>,
    pub(super) speed: S,
    /// The whole line.
    pub(super) line: Range<usize>,
}

/// Reads all nodes of a file, in order.
pub(super) fn records<'a, D: Dialect>(
    source: &Source<'a>,
    dialect: &mut D,
) -> Result<Vec<Record<'a, D::Speed>>, InputError> {
    let mut records: Vec<Record<D::Speed>> = Vec::new();
    for line in Cursor::lines(*source) {
        let text = line.rest();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if is_text(text) && dialect.is_noise(line) {
            continue;
        }
        if text.starts_with('[') {
            let half = port_line(source, line, dialect)?;
            let Some(record) = records.last_mut() else {
                return Err(line.error("a port before any node").allowed(NODE_LINE));
            };
            check_number(source, &half.port, record)?;
            record.cables.push(half);
        } else if let Some((keyword, rest)) = after_keyword(line) {
            let record = node_line(source, line, rest, keyword, dialect)?;
            if records.len() == MAX_NODES {
                // The check comes before the rest of a very long file is read.
                return Err(at(source, record.id.span, &FabricError::TooManyNodes));
            }
            records.push(record);
        } else {
            dialect.other_line(line)?;
        }
    }
    Ok(records)
}

/// Returns whether a line begins as those of ports and nodes do, but goes on otherwise: `[root@host ~]#`,
/// `[1] see below`, `Switch it off`. A line that is cut off goes on as it should.
fn is_text(text: &str) -> bool {
    let word = |rest: &str| rest.trim_start().starts_with(char::is_alphabetic);
    if let Some(inner) = text.strip_prefix('[') {
        let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = rest.len() < inner.len() || rest.is_empty();
        return !is_number || rest.strip_prefix(']').map_or(!rest.is_empty(), word);
    }
    let after = KEYWORDS.iter().find_map(|(keyword, _)| text.strip_prefix(keyword));
    after.is_some_and(|rest| rest.starts_with([' ', '\t']) && word(rest))
}

/// Returns a warning at the first router, because routers count as hosts.
pub(super) fn routers_as_hosts<S>(source: &Source, records: &[Record<S>]) -> Option<InputError> {
    let mut routers = records.iter().filter(|record| record.is_router);
    let at = routers.next()?.id.span.clone();
    let message = match 1 + routers.count() {
        1 => "1 router counted as a host".to_owned(),
        count => format!("{count} routers counted as hosts"),
    };
    Some(source.error(at, message))
}

const NODE_LINE: &str = "a node such as Switch 8 \"sw1\", with Switch, Ca, Hca or Rt";
const PORT_LINE: &str = "a port such as [1] \"sw1\"[3]";

fn after_keyword(line: Cursor) -> Option<((&'static str, NodeKind), Cursor)> {
    KEYWORDS.iter().find_map(|&keyword| {
        let mut rest = line;
        let found = rest.eat(keyword.0) && rest.rest().starts_with([' ', '\t']);
        found.then_some((keyword, rest))
    })
}

/// Reads the number of ports, the id in quotes, and the description in a comment.
fn node_line<'a, D: Dialect>(
    source: &Source<'a>,
    line: Cursor<'a>,
    mut rest: Cursor<'a>,
    (keyword, kind): (&str, NodeKind),
    dialect: &mut D,
) -> Result<Record<'a, D::Speed>, InputError> {
    let bad = |message: &str| source.error(line.span(), message).allowed(NODE_LINE);
    rest.skip_space();
    let ports = rest.number().ok_or_else(|| bad("a node without its number of ports"))?;
    if ports.value == 0 {
        return Err(bad("a node can't have 0 ports").allowed(format!("1 to {MAX_PORTS} ports")));
    }
    rest.skip_space();
    let id = rest.quoted().ok_or_else(|| bad("a node without a name in quotes"))?;
    rest.skip_space();
    let description = match rest.rest().strip_prefix('#') {
        None if rest.rest().is_empty() => None,
        None => {
            let error = rest.error(format!("{:?} after the node's name", rest.rest()));
            return Err(error.allowed("nothing, or a comment that begins with #"));
        }
        Some(comment) => match comment.trim_start().strip_prefix('"') {
            // The description ends at the last quote, because it may contain quotes itself.
            Some(quoted) => quoted.rsplit_once('"').map(|(description, _)| description),
            None => dialect.bare_description(comment),
        },
    };
    let description = description.map(str::trim).filter(|d| !d.is_empty());
    let is_router = keyword == ROUTER;
    let device = dialect.take_device();
    Ok(Record { kind, is_router, ports, id, description, device, cables: Vec::new() })
}

/// Reads `[port][ext n](guid) "peer"[port][ext n](guid)`. The parts in round brackets and after
/// `ext` are positions on the chassis, which are skipped.
fn port_line<'a, D: Dialect>(
    source: &Source<'a>,
    line: Cursor<'a>,
    dialect: &D,
) -> Result<Half<'a, D::Speed>, InputError> {
    let bad = |message: &str| source.error(line.span(), message).allowed(PORT_LINE);
    let mut rest = line;
    let port = bracketed(&mut rest).ok_or_else(|| bad("a port line without a port number"))?;
    skip_place(&mut rest);
    let peer = rest.quoted().ok_or_else(|| bad("a port line without the far node in quotes"))?;
    rest.skip_space();
    let peer_port = match rest.rest().starts_with('[') {
        true => bracketed(&mut rest).ok_or_else(|| bad("a far port that is not a number"))?,
        // As in ibsim, an omitted far port is port 1.
        false => Spanned { value: 1, span: peer.span.clone() },
    };
    skip_place(&mut rest);
    Ok(Half { port, peer, peer_port, speed: dialect.speed(rest)?, line: line.span() })
}

fn bracketed(rest: &mut Cursor) -> Option<Spanned<u64>> {
    let found = rest.eat("[");
    let number = rest.number().filter(|_| found)?;
    rest.eat("]").then_some(number)
}

fn skip_place(rest: &mut Cursor) {
    rest.skip_space();
    rest.skip_between('[', ']');
    rest.skip_space();
    rest.skip_between('(', ')');
    rest.skip_space();
}

fn check_number<S>(
    source: &Source,
    port: &Spanned<u64>,
    record: &Record<S>,
) -> Result<(), InputError> {
    let (id, ports) = (record.id.value, record.ports.value);
    if (1..=ports).contains(&port.value) {
        return Ok(());
    }
    let message = format!("{id:?} has no port {}", port.value);
    Err(source.error(port.span.clone(), message).allowed(format!("ports 1 to {ports}")))
}
