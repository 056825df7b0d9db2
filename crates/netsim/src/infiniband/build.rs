//! Construction of a simulation from a fabric: cables, buffers, tables, partitions and shards.

use crate::engine::{self, Engine, LinkEnd, MIN_PARTITION_LATENCY, Member};
use crate::infiniband::cable::{Cable, Outputs, Receiver};
use crate::infiniband::egress::{Egress, Scheduling};
use crate::infiniband::host::Host;
use crate::infiniband::models::Models;
use crate::infiniband::simulation::{Node, Simulation};
use crate::infiniband::switch::Switch;
use bandwise_random::Stream;
use bandwise_rdma::qos::VlArbError;
use bandwise_rdma::verbs::Program;
use bandwise_topology::{Fabric, NodeId, Port, Routes, SLOWEST_LINK};
use bandwise_units::{Bytes, Time};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

impl<P: Program> Simulation<P> {
    /// Builds a simulation of `fabric`. Hosts are numbered by their rank among `fabric.hosts()`.
    ///
    /// # Errors
    ///
    /// An unusable arbitration table.
    ///
    /// # Panics
    ///
    /// If a host has no link.
    pub fn new(
        fabric: &Fabric,
        routes: &Routes,
        models: &Models,
        seed: u64,
    ) -> Result<Self, VlArbError> {
        Self::partitioned(fabric, routes, models, seed, NonZeroUsize::MIN, MIN_PARTITION_LATENCY)
    }

    /// Builds a simulation in `shards` shards, which an executor with as many workers runs in
    /// parallel ([`Simulation::run_in_steps`]). Links of at least `min_latency` (at least 1 ps)
    /// separate partitions. Both affect only the duration of a run.
    ///
    /// # Errors
    ///
    /// An unusable arbitration table.
    ///
    /// # Panics
    ///
    /// If a host has no link.
    pub fn partitioned(
        fabric: &Fabric,
        routes: &Routes,
        models: &Models,
        seed: u64,
        shards: NonZeroUsize,
        min_latency: Time,
    ) -> Result<Self, VlArbError> {
        let lanes = (16 - models.qos.vls().leading_zeros()).max(1) as usize;
        let nodes: Vec<NodeId> = fabric.switches().iter().chain(fabric.hosts()).copied().collect();
        let switches = fabric.switches().iter();
        let outputs = switches.map(|&node| (node, Arc::new(outputs(fabric, routes, node))));
        let (outputs, ends) = (outputs.collect(), BTreeMap::new());
        let mut plan = Plan { fabric, models, seed, lanes, ends, outputs };
        let partition_of = plan.partitions(&nodes, min_latency);
        let partitions = partition_of.iter().map(|&p| p as usize + 1).max().unwrap_or(0);
        let between = plan.cables(&nodes).map(|(a, _, b)| {
            let [a, b] = [a, b].map(|port| partition_of[plan.index(port.node) as usize] as usize);
            (a, b)
        });
        let shard_of = engine::shards(partitions, between, shards.get());
        let mut engine = Engine::new(&partition_of, &shard_of);
        plan.lay_cables(&nodes, &mut engine);
        for (index, &node) in nodes.iter().enumerate() {
            let number = engine.number(index);
            engine.push(match fabric.is_switch(node) {
                true => Member::Switch(plan.switch(node)?),
                false => Member::Host(plan.host(node, number)?),
            });
        }
        let ids = (0..fabric.nodes().len() as u32).map(NodeId);
        let node_of = ids.map(|id| plan.index(id)).collect();
        let switches = fabric.switches().len();
        Ok(Simulation { engine, seed, fabric_nodes: nodes, switches, node_of, lanes })
    }
}

struct Plan<'a> {
    fabric: &'a Fabric,
    models: &'a Models,
    seed: u64,
    lanes: usize,
    /// Link end of each port.
    ends: BTreeMap<Port, LinkEnd>,
    /// The outputs of each switch.
    outputs: BTreeMap<NodeId, Arc<Outputs>>,
}

/// Returns the outputs of a switch.
fn outputs(fabric: &Fabric, routes: &Routes, switch: NodeId) -> Outputs {
    let hosts = fabric.hosts().iter();
    let output = |&host: &NodeId| routes.out_port(switch, host).wrapping_sub(1) as u8;
    let ports = (1..=fabric.port_count(switch)).map(|number| Port { node: switch, number });
    // No packet leaves by a port without a cable.
    let rate = |port| fabric.peer(port).map_or(SLOWEST_LINK, |(_, link)| link.rate);
    let byte_time = |port| rate(port).byte_time();
    Outputs { forwarding: hosts.map(output).collect(), byte_times: ports.map(byte_time).collect() }
}

impl Plan<'_> {
    /// Returns every cable once: one of its ports, its latency, and its other port.
    fn cables(&self, nodes: &[NodeId]) -> impl Iterator<Item = (Port, Time, Port)> {
        let ports = nodes.iter().flat_map(|&node| self.fabric.ports(node));
        ports.filter_map(|port| {
            let (there, far) = self.cable(port)?;
            let (back, _) = self.cable(far)?;
            (port < far).then(|| (port, there.lookahead().min(back.lookahead()), far))
        })
    }

    /// Returns the partition of each node.
    fn partitions(&self, nodes: &[NodeId], min_latency: Time) -> Vec<u32> {
        let links = self.cables(nodes).map(|(a, latency, b)| {
            let [a, b] = [a, b].map(|port| self.index(port.node) as usize);
            (a, b, latency)
        });
        engine::partitions(nodes.len(), links, min_latency)
    }

    fn lay_cables<P: Program>(&mut self, nodes: &[NodeId], engine: &mut Engine<Node<P>>) {
        for (node, &id) in nodes.iter().enumerate() {
            for port in self.fabric.ports(id).filter(|&port| self.fabric.peer(port).is_some()) {
                let object = if self.fabric.is_switch(id) { port.number - 1 } else { 0 };
                self.ends.insert(port, engine.add_port(node, object));
            }
        }
        for (a, latency, b) in self.cables(nodes) {
            engine.join(self.ends[&a], self.ends[&b], latency);
        }
    }

    /// Returns the simulation node of a fabric node: switches come first, then hosts.
    fn index(&self, node: NodeId) -> u32 {
        let fabric = self.fabric;
        let base = if fabric.is_switch(node) { 0 } else { fabric.switches().len() };
        (base + fabric.rank(node)) as u32
    }

    /// Returns the cable from a port, and the port at its far end.
    fn cable(&self, from: Port) -> Option<(Cable, Port)> {
        let (fabric, models) = (self.fabric, self.models);
        let (peer, link) = fabric.peer(from)?;
        let to_switch = fabric.is_switch(peer.node);
        let receiver = if to_switch {
            let mut links = fabric.ports(peer.node).filter_map(|port| fabric.peer(port));
            let is_slower = links.any(|(_, other)| other.rate > link.rate);
            let outputs = is_slower.then(|| self.outputs[&peer.node].clone());
            Receiver::Switch { latency: models.switch_of(peer.node).latency, outputs }
        } else {
            Receiver::Host { latency: models.device_of(peer.node).rx }
        };
        // A host returns credits as the switch before it does.
        let switch = if fabric.is_switch(from.node) { from.node } else { peer.node };
        let cable = Cable {
            to: self.index(peer.node),
            to_port: if to_switch { peer.number - 1 } else { 0 },
            byte_time: link.rate.byte_time(),
            delay: link.delay,
            receiver,
            credit_delay: models.switch_of(switch).credit_delay,
        };
        Some((cable, peer))
    }

    /// Returns the size of the buffer per lane behind a port.
    fn buffer(&self, peer: Port) -> Bytes {
        let switch = self.fabric.is_switch(peer.node);
        if switch {
            self.models.switch_of(peer.node).buffer
        } else {
            self.models.device_of(peer.node).rx_buffer
        }
    }

    fn switch(&self, node: NodeId) -> Result<Box<Switch>, VlArbError> {
        let (fabric, models) = (self.fabric, self.models);
        let ports = fabric.port_count(node);
        let tables = |input| move |output| models.qos.sl2vl(node, Some(input), output);
        let mut switch = Switch::new(
            models.switch_of(node).clone(),
            usize::from(ports),
            self.lanes,
            self.outputs[&node].forwarding.clone(),
            (1..=ports).flat_map(|input| (1..=ports).map(tables(input))).collect(),
            Stream::new(self.seed, "switch", fabric.rank(node) as u64),
            Stream::new(self.seed, "mark", fabric.rank(node) as u64),
        );
        for port in fabric.ports(node) {
            let Some((cable, peer)) = self.cable(port) else { continue };
            let vlarb = models.qos.vlarb(node, port.number);
            let scheduling = models.switch_of(node).scheduling;
            let (slots, end) = (switch.slots(), self.ends[&port]);
            let egress = Egress::new(cable, end, slots, self.buffer(peer), vlarb, scheduling)?;
            switch.cable(usize::from(port.number - 1), egress);
        }
        Ok(Box::new(switch))
    }

    fn host<P: Program>(&self, node: NodeId, number: u32) -> Result<Box<Host<P>>, VlArbError> {
        let (fabric, models) = (self.fabric, self.models);
        let port = fabric.host_port(node);
        let (cable, peer) = self.cable(port).expect("a host has a link");
        let vlarb = models.qos.vlarb(node, port.number);
        let scheduling = Scheduling::RoundRobin;
        let (slots, end) = (2 * self.lanes, self.ends[&port]);
        let egress = Egress::new(cable, end, slots, self.buffer(peer), vlarb, scheduling)?;
        let rank = fabric.rank(node);
        Ok(Box::new(Host::new(
            rank as u16,
            number,
            models.device_of(node).clone(),
            Stream::new(self.seed, "cc-timer", rank as u64),
            models.qos.sl2vl(node, None, port.number),
            self.lanes,
            egress,
        )))
    }
}
