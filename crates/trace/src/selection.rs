//! Selection of ports by name.

use bandwise_topology::{Fabric, NodeId, Port, adapters};

/// An error for a name that matches no port with a cable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnknownPort {
    message: String,
    allowed: String,
}

impl UnknownPort {
    /// Returns the allowed names or port numbers.
    pub fn allowed(&self) -> &str {
        &self.allowed
    }
}

/// Returns the ports that `name` selects: `NODE:PORT` for one port, `NODE` for all its ports.
///
/// A node's name may itself contain a colon.
///
/// # Errors
///
/// Returns [`UnknownPort`] if the fabric has no such node, or the node has no cable at that port.
pub fn ports_named(fabric: &Fabric, name: &str) -> Result<Vec<Port>, UnknownPort> {
    if let Some(node) = adapters::find(fabric, name) {
        return Ok(fabric.ports(node).collect());
    }
    let refuse = |message: String, allowed: String| Err(UnknownPort { message, allowed });
    let (node, number) = name.rsplit_once(':').unwrap_or((name, ""));
    let Some(id) = adapters::find(fabric, node) else {
        let message = format!("there is no node {node:?}");
        return refuse(message, format!("{}, as NODE or NODE:PORT", node_names(fabric)));
    };
    match fabric.ports(id).find(|port| port.number.to_string() == number) {
        Some(port) => Ok(vec![port]),
        None => {
            let numbers: Vec<String> = fabric.ports(id).map(|p| p.number.to_string()).collect();
            let message = format!("{node} has no port {number:?} with a cable");
            refuse(message, format!("port {}", numbers.join(", ")))
        }
    }
}

/// Returns every port with a cable.
pub fn all_ports(fabric: &Fabric) -> impl Iterator<Item = Port> {
    let nodes = (0..fabric.nodes().len() as u32).map(NodeId);
    nodes.flat_map(|node| fabric.ports(node))
}

/// The largest number of names in an error.
const LISTED: usize = 20;

fn node_names(fabric: &Fabric) -> String {
    let names = fabric.nodes().iter().take(LISTED).map(|node| node.name.as_str());
    let mut list = names.collect::<Vec<_>>().join(", ");
    if fabric.nodes().len() > LISTED {
        list += ", …";
    }
    list
}
