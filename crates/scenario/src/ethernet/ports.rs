//! Counters of each port, and pause storms.

use bandwise_netsim::ethernet::{Network, PortCounters};
use bandwise_topology::{Fabric, Port};
use bandwise_units::Time;

/// The counters of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortResult {
    /// Port.
    pub port: Port,
    /// Port at the other end of the cable.
    pub peer: Port,
    /// Counters.
    pub counters: PortCounters,
    /// Number of pauses, including pauses that have not ended.
    pub pauses: u64,
    /// Total time of pauses, as a sum over traffic classes.
    pub paused: Time,
    /// Longest pause.
    pub longest_pause: Time,
}

/// A pause storm: a port that was paused for too long without a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseStorm {
    /// Paused port.
    pub port: Port,
    /// Port that paused it.
    pub by: Port,
    /// Longest pause.
    pub longest: Time,
    /// Total time of pauses.
    pub paused: Time,
}

/// Returns the counters of all cabled ports, those of switches first.
pub(super) fn results(fabric: &Fabric, network: &Network) -> Vec<PortResult> {
    let ports: Vec<(Port, PortCounters)> = network.ports().collect();
    let mut by_port = ports.clone();
    by_port.sort_unstable_by_key(|&(port, _)| port);
    let of = |port: Port| match by_port.binary_search_by_key(&port, |&(port, _)| port) {
        Ok(place) => by_port[place].1,
        // A host's further cables carry no packets.
        Err(_) => PortCounters::default(),
    };
    let result = |(port, counters)| {
        let (peer, _) = fabric.peer(port)?;
        let PortCounters { pauses, paused, longest_pause, .. } = of(peer);
        Some(PortResult { port, peer, counters, pauses, paused, longest_pause })
    };
    ports.into_iter().filter_map(result).collect()
}

/// Returns the ports that were paused for longer than `limit` without a break, longest first.
pub(super) fn storms(ports: &[PortResult], limit: Time) -> Vec<PauseStorm> {
    let storm = |result: &PortResult| PauseStorm {
        port: result.port,
        by: result.peer,
        longest: result.longest_pause,
        paused: result.paused,
    };
    let over = ports.iter().filter(|result| result.longest_pause > limit);
    let mut storms: Vec<PauseStorm> = over.map(storm).collect();
    storms.sort_by_key(|storm| std::cmp::Reverse(storm.longest));
    storms
}
