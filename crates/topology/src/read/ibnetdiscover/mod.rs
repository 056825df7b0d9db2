//! Reader for the output of `ibnetdiscover` (infiniband-diags), also with `--full` and
//! `--grouping`.
//!
//! ```text
//! switchguid=0x7cfe900300a1b2c0(7cfe900300a1b2c0)
//! Switch  36 "S-7cfe900300a1b2c0"         # "MF0;tor1:SX6036/U1" enhanced port 0 lid 3 lmc 0
//! [1]     "H-e41d2d0300112230"[1](e41d2d0300112231)       # "node01 HCA-1" lid 5 4xFDR
//! ```
//!
//! A node is named by its description if that is unique, else by its id. Every link has two lines.
//! The output has no delays, so all are [`CABLE_DELAY`].
//!
//! Dumps come through terminals, wikis and batch systems, and from fabrics that change during the
//! sweep. So the reader skips indentation, prompts and the tool's own warnings, leaves out cables
//! from a switch to itself and nodes for in-network reduction, counts routers as hosts, takes the
//! lower of two speeds of a link, and warns of each of these but indentation.

mod explain;
mod noise;
mod records;
mod warnings;

pub(super) use noise::has_failed;
pub use warnings::LOWEST_PORT;

use super::cabling::{self, Agree};
use super::cursor::Cursor;
use super::error::READABLE;
use super::fabric_file::FabricFile;
use super::netlist::{self, Dialect, Record};
use super::node_line::node_id_in;
use crate::infiniband::{ALLOWED_SPEEDS, CABLE_DELAY, LinkSpeed};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use noise::{is_message, is_prompt};
use std::ops::Range;

/// Reads the output of `ibnetdiscover`.
///
/// # Errors
///
/// Returns an [`InputError`] at the first line that is invalid or contradicts another one.
pub fn ibnetdiscover(source: &Source) -> Result<FabricFile, InputError> {
    source.check_text(READABLE)?;
    if has_failed(source) {
        let message = "no node: ibnetdiscover failed, or found nothing";
        return Err(source.error_in_line(1, message).allowed(
            "the output of ibnetdiscover as root on a host whose InfiniBand port is active \
             (`ibstat`), of another port with -C DEVICE -P PORT",
        ));
    }
    let mut dump = Dump::default();
    let read = |dump: &mut Dump| {
        let mut records = netlist::records(source, dump)?;
        dump.check_strays(source, &records)?;
        records::join_repeated(&mut records, dump);
        records::drop_aggregation_nodes(&mut records, dump);
        dump.routers = netlist::routers_as_hosts(source, &records);
        records::drop_loopback_cables(&mut records, dump);
        cabling::fabrics(source, &records, dump)
    };
    let parts = read(&mut dump).map_err(|error| explain::explain(source, error))?;
    for fabric in &parts {
        dump.count_ports(fabric);
    }
    Ok(FabricFile { parts, warnings: dump.warnings(source) })
}

/// The parts of a dump that lead to warnings: the lines of each.
#[derive(Debug, Default)]
struct Dump {
    /// Warnings that ibnetdiscover wrote to standard error.
    errors: Vec<Range<usize>>,
    /// Prompts and commands of a shell.
    prompts: Vec<Range<usize>>,
    /// The place of the first line about a node.
    begin: Option<usize>,
    /// Lines of another text before and after the dump.
    strays: Vec<Range<usize>>,
    /// Nodes that are in the file again.
    repeated: Vec<Range<usize>>,
    /// Nodes for in-network reduction.
    aggregation: Vec<Range<usize>>,
    /// The warning of routers.
    routers: Option<InputError>,
    /// Cables between two ports of one node.
    loopbacks: Vec<(Range<usize>, String)>,
    /// Links with a different speed at each end.
    differing: Vec<(Range<usize>, String)>,
    /// Hosts with several linked ports, and the number of these ports.
    idle: Vec<(String, usize)>,
    /// The number of links of hosts.
    host_links: usize,
    /// The PCI device ID of the next node.
    device: Option<u16>,
}

/// The keys of lines about the next node, of which only `devid` has an effect.
const KEYS: [&str; 6] = ["vendid", "devid", "sysimgguid", "switchguid", "caguid", "rtguid"];

impl Dialect for Dump {
    type Speed = LinkSpeed;

    /// Older versions of ibnetdiscover print descriptions without quotes.
    fn bare_description<'a>(&self, comment: &'a str) -> Option<&'a str> {
        const AFTER: [&str; 4] = [" enhanced port 0", " base port 0", " lid ", " lmc "];
        let end = AFTER.iter().filter_map(|after| comment.find(after)).min();
        Some(&comment[..end.unwrap_or(comment.len())])
    }

    fn is_noise(&mut self, line: Cursor) -> bool {
        let lines = match line.rest() {
            text if is_message(text) => &mut self.errors,
            text if is_prompt(text) => &mut self.prompts,
            _ => return false,
        };
        lines.push(line.span());
        true
    }

    fn other_line(&mut self, line: Cursor) -> Result<(), InputError> {
        match line.rest().split_once('=') {
            Some((key, value)) if KEYS.contains(&key) => {
                self.begin.get_or_insert(line.span().start);
                if key == "devid" {
                    let id = value.trim().strip_prefix("0x");
                    self.device = id.and_then(|id| u16::from_str_radix(id, 16).ok());
                }
            }
            _ if is_of_dump(line.rest()) || self.is_noise(line) => {}
            _ => self.strays.push(line.span()),
        }
        Ok(())
    }

    fn take_device(&mut self) -> Option<u16> {
        self.device.take()
    }

    /// `# "description" lid 5 4xFDR`; in the block of a host with `lid 5 lmc 0` in front.
    fn speed(&self, end: Cursor) -> Result<LinkSpeed, InputError> {
        let bad = |m: String| Err(end.error(m).allowed(ALLOWED_SPEEDS));
        let comment = end.rest().strip_prefix('#').and_then(|c| c.rsplit_once('"'));
        let mut words = comment.map_or("", |(_, after)| after).split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("lid"), Some(_), Some(word)) => match word.parse() {
                Ok(speed) => Ok(speed),
                Err(_) if ["???", "undefined", "nknown"].iter().any(|u| word.contains(u)) => {
                    let message =
                        format!("{word:?}: this ibnetdiscover is older than the link's speed");
                    Err(end.error(message).allowed(
                        "the output of a newer ibnetdiscover (infiniband-diags), which knows the speed",
                    ))
                }
                Err(_) => bad(format!("{word:?} is not a link speed")),
            },
            _ => bad("a port line without `# \"description\" lid N SPEED` at its end".to_owned()),
        }
    }
}

/// Returns whether a line is one of those that ibnetdiscover prints, by its begin.
fn is_of_dump(line: &str) -> bool {
    let key = line.split_once('=').map(|(key, _)| key);
    let grouping = ["Chassis ", "Hostname: ", "Non-Chassis Nodes"];
    line.is_empty()
        || line.starts_with(['#', '['])
        || key.is_some_and(|key| KEYS.contains(&key))
        || grouping.iter().any(|start| line.starts_with(start))
        || node_id_in(line).is_some()
}

impl Dump {
    /// Refuses lines of another text between the nodes; those before and after them are left out.
    fn check_strays(
        &self,
        source: &Source,
        records: &[Record<LinkSpeed>],
    ) -> Result<(), InputError> {
        let first = records.first().map(|record| record.id.span.start);
        let first = first.into_iter().chain(self.begin).min().unwrap_or(0);
        let end = records.last().map_or(0, |record| {
            record.cables.last().map_or(record.id.span.end, |half| half.line.end)
        });
        let Some(stray) = self.strays.iter().find(|at| (first..end).contains(&at.start)) else {
            return Ok(());
        };
        let error = source.error(stray.clone(), "not a line that ibnetdiscover prints");
        Err(error.allowed(
            "Switch, Ca and Rt lines, [port] lines, comments after #, Chassis lines, and vendid=, \
             devid=, sysimgguid=, switchguid=, caguid= and rtguid=",
        ))
    }
}

impl Agree<LinkSpeed> for Dump {
    fn agree(
        &mut self,
        near: &LinkSpeed,
        far: Option<&LinkSpeed>,
        line: &Range<usize>,
    ) -> Result<(BitRate, Time), (String, String)> {
        let far = far.unwrap_or(near);
        if far != near {
            self.differing
                .push((line.clone(), format!("{near} at one end and {far} at the other")));
        }
        Ok((near.rate().min(far.rate()), CABLE_DELAY))
    }

    fn one_sided(&self) -> Option<&'static str> {
        Some("a line for each end of a link, as ibnetdiscover prints them")
    }
}
