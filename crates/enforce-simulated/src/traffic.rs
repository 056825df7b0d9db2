//! [`Traffic`]: connections that all send at once over what stands at the ports.

use crate::shape::{Shape, id};
use bandwise_enforce::Fault;
use bandwise_flowsim::{Links, MAX_CAPACITY};
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_units::BitRate;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Levels that packets can tell: so many service levels has InfiniBand, and so many marks Ethernet.
pub(crate) const LEVELS: u16 = 16;

/// A connection over which there is always something to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The host that sends.
    pub from: Box<str>,
    /// The host that it sends to.
    pub to: Box<str>,
    /// What its packets carry, by which ports know their queue.
    pub level: PriorityLevel,
}

/// Why nobody can say what connections get.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Uncarried {
    /// No such way.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A level that no packet can carry.
    #[error("a connection of level {0}: packets can tell 0 to {last}", last = LEVELS - 1)]
    Level(u16),
    /// A link that is too fast to be counted.
    #[error("{port} has a link of {rate}: at most {MAX_CAPACITY} can be counted")]
    Rate {
        /// Out of which port.
        port: String,
        /// What it carries.
        rate: BitRate,
    },
    /// More queues than there are lanes.
    #[error("{port} has {queues} queues: packets have {most} lanes to wait in")]
    Queues {
        /// Which port.
        port: String,
        /// In use there.
        queues: usize,
        /// Lanes.
        most: usize,
    },
    /// More connections than a host can have.
    #[error("{host} has {connections} connections: packets can tell 65535")]
    Connections {
        /// Which host.
        host: String,
        /// How many it has, coming and going.
        connections: usize,
    },
    /// Ports that wait for each other.
    #[error("packets stand still: {} wait for each other's buffers", .0.join(", "))]
    Deadlock(Vec<String>),
}

/// Connections that all send at once, and what stands at the ports meanwhile: as it was when this was made, whatever
/// is written since.
#[derive(Debug, Clone)]
pub struct Traffic {
    pub(crate) shape: Arc<Shape>,
    pub(crate) links: Links,
    /// By link: what stands at its port.
    pub(crate) stands: Vec<PortConfig>,
    pub(crate) ways: Vec<Way>,
}

/// A connection's way.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    /// Ranks of the hosts.
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) level: u8,
    /// In order.
    pub(crate) links: Vec<u32>,
}

impl Traffic {
    pub(crate) fn new(
        shape: &Arc<Shape>,
        stands: &BTreeMap<PortId, PortConfig>,
        connections: &[Connection],
    ) -> Result<Traffic, Uncarried> {
        let links = Links::new(&shape.fabric);
        let stands = links.ports().iter().map(|&port| stands.get(&id(port)).cloned());
        let stands = stands.map(Option::unwrap_or_default).collect();
        let (shape, ways) = (shape.clone(), Vec::new());
        let mut traffic = Traffic { shape, links, stands, ways };
        for link in 0..traffic.links.ports().len() as u32 {
            let rate = traffic.rate(link);
            if rate > MAX_CAPACITY {
                return Err(Uncarried::Rate { port: traffic.port(link), rate });
            }
        }
        let ways: Result<_, _> = connections.iter().map(|of| traffic.way(of)).collect();
        traffic.ways = ways?;
        Ok(traffic)
    }

    fn way(&self, Connection { from, to, level }: &Connection) -> Result<Way, Uncarried> {
        let (fabric, routes) = (&self.shape.fabric, &self.shape.routes);
        // Says that there is no way, or no host.
        self.shape.path(from, to)?;
        let rank = |name| Ok::<_, Fault>(fabric.rank(self.shape.host(name)?) as u32);
        let (from, to) = (rank(from)?, rank(to)?);
        let known = u8::try_from(level.0).ok().filter(|&level| u16::from(level) < LEVELS);
        let level = known.ok_or(Uncarried::Level(level.0))?;
        Ok(Way { from, to, level, links: self.links.path(fabric, routes, from, to) })
    }

    /// How many connections there are.
    pub fn connections(&self) -> usize {
        self.ways.len()
    }

    /// The links that a connection goes over, in order.
    pub fn path(&self, connection: usize) -> &[u32] {
        &self.ways[connection].links
    }

    /// What people call the port that a link leads out of.
    pub fn port(&self, link: u32) -> String {
        self.shape.fabric.describe(self.links.ports()[link as usize])
    }

    /// What a link carries.
    pub fn rate(&self, link: u32) -> BitRate {
        let port = self.links.ports()[link as usize];
        self.shape.fabric.peer(port).expect("links are of ports with a cable").1.rate
    }

    /// By link: what these rates of connections come to, bits per second.
    pub fn loads(&self, rates: &[BitRate]) -> Vec<u64> {
        let mut loads = vec![0; self.links.ports().len()];
        for (way, rate) in self.ways.iter().zip(rates) {
            way.links.iter().for_each(|&link| loads[link as usize] += rate.as_bps());
        }
        loads
    }
}
