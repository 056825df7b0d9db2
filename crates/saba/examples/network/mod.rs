//! The network of figure 4.19 of Saba, and the time on it.

use bandwise_random::Stream;
use std::time::Instant;

/// Hosts of the network.
pub const HOSTS: usize = 1_944;
/// Instances of each application.
pub const INSTANCES: usize = 32;

/// The switch ports on the way from one host to another: 108 edge switches with 18 hosts and six links
/// to each of three directors, which are 36 leaves with 18 spines. Links are picked by destination.
pub fn ports(from: usize, to: usize, mut visit: impl FnMut(usize)) {
    let (from_edge, edge) = (from / 18, to / 18);
    // Numbers of ports: those of edges down, up, of leaves up and down, of spines.
    let [edge_down, edge_up, leaf_up, leaf_down, spine] = [0, 1, 2, 3, 4].map(|k| k * HOSTS);
    if from_edge != edge {
        let up = to % 18;
        let (director, link) = (up / 6, up % 6);
        let leaf = |edge: usize| director * 36 + (edge * 6 + link) / 18;
        visit(edge_up + from_edge * 18 + up);
        if leaf(from_edge) != leaf(edge) {
            let over = edge % 18;
            visit(leaf_up + leaf(from_edge) * 18 + over);
            visit(spine + leaf(edge) * 18 + over);
        }
        visit(leaf_down + edge * 18 + up);
    }
    visit(edge_down + to);
}

/// The hosts of an application, all different.
pub fn hosts(chance: &mut Stream) -> Vec<usize> {
    let mut hosts = Vec::new();
    while hosts.len() < INSTANCES {
        let host = chance.below(HOSTS as u64) as usize;
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
}

/// The time that this thread has had a core for, in ms: other work on the machine counts for nothing.
/// Where the system doesn't say it, the time of the clock on the wall.
pub fn core_ms(start: Instant) -> f64 {
    // The system brings its account of a thread up to date when it could put another in its place.
    std::thread::yield_now();
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = said.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    ns.map_or_else(|| start.elapsed().as_secs_f64() * 1e3, |ns| ns * 1e-6)
}

/// The value that a part `p` of all is not above.
pub fn percentile(sorted: &[f64], p: f64) -> f64 {
    sorted[((sorted.len() as f64 * p).ceil() as usize).clamp(1, sorted.len()) - 1]
}
