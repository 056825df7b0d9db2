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

use super::cabling::{self, Agree};
use super::cursor::{self, Cursor};
use super::error::READABLE;
use super::fabric_file::FabricFile;
use super::netlist::{self, Dialect, Record};
use super::node_line::{node_id_in, node_line};
use crate::infiniband::{ALLOWED_SPEEDS, CABLE_DELAY, LinkSpeed};
use crate::{Fabric, NodeKind};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use std::collections::BTreeSet;
use std::ops::Range;

/// Reads the output of `ibnetdiscover`.
///
/// # Errors
///
/// Returns an [`InputError`] at the first line that is invalid or contradicts another one.
pub fn ibnetdiscover(source: &Source) -> Result<FabricFile, InputError> {
    source.check_text(READABLE)?;
    if has_failed(source) {
        let message = "only error messages of ibnetdiscover, and no node: it failed";
        return Err(source.error_in_line(1, message).allowed(
            "the output of ibnetdiscover as root on a host whose InfiniBand port is active \
             (`ibstat`), of another port with -C DEVICE -P PORT",
        ));
    }
    let mut dump = Dump::default();
    let read = |dump: &mut Dump| {
        let mut records = netlist::records(source, dump)?;
        drop_aggregation_nodes(&mut records, dump);
        dump.routers = netlist::routers_as_hosts(source, &records);
        drop_loopback_cables(&mut records, dump);
        cabling::fabrics(source, &records, dump)
    };
    let parts = read(&mut dump).map_err(|error| explain(source, error))?;
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
        let text = line.rest();
        let pair = text.split_once('=');
        if let Some(("devid", id)) = pair {
            let id = id.trim().strip_prefix("0x");
            self.device = id.and_then(|id| u16::from_str_radix(id, 16).ok());
        }
        let grouping = ["Chassis ", "Hostname: ", "Non-Chassis Nodes"];
        if pair.is_some_and(|(key, _)| KEYS.contains(&key))
            || grouping.iter().any(|g| text.starts_with(g))
            || self.is_noise(line)
        {
            return Ok(());
        }
        if let Some(within) = MESSAGES.iter().find_map(|message| text.find(message)) {
            let message =
                format!("a warning of ibnetdiscover within the line {:?}", &text[..within]);
            return Err(line
                .error(message)
                .allowed("the output without standard error: 2>/dev/null"));
        }
        Err(line.error("not a line that ibnetdiscover prints").allowed(
            "Switch, Ca and Rt lines, [port] lines, comments after #, Chassis lines, and vendid=, \
             devid=, sysimgguid=, switchguid=, caguid= and rtguid=",
        ))
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

/// The beginnings of what ibnetdiscover writes to standard error.
const MESSAGES: [&str; 4] = ["ibwarn: [", "ibpanic: [", "ibdebug: [", "ibnetdiscover: "];

/// Returns whether a line is a message of ibnetdiscover, such as `src/query_smp.c:197; umad …`.
fn is_message(text: &str) -> bool {
    let is_place = |word: &str| {
        let line = word.rsplit_once(".c:").map(|(_, line)| line.trim_end_matches([';', ':']));
        line.is_some_and(|l| !l.is_empty() && l.bytes().all(|b| b.is_ascii_digit()))
    };
    MESSAGES.iter().any(|message| text.starts_with(message))
        || text.split_whitespace().next().is_some_and(is_place)
}

/// Returns whether a text has error messages of ibnetdiscover, and besides only prompts and comments.
pub(super) fn has_failed(source: &Source) -> bool {
    let lines = || Cursor::lines(*source).map(|line| line.rest());
    let is_beside = |text: &str| text.is_empty() || text.starts_with('#') || is_prompt(text);
    lines().any(is_message) && lines().all(|text| is_message(text) || is_beside(text))
}

/// Returns whether a line begins with the prompt of a shell: `[root@host ~]# `, `me@host:~$ `, `$ `.
fn is_prompt(text: &str) -> bool {
    let end = |word: &str| word.ends_with(['$', '#', '%', '>']);
    let mut words = text.split_whitespace().take(3);
    let first = words.next().unwrap_or_default();
    let is_short = ["$", "%", ">"].contains(&first);
    let names_host = first.contains('@') && (end(first) || words.any(end));
    is_short || names_host || (end(first) && text.contains("ibnetdiscover"))
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

impl Dump {
    /// Counts the linked ports of hosts.
    fn count_ports(&mut self, fabric: &Fabric) {
        for &host in fabric.hosts() {
            let ports = fabric.ports(host).count();
            self.host_links += ports;
            if ports > 1 {
                self.idle.push((fabric.node(host).name.clone(), ports));
            }
        }
    }

    /// Returns one warning for each kind, at its first line.
    fn warnings(&self, source: &Source) -> Vec<InputError> {
        let more = |count: usize| match count {
            1 => String::new(),
            _ => format!(" (and {} more like it)", count - 1),
        };
        let mut warnings = Vec::from_iter(cursor::quotes_removed(source));
        if let Some(line) = self.errors.first() {
            let message = format!(
                "{} of ibnetdiscover: nodes did not answer, so the fabric may be incomplete",
                counted(self.errors.len(), "error message")
            );
            warnings.push(source.error(line.clone(), message));
        }
        if let Some(line) = self.prompts.first() {
            let message = format!("{} skipped", counted(self.prompts.len(), "shell prompt"));
            warnings.push(source.error(line.clone(), message));
        }
        if let Some(line) = self.aggregation.first() {
            let nodes = counted(self.aggregation.len(), "aggregation node");
            warnings.push(source.error(line.clone(), format!("{nodes} (SHARP) left out")));
        }
        warnings.extend(self.routers.clone());
        if let Some((line, ports)) = self.loopbacks.first() {
            let message = format!("{ports}: a loopback cable, which is left out");
            warnings.push(source.error(line.clone(), message + &more(self.loopbacks.len())));
        }
        if let Some((line, speeds)) = self.differing.first() {
            let message = format!("this link is {speeds}: the lower speed is used");
            warnings.push(source.error(line.clone(), message + &more(self.differing.len())));
        }
        if let Some((name, ports)) = self.idle.first() {
            let idle: usize = self.idle.iter().map(|(_, ports)| ports - 1).sum();
            let message = format!(
                "{name:?} has {ports} linked ports, and its traffic uses the lowest one{}; links \
                 without traffic: {idle} of {}",
                more(self.idle.len()),
                self.host_links,
            );
            let at = node_line(source, name).unwrap_or(0..0);
            let allowed = "another one by `port` in [[node]] of a scenario with this `fabric-file`";
            warnings.push(source.error(at, message).allowed(allowed));
        }
        warnings
    }
}

/// Returns `1 link` or `5 links`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Explains an error by a file that ends too early: an error in the last line, a node that is missing,
/// or a missing line of the last node.
fn explain(source: &Source, error: InputError) -> InputError {
    let end = source.text.trim_end();
    let is_last = error.line() == source.error(end.len()..end.len(), "").line();
    let nodes = Cursor::lines(*source).map(|line| line.rest());
    let node = nodes.filter(|line| node_id_in(line).is_some()).last();
    let last = node.and_then(node_id_in).unwrap_or_default();
    let lacks_line = error.message().contains(cabling::NO_NODE)
        || error.message().ends_with(&format!("{} {last:?}", cabling::NO_LINE));
    if !is_last && !lacks_line {
        return error;
    }
    let name = node.and_then(|line| line.split('#').nth(1)).unwrap_or_default().trim();
    let message = match is_last {
        true => {
            format!("the file seems cut off at its last line, at node {name}: {}", error.message())
        }
        false => format!("{}; is the file cut off after its last node, {name}?", error.message()),
    };
    source.error_in_line(error.line(), message).allowed("the whole output of ibnetdiscover")
}

/// Removes cables between two ports of one node. They carry no traffic of hosts.
fn drop_loopback_cables(records: &mut [Record<LinkSpeed>], dump: &mut Dump) {
    for record in records {
        let (id, name) = (record.id.value, record.description.unwrap_or(record.id.value));
        for half in record.cables.iter().filter(|half| half.peer.value == id) {
            let (port, peer) = (half.port.value, half.peer_port.value);
            if port <= peer {
                dump.loopbacks.push((
                    half.line.clone(),
                    format!("port {port} of {name:?} is cabled to its port {peer}"),
                ));
            }
        }
        record.cables.retain(|half| half.peer.value != id);
    }
}

/// Removes the channel adapters inside Quantum switches and their ports. These adapters serve
/// in-network reduction (SHARP), at a port after the last one that takes a cable, and carry no
/// traffic of hosts.
fn drop_aggregation_nodes(records: &mut Vec<Record<LinkSpeed>>, dump: &mut Dump) {
    const DESCRIPTION: &str = "Mellanox Technologies Aggregation Node";
    let inside =
        |r: &Record<LinkSpeed>| r.kind == NodeKind::Host && r.description == Some(DESCRIPTION);
    let nodes = || records.iter().filter(|r| inside(r));
    dump.aggregation = nodes().map(|r| r.id.span.clone()).collect();
    let ids: BTreeSet<&str> = nodes().map(|r| r.id.value).collect();
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
