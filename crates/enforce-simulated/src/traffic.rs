//! [`Traffic`]: connections that all send at once, with the configurations of the ports.

use crate::shape::{Shape, id};
use bandwise_flowsim::{Links, MAX_CAPACITY};
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_switches::Fault;
use bandwise_topology::FabricError;
use bandwise_units::BitRate;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of levels that packets can carry. InfiniBand has 16 service levels, and this network
/// uses as many marks on Ethernet.
pub(crate) const LEVELS: u16 = 16;

/// A connection that always has data to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The sending host.
    pub from: Box<str>,
    /// The receiving host.
    pub to: Box<str>,
    /// The priority level of its packets, by which ports choose a queue.
    pub level: PriorityLevel,
}

/// The reason for which rates can't be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Uncarried {
    /// A host or a path does not exist.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A level that no packet can carry.
    #[error("a connection of level {0}: packets carry levels 0 to {last}", last = LEVELS - 1)]
    Level(u16),
    /// A link that is too fast for the simulation.
    #[error("{port} has a link of {rate}: at most {MAX_CAPACITY} can be simulated")]
    Rate {
        /// The output port.
        port: String,
        /// The rate of its link.
        rate: BitRate,
    },
    /// A node with more ports than InfiniBand allows.
    #[error("{0} of InfiniBand (allowed: {allowed})", allowed = .0.allowed())]
    Ports(FabricError),
    /// More queues than there are lanes.
    #[error("{port} has {queues} queues: InfiniBand has {most} lanes")]
    Queues {
        /// The output port.
        port: String,
        /// The number of its queues.
        queues: usize,
        /// The largest number of lanes.
        most: usize,
    },
    /// More connections than a host can have.
    #[error("{host} has {connections} connections: at most 65535 can be simulated")]
    Connections {
        /// The host.
        host: String,
        /// The number of its connections in both directions.
        connections: usize,
    },
    /// A deadlock of these ports.
    #[error("deadlock: {} wait for each other's buffers", .0.join(", "))]
    Deadlock(Vec<String>),
}

/// Connections that all send at once, with a copy of the ports' configurations. Later writes have no effect.
#[derive(Debug, Clone)]
pub struct Traffic {
    pub(crate) shape: Arc<Shape>,
    pub(crate) links: Links,
    /// The configuration of each link's port.
    pub(crate) configs: Vec<PortConfig>,
    pub(crate) paths: Vec<Path>,
}

/// The path of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    /// The ranks of the two hosts.
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) level: u8,
    /// The links, in order.
    pub(crate) links: Vec<u32>,
}

impl Traffic {
    pub(crate) fn new(
        shape: &Arc<Shape>,
        configs: &BTreeMap<PortId, PortConfig>,
        connections: &[Connection],
    ) -> Result<Traffic, Uncarried> {
        let links = Links::new(&shape.fabric);
        let configs = links.ports().iter().map(|&port| configs.get(&id(port)).cloned());
        let configs = configs.map(Option::unwrap_or_default).collect();
        let (shape, paths) = (shape.clone(), Vec::new());
        let mut traffic = Traffic { shape, links, configs, paths };
        for link in 0..traffic.links.ports().len() as u32 {
            let rate = traffic.rate(link);
            if rate > MAX_CAPACITY {
                return Err(Uncarried::Rate { port: traffic.port(link), rate });
            }
        }
        let paths: Result<_, _> = connections.iter().map(|of| traffic.resolve(of)).collect();
        traffic.paths = paths?;
        Ok(traffic)
    }

    fn resolve(&self, Connection { from, to, level }: &Connection) -> Result<Path, Uncarried> {
        let (fabric, routes) = (&self.shape.fabric, &self.shape.routes);
        // Refuses unknown hosts and missing paths.
        self.shape.path(from, to)?;
        let rank = |name| Ok::<_, Fault>(fabric.rank(self.shape.host(name)?) as u32);
        let (from, to) = (rank(from)?, rank(to)?);
        let known = u8::try_from(level.0).ok().filter(|&level| u16::from(level) < LEVELS);
        let level = known.ok_or(Uncarried::Level(level.0))?;
        Ok(Path { from, to, level, links: self.links.path(fabric, routes, from, to) })
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.paths.len()
    }

    /// Returns the links of a connection, in order.
    ///
    /// # Panics
    ///
    /// Panics if there is no such connection.
    pub fn path(&self, connection: usize) -> &[u32] {
        &self.paths[connection].links
    }

    /// Returns the name of a link's output port.
    ///
    /// # Panics
    ///
    /// Panics if there is no such link.
    pub fn port(&self, link: u32) -> String {
        self.shape.fabric.describe(self.links.ports()[link as usize])
    }

    /// Returns the rate of a link.
    ///
    /// # Panics
    ///
    /// Panics if there is no such link.
    pub fn rate(&self, link: u32) -> BitRate {
        let port = self.links.ports()[link as usize];
        self.shape.fabric.peer(port).expect("links are of ports with a cable").1.rate
    }

    /// Returns the load of each link with these rates of connections, in bit/s.
    pub fn loads(&self, rates: &[BitRate]) -> Vec<u64> {
        let mut loads = vec![0; self.links.ports().len()];
        for (path, rate) in self.paths.iter().zip(rates) {
            path.links.iter().for_each(|&link| loads[link as usize] += rate.as_bps());
        }
        loads
    }
}
