//! [`FabricBuilder`]: the constructor of a [`Fabric`].

use crate::{
    Fabric, FabricError, LONGEST_DELAY, Link, MAX_NODES, MAX_PORTS, Node, NodeId, NodeKind, Port,
    SLOWEST_LINK,
};
use bandwise_input::is_printable;
use bandwise_units::{BitRate, Time};

/// A builder that collects nodes and cables, refuses invalid ones, and becomes a [`Fabric`].
#[derive(Debug, Clone)]
pub struct FabricBuilder {
    fabric: Fabric,
}

impl Default for FabricBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl FabricBuilder {
    /// Returns a builder without nodes.
    pub fn new() -> Self {
        FabricBuilder {
            fabric: Fabric {
                nodes: Vec::new(),
                hosts: Vec::new(),
                switches: Vec::new(),
                links: Vec::new(),
                names: std::collections::BTreeMap::new(),
            },
        }
    }

    /// Adds a host with `ports` ports (1 to [`MAX_PORTS`]).
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] if the name or the number of ports is invalid, the name is taken,
    /// or the fabric is full.
    pub fn add_host(&mut self, name: impl Into<String>, ports: u16) -> Result<NodeId, FabricError> {
        self.add(name.into(), NodeKind::Host, ports)
    }

    /// Adds a switch with `ports` ports (1 to [`MAX_PORTS`]).
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] as [`FabricBuilder::add_host`] does.
    pub fn add_switch(
        &mut self,
        name: impl Into<String>,
        ports: u16,
    ) -> Result<NodeId, FabricError> {
        self.add(name.into(), NodeKind::Switch, ports)
    }

    /// Adds a node of either kind.
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] as [`FabricBuilder::add_host`] does.
    pub fn add(&mut self, name: String, kind: NodeKind, ports: u16) -> Result<NodeId, FabricError> {
        let fabric = &mut self.fabric;
        if !is_name(&name) {
            return Err(FabricError::Name { name });
        }
        if fabric.names.contains_key(&name) {
            return Err(FabricError::DuplicateName { name });
        }
        if ports == 0 || ports > MAX_PORTS {
            let ports = u64::from(ports);
            return Err(FabricError::PortCount { name, ports, most: MAX_PORTS });
        }
        if fabric.nodes.len() >= MAX_NODES {
            return Err(FabricError::TooManyNodes);
        }
        let id = NodeId(fabric.nodes.len() as u32);
        let same_kind = match kind {
            NodeKind::Host => &mut fabric.hosts,
            NodeKind::Switch => &mut fabric.switches,
        };
        let rank = same_kind.len() as u32;
        same_kind.push(id);
        fabric.names.insert(name.clone(), id);
        fabric.nodes.push(Node {
            name,
            kind,
            rank,
            cables: vec![None; usize::from(ports)],
            traffic: None,
            device: None,
        });
        Ok(id)
    }

    /// Sets the PCI device ID of a node.
    ///
    /// # Panics
    ///
    /// Panics if the node has not been added.
    pub fn set_device(&mut self, node: NodeId, device: Option<u16>) {
        self.fabric.nodes[node.index()].device = device;
    }

    /// Returns the node of this name, if it has been added.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.fabric.find(name)
    }

    /// Returns the kind of a node.
    ///
    /// # Panics
    ///
    /// Panics if the node has not been added.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.fabric.node(node).kind
    }

    /// Returns the number of ports of a node.
    ///
    /// # Panics
    ///
    /// Panics if the node has not been added.
    pub fn port_count(&self, node: NodeId) -> u16 {
        self.fabric.port_count(node)
    }

    /// Returns the port at the other end of the cable in `port`, if a cable is there.
    pub fn peer(&self, port: Port) -> Option<Port> {
        self.fabric.peer(port).map(|(peer, _)| peer)
    }

    /// Connects two free ports of different nodes by a cable. The order of the ends does not
    /// matter.
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] if a port does not exist or has a cable, both ports are of one
    /// node, or the rate or the delay is out of range.
    pub fn connect(
        &mut self,
        a: Port,
        b: Port,
        rate: BitRate,
        delay: Time,
    ) -> Result<(), FabricError> {
        self.check_free(a)?;
        self.check_free(b)?;
        let fabric = &mut self.fabric;
        let ends = [a.min(b), a.max(b)];
        let (from, to) = (fabric.describe(ends[0]), fabric.describe(ends[1]));
        if a.node == b.node {
            return Err(FabricError::SelfLink { from, to });
        }
        if rate < SLOWEST_LINK {
            return Err(FabricError::Rate { from, to, rate });
        }
        if delay > LONGEST_DELAY {
            return Err(FabricError::Delay { from, to, delay });
        }
        let cable = fabric.links.len() as u32;
        fabric.links.push(Link { ends, rate, delay });
        for end in ends {
            *slot(fabric, end) = Some(cable);
        }
        Ok(())
    }

    fn check_free(&self, port: Port) -> Result<(), FabricError> {
        let fabric = &self.fabric;
        let Some(node) = fabric.nodes.get(port.node.index()) else {
            return Err(FabricError::NoSuchNode { number: port.node.0 });
        };
        let ports = fabric.port_count(port.node);
        if port.number == 0 || port.number > ports {
            let name = node.name.clone();
            return Err(FabricError::NoSuchPort { name, port: port.number, ports });
        }
        match fabric.peer(port) {
            None => Ok(()),
            Some((peer, _)) => Err(FabricError::PortTaken {
                port: fabric.describe(port),
                peer: fabric.describe(peer),
            }),
        }
    }

    /// Returns the fabric.
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] if there is no host, a host has no cable, or two hosts cannot
    /// reach each other.
    pub fn build(self) -> Result<Fabric, FabricError> {
        let fabric = self.linked()?;
        fabric.check_paths().map(|()| fabric)
    }

    /// Returns the fabric in parts without a path between them: one if all hosts reach each other.
    /// Otherwise a switch that no host reaches is in no part, nor is a cable between two parts, at a
    /// port that its host does not use.
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] if there is no host, or a host has no cable.
    pub fn build_parts(self) -> Result<Vec<Fabric>, FabricError> {
        let fabric = self.linked()?;
        let &first = fabric.hosts.first().ok_or(FabricError::Empty)?;
        let reached = reached_from(&fabric, first);
        if fabric.hosts.iter().all(|host| reached[host.index()]) {
            return Ok(vec![fabric]);
        }
        let mut parts: Vec<Fabric> = Vec::new();
        let mut is_placed = vec![false; fabric.nodes.len()];
        for &host in &fabric.hosts {
            if !is_placed[host.index()] {
                let reached = reached_from(&fabric, host);
                is_placed.iter_mut().zip(&reached).for_each(|(placed, here)| *placed |= here);
                parts.push(part(&fabric, &reached)?);
            }
        }
        Ok(parts)
    }

    /// Returns the fabric with sorted cables, all hosts of which have one.
    fn linked(self) -> Result<Fabric, FabricError> {
        let mut fabric = self.fabric;
        // Cables are sorted by their ports, not by the order of calls. So the result of a reader
        // does not depend on the end of a cable that a file names first.
        fabric.links.sort_by_key(|link| link.ends);
        for cable in 0..fabric.links.len() {
            for end in fabric.links[cable].ends {
                *slot(&mut fabric, end) = Some(cable as u32);
            }
        }
        match fabric.hosts.iter().find(|&&host| fabric.ports(host).next().is_none()) {
            Some(&host) => Err(FabricError::Unlinked { name: fabric.node(host).name.clone() }),
            None => Ok(fabric),
        }
    }
}

impl Fabric {
    /// Returns the fabric with other ports for the traffic of some hosts.
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] if a port does not exist, has no cable or belongs to a switch, or if
    /// two hosts can't reach each other through their ports.
    pub fn with_host_ports(mut self, ports: &[Port]) -> Result<Fabric, FabricError> {
        for &port in ports {
            let name = || self.node(port.node).name.clone();
            let number = port.number;
            if self.is_switch(port.node) {
                return Err(FabricError::NotHost { name: name() });
            }
            if self.peer(port).is_none() {
                let cabled = self.ports(port.node).map(|port| port.number.to_string());
                let cabled = cabled.collect::<Vec<_>>().join(", ");
                return Err(FabricError::NoCable { name: name(), port: number, cabled });
            }
            self.nodes[port.node.index()].traffic = Some(number);
        }
        self.check_paths().map(|()| self)
    }

    /// Checks that there is a host, and that all hosts reach each other.
    fn check_paths(&self) -> Result<(), FabricError> {
        let &first = self.hosts.first().ok_or(FabricError::Empty)?;
        let reached = reached_from(self, first);
        match self.hosts.iter().find(|h| !reached[h.index()]) {
            Some(&host) => Err(FabricError::Unreachable {
                from: self.node(first).name.clone(),
                to: self.node(host).name.clone(),
            }),
            None => Ok(()),
        }
    }
}

/// Returns the nodes that are `true`, and the cables between them.
fn part(fabric: &Fabric, nodes: &[bool]) -> Result<Fabric, FabricError> {
    let mut builder = FabricBuilder::new();
    let mut ids = vec![None; nodes.len()];
    for (i, node) in fabric.nodes.iter().enumerate().filter(|(i, _)| nodes[*i]) {
        let ports = fabric.port_count(NodeId(i as u32));
        let id = builder.add(node.name.clone(), node.kind, ports)?;
        builder.set_device(id, node.device);
        ids[i] = Some(id);
    }
    for link in &fabric.links {
        let ends = link.ends.map(|end| Some(Port { node: ids[end.node.index()]?, ..end }));
        if let [Some(from), Some(to)] = ends {
            builder.connect(from, to, link.rate, link.delay)?;
        }
    }
    builder.linked()
}

/// Returns whether every format can write and read back the name. Decoders put U+FFFD in place of
/// invalid bytes, so readers take it as the sign of a binary file.
fn is_name(name: &str) -> bool {
    let unprintable = |c: char| !is_printable(c) || c == char::REPLACEMENT_CHARACTER;
    !name.is_empty() && name.trim() == name && !name.contains(unprintable)
}

fn slot(fabric: &mut Fabric, port: Port) -> &mut Option<u32> {
    &mut fabric.nodes[port.node.index()].cables[usize::from(port.number) - 1]
}

/// Returns the nodes that packets from `host` reach: over switches, and into a host by the port
/// that its traffic uses. Cables are full-duplex, so the reverse direction is reachable as well.
fn reached_from(fabric: &Fabric, host: NodeId) -> Vec<bool> {
    let mut reached = vec![false; fabric.nodes.len()];
    reached[host.index()] = true;
    let mut egress = vec![fabric.host_port(host)];
    while let Some(port) = egress.pop() {
        let Some((peer, _)) = fabric.peer(port) else { continue };
        let node = peer.node;
        if reached[node.index()] {
            continue;
        }
        if fabric.is_switch(node) {
            reached[node.index()] = true;
            egress.extend(fabric.ports(node));
        } else if fabric.host_port(node) == peer {
            reached[node.index()] = true;
        }
    }
    reached
}
