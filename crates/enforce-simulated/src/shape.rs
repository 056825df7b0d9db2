//! [`Shape`]: nodes, links and routes.

use bandwise_saba::controller::PortId;
use bandwise_switches::Fault;
use bandwise_topology::{Fabric, NodeId, Port, Routes};
use std::sync::Arc;

/// Nodes, links and routes.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) fabric: Fabric,
    pub(crate) routes: Routes,
}

impl Shape {
    pub(crate) fn new(fabric: Fabric) -> Arc<Self> {
        let routes = Routes::shortest(&fabric);
        Arc::new(Shape { fabric, routes })
    }

    /// Returns the output ports from one host to another, in order.
    pub(crate) fn path(&self, from: &str, to: &str) -> Result<Vec<Port>, Fault> {
        let Shape { fabric, routes } = self;
        let path = routes.path(fabric, self.host(from)?, self.host(to)?);
        match path.is_empty() {
            true => Err(Fault::NoPath { from: from.to_owned(), to: to.to_owned() }),
            false => Ok(path),
        }
    }

    /// Returns a host by its name.
    pub(crate) fn host(&self, name: &str) -> Result<NodeId, Fault> {
        let node = self.fabric.find(name).filter(|&node| !self.fabric.is_switch(node));
        node.ok_or_else(|| Fault::NoSuchHost(name.to_owned()))
    }

    /// Returns a port by its id, if it has a cable.
    pub(crate) fn port(&self, id: PortId) -> Option<Port> {
        let node = u32::try_from(id.0 >> 16).ok().map(NodeId)?;
        let port = Port { node, number: id.0 as u16 };
        let is_there = node.index() < self.fabric.nodes().len() && port.number > 0;
        (is_there && self.fabric.link_at(port).is_some()).then_some(port)
    }
}

/// Returns the id of a port: the index of the node, and the number of the port.
pub(crate) fn id(port: Port) -> PortId {
    PortId(u64::from(port.node.0) << 16 | u64::from(port.number))
}
