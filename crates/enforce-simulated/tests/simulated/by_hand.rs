//! Rates that a pencil finds.

use crate::fabrics::*;
use bandwise_enforce_simulated::Simulated;
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;

/// Checks rates up to rounding, and packets up to whole packets and messages.
fn gives(network: &Simulated, all: &[(usize, usize, u16)], expected: &[f64]) {
    let all: Vec<_> = all.iter().map(|&(from, to, level)| connection(from, to, level)).collect();
    let traffic = network.traffic(&all).unwrap();
    let flows = traffic.flows();
    assert!(flows.is_at_rest);
    let found = gbps(&flows.rates);
    assert!(are_near(&found, expected, 1e-6), "{found:?}");
    let found = gbps(&traffic.packets(traffic.times()).unwrap());
    assert!(are_near(&found, expected, 0.02), "packet by packet {found:?}");
}

/// Three hosts at one switch.
fn three(first: u64) -> Simulated {
    network(row(&[(0, first), (0, 100), (0, 100)], &[]))
}

#[test]
fn weights_at_one_port_set_the_rates() {
    let mut network = three(100);
    let both = [(0, 2, 0), (1, 2, 1)];
    // The original configuration has one queue.
    gives(&network, &both, &[50.0, 50.0]);
    // The port stores weights in lowest terms.
    write(&mut network, "s0:3", config(&[255, 85]));
    gives(&network, &both, &[75.0, 25.0]);
    write(&mut network, "s0:3", config(&[1, 9]));
    gives(&network, &both, &[10.0, 90.0]);
    // A lone connection gets the whole link, whatever its weight.
    gives(&network, &both[..1], &[100.0]);
    write(&mut network, "s0:3", PortConfig::default());
    gives(&network, &both, &[50.0, 50.0]);
}

#[test]
fn traffic_snapshot_is_unaffected_by_later_writes() {
    let mut network = three(100);
    write(&mut network, "s0:3", config(&[3, 1]));
    let traffic = network.traffic(&[connection(0, 2, 0), connection(1, 2, 1)]).unwrap();
    write(&mut network, "s0:3", config(&[1, 3]));
    assert!(are_near(&gbps(&traffic.flows().rates), &[75.0, 25.0], 1e-6));
}

#[test]
fn unweighted_links_share_max_min_with_host_links() {
    let mut network = three(10);
    write(&mut network, "s0:3", config(&[1, 1]));
    // The second connection gets the bandwidth that the first can't use.
    gives(&network, &[(0, 2, 0), (1, 2, 1)], &[10.0, 90.0]);
    let all =
        [(0, 2, 0), (1, 2, 1), (1, 2, 1)].map(|(from, to, level)| connection(from, to, level));
    let traffic = network.traffic(&all).unwrap();
    assert!(are_near(&gbps(&traffic.max_min()), &[10.0, 45.0, 45.0], 1e-6));
    assert_eq!(traffic.loads(&traffic.max_min()).into_iter().max(), Some(100_000_000_000));
}

#[test]
fn connections_of_one_queue_share_its_weight() {
    let mut network = network(row(&[(0, 100); 4], &[]));
    // Levels 0 and 1 in one queue of weight 3, level 2 in one of weight 1.
    let table = [(0, 0), (1, 0), (2, 1)].map(|(level, queue)| (PriorityLevel(level), queue));
    let config = PortConfig { table: table.to_vec().into(), weights: vec![3, 1] };
    write(&mut network, "s0:4", config);
    gives(&network, &[(0, 3, 0), (1, 3, 1), (2, 3, 2)], &[37.5, 37.5, 25.0]);
    // A level that the port does not know is in its first queue.
    gives(&network, &[(0, 3, 0), (1, 3, 9), (2, 3, 2)], &[37.5, 37.5, 25.0]);
}

/// Weights are 1:1 at the link between the switches and 3:1 at the host. Of two connections that share the link, one
/// gets 25 Gbps at the host, and the other gets the rest of the link.
#[test]
fn ports_with_different_weights_give_expected_rates() {
    let mut network = network(row(&[(0, 100), (0, 100), (1, 100), (1, 100), (1, 100)], &[100]));
    write(&mut network, "s0:7", config(&[1, 1, 1]));
    write(&mut network, "s1:4", config(&[1, 1, 3]));
    gives(&network, &[(0, 3, 0), (1, 4, 1), (2, 3, 2)], &[25.0, 75.0, 75.0]);
}
