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
//! The output has no delays, so all are [`CABLE_DELAY`](crate::infiniband::CABLE_DELAY).
//!
//! Dumps come through terminals, wikis and batch systems, and from fabrics that change during the
//! sweep. So the reader skips indentation, prompts and the tool's own warnings, leaves out cables
//! from a switch to itself and nodes for in-network reduction, counts routers as hosts, takes the
//! lower of two speeds of a link, and warns of each of these but indentation.

mod dump;
mod explain;
mod noise;
mod records;
mod warnings;

pub use warnings::LOWEST_PORT;

use super::cabling;
use super::cursor::Cursor;
use super::error::READABLE;
use super::fabric_file::FabricFile;
use super::netlist;
use bandwise_input::{InputError, Source};
use dump::Dump;
use noise::{is_message, is_prompt};

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
        dump.repeated = records::join_repeated(&mut records);
        dump.aggregation = records::drop_aggregation_nodes(&mut records);
        dump.routers = netlist::routers_as_hosts(source, &records);
        dump.loopbacks = records::drop_loopback_cables(&mut records);
        cabling::fabrics(source, &records, dump)
    };
    let parts = read(&mut dump).map_err(|error| explain::explain(source, error))?;
    for fabric in &parts {
        dump.count_ports(fabric);
    }
    Ok(FabricFile { parts, warnings: dump.warnings(source) })
}

/// Returns whether a text is of an ibnetdiscover that found nothing: its error messages or the head of its
/// output, and besides only prompts and comments.
pub(super) fn has_failed(source: &Source) -> bool {
    let lines = || Cursor::lines(*source).map(|line| line.rest());
    let is_beside = |text: &str| text.is_empty() || text.starts_with('#') || is_prompt(text);
    lines().any(|text| is_message(text) || text.starts_with(HEAD))
        && lines().all(|text| is_message(text) || is_beside(text))
}

/// The beginning of the output of ibnetdiscover.
const HEAD: &str = "# Topology file: generated on ";
