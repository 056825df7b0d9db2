//! Building a simulation from a fabric: cables, buffers, tables, and the lookahead that follows.

use crate::clock::Clock;
use crate::egress::{Egress, Scheduling};
use crate::host::Host;
use crate::link::{Cable, Outbox, Receiver};
use crate::models::Models;
use crate::random::Stream;
use crate::sim::{Node, Simulation};
use crate::switch::{Switch, SwitchPort};
use bandwise_rdma::qos::VlArbError;
use bandwise_rdma::verbs::Program;
use bandwise_topology::{Fabric, NodeId, Port, Routes};
use bandwise_units::{Bytes, Time};

impl<P: Program> Simulation<P> {
    /// Builds the fabric. Hosts are known by their rank among `fabric.hosts()`.
    pub fn new(
        fabric: &Fabric,
        routes: &Routes,
        models: &Models,
        seed: u64,
    ) -> Result<Self, VlArbError> {
        let lanes = (16 - models.qos.vls().leading_zeros()).max(1) as usize;
        let plan = Plan { fabric, routes, models, seed, lanes };
        let switches = fabric.switches().iter().map(|&node| Ok(Node::Switch(plan.switch(node)?)));
        let hosts = fabric.hosts().iter().map(|&node| Ok(Node::Host(plan.host(node)?)));
        let nodes = switches.chain(hosts).collect::<Result<Vec<_>, VlArbError>>()?;
        Ok(Simulation {
            clock: Clock::new(nodes.len()),
            nodes,
            lookahead: plan.lookahead(),
            now: Time::ZERO,
            seed,
            outbox: Outbox::default(),
            names: fabric.switches().iter().chain(fabric.hosts()).copied().collect(),
            switches: fabric.switches().len(),
        })
    }
}

struct Plan<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    models: &'a Models,
    seed: u64,
    lanes: usize,
}

impl Plan<'_> {
    /// Where a fabric's node stands among the simulation's: switches first, then hosts.
    fn index(&self, node: NodeId) -> u32 {
        let fabric = self.fabric;
        let base = if fabric.is_switch(node) { 0 } else { fabric.switches().len() };
        (base + fabric.rank(node)) as u32
    }

    /// The cable out of a port, and the port that it leads to.
    fn cable(&self, from: Port) -> Option<(Cable, Port)> {
        let (fabric, models) = (self.fabric, self.models);
        let (peer, link) = fabric.peer(from)?;
        let to_switch = fabric.is_switch(peer.node);
        let receiver = if to_switch {
            let rates = fabric.ports(peer.node).filter_map(|port| fabric.peer(port));
            let fastest = rates.map(|(_, l)| l.rate).max().filter(|&rate| rate > link.rate);
            Receiver::Switch { latency: models.switch.latency, fastest }
        } else {
            Receiver::Host { latency: models.device.rx }
        };
        let cable = Cable {
            to: self.index(peer.node),
            to_port: if to_switch { peer.number - 1 } else { 0 },
            rate: link.rate,
            delay: link.delay,
            receiver,
            credit_delay: models.switch.credit_delay,
        };
        Some((cable, peer))
    }

    /// The buffer that stands behind a cable, a lane.
    fn buffer(&self, peer: Port) -> Bytes {
        let switch = self.fabric.is_switch(peer.node);
        if switch { self.models.switch.buffer } else { self.models.device.rx_buffer }
    }

    /// The least latency of any link.
    fn lookahead(&self) -> Time {
        let nodes = self.fabric.switches().iter().chain(self.fabric.hosts());
        let ports = nodes.flat_map(|&node| self.fabric.ports(node));
        let cables = ports.filter_map(|port| self.cable(port));
        cables.map(|(cable, _)| cable.lookahead()).min().unwrap_or(Time::MAX)
    }

    fn switch(&self, node: NodeId) -> Result<Box<Switch>, VlArbError> {
        let (fabric, models) = (self.fabric, self.models);
        let ports = fabric.port_count(node);
        let tables = |input| move |output| models.qos.sl2vl(node, Some(input), output);
        let hosts = fabric.hosts().iter();
        let mut switch = Switch::new(
            models.switch.clone(),
            usize::from(ports),
            self.lanes,
            hosts.map(|&host| self.routes.out_port(node, host).wrapping_sub(1)).collect(),
            (1..=ports).flat_map(|input| (1..=ports).map(tables(input))).collect(),
            Stream::new(self.seed, "switch", fabric.rank(node) as u64),
        );
        for port in fabric.ports(node) {
            let Some((cable, peer)) = self.cable(port) else { continue };
            let vlarb = models.qos.vlarb(node, port.number);
            let scheduling = models.switch.scheduling;
            let egress = Egress::new(cable, switch.slots(), self.buffer(peer), vlarb, scheduling)?;
            let upstream = (cable.to, cable.to_port);
            switch.cable(usize::from(port.number - 1), SwitchPort::new(upstream, egress));
        }
        Ok(Box::new(switch))
    }

    fn host<P: Program>(&self, node: NodeId) -> Result<Box<Host<P>>, VlArbError> {
        let (fabric, models) = (self.fabric, self.models);
        let port = fabric.host_port(node);
        let (cable, peer) = self.cable(port).expect("a host has a link");
        let vlarb = models.qos.vlarb(node, port.number);
        let scheduling = Scheduling::RoundRobin;
        let egress = Egress::new(cable, 2 * self.lanes, self.buffer(peer), vlarb, scheduling)?;
        Ok(Box::new(Host::new(
            fabric.rank(node) as u16,
            models.device.clone(),
            models.qos.sl2vl(node, None, port.number),
            self.lanes,
            egress,
            (cable.to, cable.to_port),
        )))
    }
}
