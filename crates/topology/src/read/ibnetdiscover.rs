//! Reader for the output of `ibnetdiscover` (infiniband-diags), also with `--full` and
//! `--grouping`.
//!
//! ```text
//! switchguid=0x7cfe900300a1b2c0(7cfe900300a1b2c0)
//! Switch  36 "S-7cfe900300a1b2c0"         # "MF0;tor1:SX6036/U1" enhanced port 0 lid 3 lmc 0
//! [1]     "H-e41d2d0300112230"[1](e41d2d0300112231)       # "node01 HCA-1" lid 5 4xFDR
//! ```
//!
//! A node is named by its description if that is unique, else by its id. Every link has two lines,
//! which must agree. The output has no delays, so all are [`CABLE_DELAY`].

use super::cabling::{self, Agree};
use super::cursor::Cursor;
use super::error::READABLE;
use super::netlist::{self, Dialect, Record};
use crate::infiniband::{ALLOWED_SPEEDS, CABLE_DELAY, LinkSpeed};
use crate::{Fabric, NodeKind};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use std::collections::BTreeSet;

/// Reads the output of `ibnetdiscover`.
///
/// # Errors
///
/// Returns an [`InputError`] at the first line that is invalid or contradicts another one.
pub fn ibnetdiscover(source: &Source) -> Result<Fabric, InputError> {
    source.check_text(READABLE)?;
    let mut records = netlist::records(source, &mut Discovered)?;
    drop_aggregation_nodes(&mut records);
    cabling::fabric(source, &records, &Discovered)
}

struct Discovered;

/// The keys of lines that have no effect.
const KEYS: [&str; 6] = ["vendid", "devid", "sysimgguid", "switchguid", "caguid", "rtguid"];

impl Dialect for Discovered {
    type Speed = LinkSpeed;

    /// Older versions of ibnetdiscover print descriptions without quotes.
    fn bare_description<'a>(&self, comment: &'a str) -> Option<&'a str> {
        const AFTER: [&str; 4] = [" enhanced port 0", " base port 0", " lid ", " lmc "];
        let end = AFTER.iter().filter_map(|after| comment.find(after)).min();
        Some(&comment[..end.unwrap_or(comment.len())])
    }

    fn other_line(&mut self, line: Cursor) -> Result<(), InputError> {
        let text = line.rest();
        let key = text.split('=').next().filter(|key| key.len() < text.len());
        let grouping = ["Chassis ", "Hostname: ", "Non-Chassis Nodes"];
        if key.is_some_and(|k| KEYS.contains(&k)) || grouping.iter().any(|g| text.starts_with(g)) {
            return Ok(());
        }
        Err(line.error("not a line that ibnetdiscover prints").allowed(
            "Switch, Ca and Rt lines, [port] lines, comments after #, Chassis lines, and vendid=, \
             devid=, sysimgguid=, switchguid=, caguid= and rtguid=",
        ))
    }

    /// `# "description" lid 5 4xFDR`; in the block of a host with `lid 5 lmc 0` in front.
    fn speed(&self, end: Cursor) -> Result<LinkSpeed, InputError> {
        let bad = |m: String| Err(end.error(m).allowed(ALLOWED_SPEEDS));
        let comment = end.rest().strip_prefix('#').and_then(|c| c.rsplit_once('"'));
        let mut words = comment.map_or("", |(_, after)| after).split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("lid"), Some(_), Some(word)) => match word.parse() {
                Ok(speed) => Ok(speed),
                Err(_) => bad(format!("{word:?} is not a link speed")),
            },
            _ => bad("a port line without `# \"description\" lid N SPEED` at its end".to_owned()),
        }
    }
}

impl Agree<LinkSpeed> for Discovered {
    fn agree(
        &self,
        near: &LinkSpeed,
        far: Option<&LinkSpeed>,
    ) -> Result<(BitRate, Time), (String, String)> {
        match far {
            Some(far) if far != near => Err((
                format!("this link is {near} at one end and {far} at the other"),
                "the same speed in both lines of a link".to_owned(),
            )),
            _ => Ok((near.rate(), CABLE_DELAY)),
        }
    }

    fn one_sided(&self) -> Option<&'static str> {
        Some("a line for each end of a link, as ibnetdiscover prints them")
    }
}

/// Removes the channel adapters inside Quantum switches and their ports. These adapters serve
/// in-network reduction (SHARP), at a port after the last one that takes a cable, and carry no
/// traffic of hosts.
fn drop_aggregation_nodes(records: &mut Vec<Record<LinkSpeed>>) {
    const DESCRIPTION: &str = "Mellanox Technologies Aggregation Node";
    let inside =
        |r: &Record<LinkSpeed>| r.kind == NodeKind::Host && r.description == Some(DESCRIPTION);
    let ids: BTreeSet<&str> = records.iter().filter(|r| inside(r)).map(|r| r.id.value).collect();
    records.retain(|r| !ids.contains(r.id.value));
    for record in records {
        let ports = record.ports.value;
        let to_inside = |half: &netlist::Half<LinkSpeed>| ids.contains(half.peer.value);
        if record.cables.iter().any(|half| to_inside(half) && half.port.value == ports) {
            record.ports.value -= 1;
        }
        record.cables.retain(|half| !to_inside(half));
    }
}
