//! Nodes and cables that a dump has beside those of its traffic, or more than once.

use crate::NodeKind;
use crate::infiniband::LinkSpeed;
use crate::read::netlist::{Half, Record};
use crate::read::node_id::is_guid_id;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Joins the ports of nodes that are in the file more than once, as in two dumps one after the other:
/// those of two subnets to which an adapter has a port each. Lines that are the same count once. Returns
/// the places of the nodes after the first.
pub(super) fn join_repeated(records: &mut Vec<Record<LinkSpeed>>) -> Vec<Range<usize>> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut repeated = Vec::new();
    let mut joined: Vec<Record<LinkSpeed>> = Vec::with_capacity(records.len());
    for record in records.drain(..) {
        let id = record.id.value;
        let place = places.get(id).copied().filter(|&place| is_repeated(&joined[place], &record));
        let Some(place) = place else {
            places.entry(id).or_insert(joined.len());
            joined.push(record);
            continue;
        };
        repeated.push(record.id.span.clone());
        let known = &mut joined[place].cables;
        let ends = |half: &Half<LinkSpeed>| (half.port.value, half.peer_port.value);
        let is_new = |half: &Half<LinkSpeed>, known: &[Half<LinkSpeed>]| {
            let is_same = |k: &Half<LinkSpeed>| {
                ends(k) == ends(half) && k.peer.value == half.peer.value && k.speed == half.speed
            };
            !known.iter().any(is_same)
        };
        for half in record.cables {
            if is_new(&half, known) {
                known.push(half);
            }
        }
    }
    *records = joined;
    repeated
}

/// Returns whether two records are of one node. The ids of a dump with unreadable GUIDs may be alike.
fn is_repeated(first: &Record<LinkSpeed>, second: &Record<LinkSpeed>) -> bool {
    is_guid_id(second.id.value)
        && (first.kind, first.ports.value, first.description)
            == (second.kind, second.ports.value, second.description)
}

/// Removes cables between two ports of one node, and returns their places with a description. They
/// carry no traffic of hosts.
pub(super) fn drop_loopback_cables(
    records: &mut [Record<LinkSpeed>],
) -> Vec<(Range<usize>, String)> {
    let mut loopbacks = Vec::new();
    for record in records {
        let (id, name) = (record.id.value, record.description.unwrap_or(record.id.value));
        for half in record.cables.iter().filter(|half| half.peer.value == id) {
            let (port, peer) = (half.port.value, half.peer_port.value);
            if port <= peer {
                loopbacks.push((
                    half.line.clone(),
                    format!("port {port} of {name:?} is cabled to its port {peer}"),
                ));
            }
        }
        record.cables.retain(|half| half.peer.value != id);
    }
    loopbacks
}

/// Removes the channel adapters inside Quantum switches and their ports, and returns the places of these
/// adapters. They serve
/// in-network reduction (SHARP), at a port after the last one that takes a cable, and carry no
/// traffic of hosts.
pub(super) fn drop_aggregation_nodes(records: &mut Vec<Record<LinkSpeed>>) -> Vec<Range<usize>> {
    const DESCRIPTION: &str = "Mellanox Technologies Aggregation Node";
    let inside =
        |r: &Record<LinkSpeed>| r.kind == NodeKind::Host && r.description == Some(DESCRIPTION);
    let nodes = || records.iter().filter(|r| inside(r));
    let places = nodes().map(|r| r.id.span.clone()).collect();
    let ids: BTreeSet<&str> = nodes().map(|r| r.id.value).collect();
    records.retain(|r| !ids.contains(r.id.value));
    for record in records {
        let ports = record.ports.value;
        let to_inside = |half: &Half<LinkSpeed>| ids.contains(half.peer.value);
        if record.cables.iter().any(|half| to_inside(half) && half.port.value == ports) {
            record.ports.value -= 1;
        }
        record.cables.retain(|half| !to_inside(half));
    }
    places
}
