//! Writer for the TOML form; see [`read::toml`](crate::read::toml()).

use crate::{Fabric, Link, NodeKind, Port};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the fabric as a TOML document with a `[fabric]` table. The rate and delay of the first
/// cable are the default, so in most fabrics no other cable states them.
pub fn toml(fabric: &Fabric) -> String {
    let mut out = String::from("[fabric]\n");
    let default = fabric.links().first().map(|l| (l.rate, l.delay));
    if let Some((rate, delay)) = default {
        out += &format!("link = {{ rate = \"{rate}\", delay = \"{delay}\" }}\n");
    }
    let is_default = |link: &Link| Some((link.rate, link.delay)) == default;
    // Cables in the line of a host: from its port 1, with the default rate and delay.
    let short: BTreeMap<usize, Port> = (0..fabric.links().len())
        .filter(|&i| is_default(&fabric.links()[i]))
        .filter_map(|i| {
            let mut ends = fabric.links()[i].ends.into_iter();
            Some((i, ends.find(|e| e.number == 1 && !fabric.is_switch(e.node))?))
        })
        .collect();
    for (node, id) in fabric.nodes().iter().zip((0u32..).map(crate::NodeId)) {
        let (table, ports) = match node.kind {
            NodeKind::Switch => ("switch", Some(fabric.port_count(id))),
            NodeKind::Host => ("host", Some(fabric.port_count(id)).filter(|&n| n != 1)),
        };
        out += &format!("\n[[fabric.{table}]]\nname = {}\n", quoted(&node.name));
        if let Some(ports) = ports {
            out += &format!("ports = {ports}\n");
        }
        let first = Port { node: id, number: 1 };
        if let Some(cable) = fabric.link_at(first).filter(|i| short.get(i) == Some(&first)) {
            let ends = fabric.links()[cable].ends;
            let far = if ends[0] == first { ends[1] } else { ends[0] };
            out += &format!("port = {}\n", quoted(&fabric.describe(far)));
        }
    }
    for (_, link) in fabric.links().iter().enumerate().filter(|(i, _)| !short.contains_key(i)) {
        let [from, to] = link.ends.map(|end| quoted(&fabric.describe(end)));
        out += &format!("\n[[fabric.cable]]\nfrom = {from}\nto = {to}\n");
        if !is_default(link) {
            let _ = writeln!(out, "rate = \"{}\"\ndelay = \"{}\"", link.rate, link.delay);
        }
    }
    out
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
