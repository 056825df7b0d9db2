//! Which of several equally short paths packets take.

use super::packet::path;
use bandwise_topology::routes::EqualPaths;
use std::sync::Arc;

/// How paths are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Routing {
    /// Equal-cost multipath: by the hash of a flow, so that its packets stay in order.
    #[default]
    Ecmp,
    /// By chance for each packet, so that all paths are used alike and packets overtake each other.
    Spray,
}

/// What a host draws paths from, packet by packet.
#[derive(Debug)]
pub(crate) struct Spray {
    paths: Arc<EqualPaths>,
    host: u32,
    /// The next packet's hash: numbers in a row, which each switch on the way mixes.
    hash: u64,
}

impl Spray {
    /// That of one host (by rank).
    pub fn new(paths: Arc<EqualPaths>, host: u32, seed: u64) -> Self {
        // Hosts are apart by more packets than one sends.
        Spray { paths, host, hash: seed ^ u64::from(host) << 40 }
    }

    /// A path to another host.
    pub fn path(&mut self, to: u32) -> u64 {
        self.hash = self.hash.wrapping_add(1);
        let ports = self.paths.path(self.host as usize, to as usize, self.hash);
        path(ports).expect("a flow opens only where its path fits a packet")
    }
}
