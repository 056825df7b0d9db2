//! [`Dump`]: the lines of a dump beside its nodes and ports, and the speeds of its links.

use super::noise::{KEYS, is_message, is_of_dump, is_prompt};
use crate::infiniband::{ALLOWED_SPEEDS, CABLE_DELAY, LinkSpeed};
use crate::read::cabling::Agree;
use crate::read::cursor::Cursor;
use crate::read::netlist::{Dialect, Record};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use std::ops::Range;

/// The parts of a dump that lead to warnings: the lines of each.
#[derive(Debug, Default)]
pub(super) struct Dump {
    /// Warnings that ibnetdiscover wrote to standard error.
    pub(super) errors: Vec<Range<usize>>,
    /// Prompts and commands of a shell.
    pub(super) prompts: Vec<Range<usize>>,
    /// The place of the first line about a node.
    pub(super) begin: Option<usize>,
    /// Lines of another text before and after the dump.
    pub(super) strays: Vec<Range<usize>>,
    /// Nodes that are in the file again.
    pub(super) repeated: Vec<Range<usize>>,
    /// Nodes for in-network reduction.
    pub(super) aggregation: Vec<Range<usize>>,
    /// The warning of routers.
    pub(super) routers: Option<InputError>,
    /// Cables between two ports of one node.
    pub(super) loopbacks: Vec<(Range<usize>, String)>,
    /// Links with a different speed at each end.
    pub(super) differing: Vec<(Range<usize>, String)>,
    /// Hosts with several linked ports, and the number of these ports.
    pub(super) idle: Vec<(String, usize)>,
    /// The number of links of hosts.
    pub(super) host_links: usize,
    /// The PCI device ID of the next node.
    device: Option<u16>,
}

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
            _ => &mut self.strays,
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
            _ if is_of_dump(line.rest()) => {}
            _ => {
                self.is_noise(line);
            }
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

impl Dump {
    /// Refuses lines of another text between the nodes; those before and after them are left out.
    pub(super) fn check_strays(
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
