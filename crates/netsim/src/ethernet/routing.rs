//! Choice among several equally short paths.

use super::packet::{PortBits, path};
use bandwise_topology::routes::EqualPaths;
use std::sync::Arc;

/// Rule for the choice of paths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Routing {
    /// Equal-cost multipath: by a hash of the flow, so that its packets stay in order.
    #[default]
    Ecmp,
    /// Random for each packet, so that all paths are used equally and packets may overtake each
    /// other.
    Spray,
}

/// Source of a host's random paths, one per packet.
#[derive(Debug)]
pub(crate) struct Spray {
    paths: Arc<EqualPaths>,
    bits: PortBits,
    host: u32,
    /// Hash of the next packet: consecutive numbers, which each switch on the path mixes.
    hash: u64,
}

impl Spray {
    /// Creates the source of a host, given by its rank.
    pub(crate) fn new(paths: Arc<EqualPaths>, bits: PortBits, host: u32, seed: u64) -> Self {
        // Hosts' ranges are larger than the number of packets that a host sends.
        Spray { paths, bits, host, hash: seed ^ u64::from(host) << 40 }
    }

    /// Returns a path to another host.
    pub(crate) fn path(&mut self, to: u32) -> u64 {
        self.hash = self.hash.wrapping_add(1);
        let ports = self.paths.path(self.host as usize, to as usize, self.hash);
        path(ports, self.bits).expect("a flow opens only where its path fits a packet")
    }
}
