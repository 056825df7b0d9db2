//! Construction of fabrics from node and port lines. It names the nodes and joins the two lines of
//! each cable.

use super::error::at;
use super::netlist::{Half, Record};
use crate::infiniband::MAX_PORTS;
use crate::{Fabric, FabricBuilder, FabricError, NodeId, Port};
use bandwise_input::{InputError, Source, is_printable};
use bandwise_units::{BitRate, Time};
use std::collections::BTreeMap;
use std::ops::Range;

/// The beginning of the message about a node without a line of its own.
pub(super) const NO_NODE: &str = "there is no node ";

/// A part of the message about a link without a line at its other end.
pub(super) const NO_LINE: &str = "is not in the lines of";

/// The rules by which both ends of a cable agree on its speed.
pub(super) trait Agree<S> {
    /// Returns the rate and delay from the one or two lines of a cable, or else a message and the
    /// allowed values. `line` is the later of the two, for a warning.
    fn agree(
        &mut self,
        near: &S,
        far: Option<&S>,
        line: &Range<usize>,
    ) -> Result<(BitRate, Time), (String, String)>;

    /// Returns the requirement for a cable that only one of its ends names, or `None` if such
    /// cables are allowed.
    fn one_sided(&self) -> Option<&'static str>;
}

/// Builds the fabric of these records, in parts without a path between them.
pub(super) fn fabrics<S>(
    source: &Source,
    records: &[Record<S>],
    rules: &mut impl Agree<S>,
) -> Result<Vec<Fabric>, InputError> {
    let mut builder = FabricBuilder::new();
    let mut by_id = BTreeMap::new();
    let names = names(records);
    for (record, name) in records.iter().zip(&names) {
        // Ids are checked before names, since two blocks with one id would otherwise give a less
        // clear error.
        let id = record.id.value;
        let span = record.id.span.clone();
        if by_id.contains_key(id) {
            let error = FabricError::DuplicateName { name: id.to_owned() };
            return Err(at(source, span, &error));
        }
        let ports = record.ports.value;
        if ports > u64::from(MAX_PORTS) {
            let error = FabricError::PortCount { name: name.clone(), ports, most: MAX_PORTS };
            return Err(at(source, record.ports.span.clone(), &error));
        }
        let added = builder
            .add(name.clone(), record.kind, ports as u16)
            .map_err(|e| at(source, span, &e))?;
        builder.set_device(added, record.device);
        by_id.insert(id, added);
    }
    connect(source, records, rules, &by_id, &mut builder)?;
    builder.build_parts().map_err(|e| {
        let record = names.iter().position(|n| Some(n.as_str()) == e.node()).map(|i| &records[i]);
        at(source, record.map_or(0..0, |r| r.id.span.clone()), &e)
    })
}

/// Returns the name of each node: its description if that is unique, else its id.
fn names<S>(records: &[Record<S>]) -> Vec<String> {
    let mut uses: BTreeMap<&str, u32> = BTreeMap::new();
    for record in records {
        *uses.entry(record.id.value).or_default() += 1;
        if let Some(description) = record.description.filter(|&d| d != record.id.value) {
            *uses.entry(description).or_default() += 1;
        }
    }
    let usable = |d: &&str| uses[d] == 1 && d.chars().all(is_printable);
    let name = |r: &Record<S>| r.description.filter(usable).unwrap_or(r.id.value).to_owned();
    records.iter().map(name).collect()
}

fn connect<S>(
    source: &Source,
    records: &[Record<S>],
    rules: &mut impl Agree<S>,
    by_id: &BTreeMap<&str, NodeId>,
    builder: &mut FabricBuilder,
) -> Result<(), InputError> {
    // The lines of all cables by near port, with the far port.
    let mut halves: BTreeMap<Port, (Port, &Half<S>)> = BTreeMap::new();
    for (record, half) in records.iter().flat_map(|r| r.cables.iter().map(move |h| (r, h))) {
        let near = Port { node: by_id[record.id.value], number: half.port.value as u16 };
        let far = far_port(source, records, by_id, half)?;
        if let Some((_, earlier)) = halves.insert(near, (far, half)) {
            let line = line_of(source, earlier);
            let message = format!(
                "port {} of {:?} is already connected in line {line}",
                near.number, record.id.value
            );
            return Err(source.error(half.port.span.clone(), message).allowed("one link a port"));
        }
    }
    for (&near, &(far, half)) in &halves {
        let back = halves.get(&far);
        if let Some(&(elsewhere, far_half)) = back.filter(|(p, _)| *p != near) {
            return Err(disagreement(source, records, half, elsewhere, far_half));
        }
        if back.is_some() && far < near {
            continue; // made when its other end came by
        }
        if let (None, Some(allowed)) = (back, rules.one_sided()) {
            let message = format!(
                "the link to port {} of {:?} {NO_LINE} {:?}",
                far.number, half.peer.value, half.peer.value
            );
            return Err(source.error(half.line.clone(), message).allowed(allowed));
        }
        let far_half = back.map(|(_, h)| *h);
        let later =
            far_half.map_or(half, |f| if f.line.start > half.line.start { f } else { half });
        let (rate, delay) =
            rules.agree(&half.speed, far_half.map(|h| &h.speed), &later.line).map_err(
                |(message, allowed)| source.error(later.line.clone(), message).allowed(allowed),
            )?;
        builder
            .connect(near, far, rate, delay)
            .map_err(|e| at(source, half.peer.span.start..half.peer_port.span.end, &e))?;
    }
    Ok(())
}

/// Returns the far port of a line, if it exists.
fn far_port<S>(
    source: &Source,
    records: &[Record<S>],
    by_id: &BTreeMap<&str, NodeId>,
    half: &Half<S>,
) -> Result<Port, InputError> {
    let Some(&node) = by_id.get(half.peer.value) else {
        let message = format!("{NO_NODE}{:?} in this file", half.peer.value);
        let allowed = "a node that has a Switch, Ca, Hca or Rt line of its own";
        return Err(source.error(half.peer.span.clone(), message).allowed(allowed));
    };
    let ports = records[node.index()].ports.value;
    if !(1..=ports).contains(&half.peer_port.value) {
        let message = format!("{:?} has no port {}", half.peer.value, half.peer_port.value);
        let error = source.error(half.peer_port.span.clone(), message);
        return Err(error.allowed(format!("ports 1 to {ports}")));
    }
    Ok(Port { node, number: half.peer_port.value as u16 })
}

/// Returns an error for two lines with one common port and different other ports.
fn disagreement<S>(
    source: &Source,
    records: &[Record<S>],
    half: &Half<S>,
    elsewhere: Port,
    far: &Half<S>,
) -> InputError {
    let message = format!(
        "this link ends at port {} of {:?}, which line {} connects to port {} of {:?}",
        half.peer_port.value,
        half.peer.value,
        line_of(source, far),
        elsewhere.number,
        records[elsewhere.node.index()].id.value,
    );
    source.error(half.line.clone(), message).allowed("the same two ports in both lines of a link")
}

fn line_of<S>(source: &Source, half: &Half<S>) -> usize {
    source.error(half.line.clone(), "").line()
}
