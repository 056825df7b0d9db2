//! What each port counted, and which ones were stopped for too long.

use bandwise_netsim::ethernet::{Network, PortCounters};
use bandwise_topology::{Fabric, Port};
use bandwise_units::Time;

/// A port with what it counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortResult {
    /// The port.
    pub port: Port,
    /// The other end of its cable.
    pub peer: Port,
    /// What it counted.
    pub counters: PortCounters,
    /// How often it was told to stop. What is on its way counts.
    pub stops: u64,
    /// For how long in all, each traffic class by itself.
    pub stopped: Time,
    /// The longest of these times.
    pub longest_stop: Time,
}

/// A port that was told to stop for too long at a stretch: a pause storm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseStorm {
    /// The port that could not send.
    pub port: Port,
    /// The one that told it so.
    pub by: Port,
    /// For how long.
    pub longest: Time,
    /// For how long in all.
    pub stopped: Time,
}

/// All ports of a network with a cable, switches first.
pub(super) fn results(fabric: &Fabric, network: &Network) -> Vec<PortResult> {
    let ports: Vec<(Port, PortCounters)> = network.ports().collect();
    let mut by_port = ports.clone();
    by_port.sort_unstable_by_key(|&(port, _)| port);
    let of = |port: Port| match by_port.binary_search_by_key(&port, |&(port, _)| port) {
        Ok(place) => by_port[place].1,
        // A host's further cables carry nothing.
        Err(_) => PortCounters::default(),
    };
    let result = |(port, counters)| {
        let (peer, _) = fabric.peer(port)?;
        let PortCounters { pauses: stops, paused: stopped, longest_pause: longest_stop, .. } =
            of(peer);
        Some(PortResult { port, peer, counters, stops, stopped, longest_stop })
    };
    ports.into_iter().filter_map(result).collect()
}

/// Those that were stopped for longer than `limit` at a stretch, the longest first.
pub(super) fn storms(ports: &[PortResult], limit: Time) -> Vec<PauseStorm> {
    let storm = |result: &PortResult| PauseStorm {
        port: result.port,
        by: result.peer,
        longest: result.longest_stop,
        stopped: result.stopped,
    };
    let over = ports.iter().filter(|result| result.longest_stop > limit);
    let mut storms: Vec<PauseStorm> = over.map(storm).collect();
    storms.sort_by_key(|storm| std::cmp::Reverse(storm.longest));
    storms
}
