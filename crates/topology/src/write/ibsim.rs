//! Writer for netlists of ibsim; see [`read::ibsim`](crate::read::ibsim()).

use crate::infiniband::{LaneSpeed, LinkSpeed, check_ports};
use crate::read::COMMENT;
use crate::{Fabric, FabricError, Link, NodeId, NodeKind};
use std::collections::BTreeSet;

/// Returns the fabric as a netlist for ibsim. Rates that ibsim knows are written in its options.
/// All rates and delays are written as comments too, which ibsim ignores; it takes 4x SDR for other
/// rates.
///
/// # Errors
///
/// Returns [`FabricError::PortCount`] if a node has more ports than InfiniBand allows.
pub fn ibsim(fabric: &Fabric) -> Result<String, FabricError> {
    check_ports(fabric)?;
    let ids = ids(fabric);
    let mut out = String::new();
    for (node, id) in fabric.nodes().iter().zip((0u32..).map(NodeId)) {
        let keyword = match node.kind {
            NodeKind::Switch => "Switch",
            NodeKind::Host => "Hca",
        };
        let ports = fabric.port_count(id);
        out += &format!("{keyword}\t{ports} \"{}\"\t# \"{}\"\n", ids[id.index()], node.name);
        for port in fabric.ports(id) {
            let (peer, link) = fabric.peer(port).expect("`ports` gives connected ones");
            let options = options(link);
            let (peer_id, number) = (&ids[peer.node.index()], peer.number);
            let (rate, delay) = (link.rate, link.delay);
            out += &format!("[{}]\t\"{peer_id}\"[{number}]{options}\t", port.number);
            out += &format!("{COMMENT}{rate} delay {delay}\n");
        }
        out.push('\n');
    }
    Ok(out)
}

/// Returns an id for each node: its name, or `n` and its number if ibsim refuses the name.
fn ids(fabric: &Fabric) -> Vec<String> {
    const ID_BYTES: usize = 64; // NODEIDLEN of ibsim's sim.h, less the NUL
    let fits = |name: &str| name.len() <= ID_BYTES && !name.contains(['"', '#', '@']);
    let taken: BTreeSet<&str> = fabric.nodes().iter().map(|n| n.name.as_str()).collect();
    let id = |(i, node): (usize, &crate::Node)| {
        if fits(&node.name) {
            return node.name.clone();
        }
        let mut id = format!("n{i}");
        while taken.contains(id.as_str()) {
            id.push('_');
        }
        id
    };
    fabric.nodes().iter().enumerate().map(id).collect()
}

/// Returns the options of ibsim for width and speed, if its three speeds have the rate.
fn options(link: &Link) -> String {
    let speed = LinkSpeed::of_rate(link.rate);
    let bits = speed.and_then(|s| {
        let width = [(1, 1), (4, 2), (8, 4), (12, 8)].iter().find(|w| w.0 == s.lanes())?.1;
        let speed = match s.speed() {
            LaneSpeed::Sdr => 1,
            LaneSpeed::Ddr => 2,
            LaneSpeed::Qdr => 4,
            _ => return None,
        };
        Some((width, speed))
    });
    bits.map_or_else(String::new, |(w, s)| format!("\tw={w} s={s}"))
}
