//! `[fabric]`, or the file with a fabric.

use crate::reader::files::{self, Files};
use bandwise_input::{InputError, Source};
use bandwise_topology::read::FabricSpec;
use bandwise_topology::{Fabric, MAX_PORTS, builders};
use bandwise_units::{BitRate, Time};
use std::ops::Range;
use toml::Spanned;

/// Returns the fabric, and the place of errors about it.
pub(super) fn resolve(
    source: &Source,
    table: Option<&Spanned<FabricSpec>>,
    file: Option<&Spanned<String>>,
    files: Files,
    warnings: &mut Vec<InputError>,
) -> Result<(Fabric, Range<usize>), InputError> {
    let given = files::fabric(source, MAX_PORTS, table, file, &[], files, warnings)?;
    let (fabric, at) = given.unwrap_or_else(|| (default_fabric(), 0..0));
    if fabric.hosts().len() < 2 {
        let error = source.error(at, "a fabric of one host, without a receiver");
        return Err(error.allowed("2 hosts or more"));
    }
    Ok((fabric, at))
}

/// Returns the fabric of IRN 4.1: 54 hosts, 45 switches of 6 ports, 40 Gbps, 2 us.
fn default_fabric() -> Fabric {
    builders::fat_tree(6, BitRate::from_gbps(40), Time::from_us(2)).expect("6 is even")
}
