//! The ports of the network of figure 4.19.

use bandwise_random::Stream;

/// Hosts of the network (Saba 4.6.1).
pub(super) const HOSTS: usize = 1_944;
/// Output ports of its switches.
pub(super) const PORTS: usize = 5 * HOSTS;
/// Instances of each application (Saba 4.6.5).
pub(super) const INSTANCES: usize = 32;

/// Calls `visit` for each switch port on the path from one host to another: 108 edge switches with
/// 18 hosts and six links to each of three directors, which consist of 36 leaves and 18 spines. The
/// destination selects the links.
pub(super) fn ports(from: usize, to: usize, mut visit: impl FnMut(usize)) {
    let (from_edge, edge) = (from / 18, to / 18);
    // First port numbers: of edge switches down and up, of leaves up and down, of spines.
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

/// Returns random hosts for an application, all different.
pub(super) fn hosts(chance: &mut Stream) -> Vec<usize> {
    let mut hosts = Vec::new();
    while hosts.len() < INSTANCES {
        let host = chance.below(HOSTS as u64) as usize;
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Up and down again: as many ports up as down, each level at most once, the last one the host's,
    /// and all ports there are lead somewhere.
    #[test]
    fn paths_go_up_and_down() {
        let mut used = BTreeSet::new();
        for from in (0..HOSTS).step_by(5) {
            for to in (0..HOSTS).filter(|&to| to != from) {
                let mut path = Vec::new();
                ports(from, to, |port| path.push(port));
                assert_eq!(path.pop(), Some(to));
                let levels: Vec<usize> = path.iter().map(|port| port / HOSTS).collect();
                let expected: &[usize] = match path.len() {
                    0 => &[],
                    2 => &[1, 3],
                    _ => &[1, 2, 4, 3],
                };
                assert_eq!(levels, expected);
                assert_eq!(path.is_empty(), from / 18 == to / 18);
                used.extend(path);
                used.insert(to);
            }
        }
        assert!(used.iter().all(|&port| port < PORTS));
        // A spine has 36 ports, a leaf 18 up; where links are picked by destination, all are used.
        let of_level = |level: usize| used.iter().filter(|&&port| port / HOSTS == level).count();
        assert_eq!([0, 1, 3].map(of_level), [HOSTS; 3]);
    }
}
