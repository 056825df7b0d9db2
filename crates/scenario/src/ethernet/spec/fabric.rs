//! `[fabric]`, or the file with one.

use crate::reader::files::{self, Files};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::packet::MAX_SWITCHES;
use bandwise_topology::read::FabricSpec;
use bandwise_topology::routes::{EqualPaths, farthest_hosts};
use bandwise_topology::{Fabric, builders};
use bandwise_units::{BitRate, Time};
use std::ops::Range;
use toml::Spanned;

/// The fabric, and where errors of it stand.
pub(super) fn resolve(
    source: &Source,
    table: Option<&Spanned<FabricSpec>>,
    file: Option<&Spanned<String>>,
    files: Files,
) -> Result<(Fabric, Range<usize>), InputError> {
    let given = files::fabric(source, table, file, files)?;
    let (fabric, at) = given.unwrap_or_else(|| (default_fabric(), 0..0));
    if fabric.hosts().len() < 2 {
        let error = source.error(at, "a fabric of one host: there is nobody to send to");
        return Err(error.allowed("2 hosts or more"));
    }
    Ok((fabric, at))
}

/// IRN 4.1: 54 hosts, 45 switches of 6 ports, 40 Gbps, 2 us.
fn default_fabric() -> Fabric {
    builders::fat_tree(6, BitRate::from_gbps(40), Time::from_us(2)).expect("6 is even")
}

/// Paths that a packet has room for.
pub(super) fn check_paths(
    source: &Source,
    at: Range<usize>,
    fabric: &Fabric,
) -> Result<(), InputError> {
    let Some(ends) = farthest_hosts(fabric) else { return Ok(()) };
    let [a, b] = ends.map(|host| fabric.rank(host));
    let switches = EqualPaths::new(fabric).path(a, b, 0).count();
    if switches <= MAX_SWITCHES {
        return Ok(());
    }
    let [a, b] = ends.map(|host| &fabric.node(host).name);
    let message = format!("the path from {a} to {b} leads over {switches} switches");
    Err(source.error(at, message).allowed(format!("at most {MAX_SWITCHES}")))
}
