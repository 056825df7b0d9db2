//! Routes against a plain breadth-first search, and credit loops against known ones.

use crate::fabrics::{cable, random};
use bandwise_topology::routes::{NO_ROUTE, Routes, RoutesError, credit_loop, farthest_hosts};
use bandwise_topology::{Fabric, FabricBuilder, MAX_PORTS, NodeId, Port, builders};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

/// Returns the number of cables from one host to every node, by a plain search.
fn distances(fabric: &Fabric, from: NodeId) -> BTreeMap<NodeId, usize> {
    let mut found = BTreeMap::from([(from, 0)]);
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        let hops = found[&node];
        let egress: Vec<Port> = if fabric.is_switch(node) {
            fabric.ports(node).collect()
        } else if node == from {
            vec![fabric.host_port(node)]
        } else {
            Vec::new()
        };
        for (peer, _) in egress.into_iter().filter_map(|p| fabric.peer(p)) {
            let enters = fabric.is_switch(peer.node) || fabric.host_port(peer.node) == peer;
            if enters && !found.contains_key(&peer.node) {
                found.insert(peer.node, hops + 1);
                queue.push_back(peer.node);
            }
        }
    }
    found
}

fn pairs(fabric: &Fabric) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
    fabric.hosts().iter().flat_map(|&s| fabric.hosts().iter().map(move |&d| (s, d)))
}

/// Returns the number of host pairs by egress port.
fn loads(fabric: &Fabric, routes: &Routes) -> BTreeMap<Port, usize> {
    let mut loads = BTreeMap::new();
    for port in pairs(fabric).flat_map(|(src, dst)| routes.path(fabric, src, dst)) {
        *loads.entry(port).or_default() += 1;
    }
    loads
}

/// Returns the tables by the rule of [`Routes::shortest`], host by host and switch by switch.
fn slow_tables(fabric: &Fabric) -> Vec<u16> {
    let hosts = fabric.hosts();
    let at = |host| fabric.peer(fabric.host_port(host)).unwrap().0;
    let mut order: Vec<usize> = (0..hosts.len()).collect();
    order.sort_by_key(|&h| hosts.iter().position(|&o| at(o).node == at(hosts[h]).node));
    let mut pairs: BTreeMap<Port, usize> = BTreeMap::new();
    let mut tables = vec![NO_ROUTE; fabric.switches().len() * hosts.len()];
    for dst in order {
        if !fabric.is_switch(at(hosts[dst]).node) {
            continue; // a cable between two hosts
        }
        let root = at(hosts[dst]);
        // Cables are full-duplex: the distance to a host is that from it.
        let hops = distances(fabric, hosts[dst]);
        let mut switches: Vec<NodeId> =
            fabric.switches().iter().copied().filter(|s| hops.contains_key(s)).collect();
        switches.sort_by_key(|s| std::cmp::Reverse(hops[s]));
        let mut sources: BTreeMap<NodeId, usize> = BTreeMap::new();
        hosts.iter().for_each(|&host| *sources.entry(at(host).node).or_default() += 1);
        for s in switches {
            let nearer = |port: &Port| {
                let far = fabric.peer(*port).unwrap().0.node;
                fabric.is_switch(far) && hops[&far] < hops[&s]
            };
            let carried = sources.get(&s).copied().unwrap_or(0);
            let egress = if s == root.node {
                root
            } else {
                let ports = fabric.ports(s).filter(nearer);
                let egress =
                    ports.min_by_key(|port| (pairs.get(port).copied().unwrap_or(0), port.number));
                let egress = egress.expect("a port leads nearer");
                *sources.entry(fabric.peer(egress).unwrap().0.node).or_default() += carried;
                egress
            };
            *pairs.entry(egress).or_default() += carried;
            tables[fabric.rank(s) * hosts.len() + dst] = egress.number;
        }
    }
    tables
}

fn check_shortest(fabric: &Fabric) {
    let routes = Routes::shortest(fabric);
    assert_eq!(routes.tables().collect::<Vec<_>>(), slow_tables(fabric));
    for &src in fabric.hosts() {
        let hops = distances(fabric, src);
        for &dst in fabric.hosts() {
            let path = routes.path(fabric, src, dst);
            assert_eq!(path.len(), hops[&dst], "{src:?} to {dst:?}");
            if let Some(&last) = path.last() {
                assert_eq!(path[0], fabric.host_port(src));
                assert_eq!(fabric.peer(last).unwrap().0, fabric.host_port(dst));
            }
        }
    }
    assert_eq!(Routes::from_tables(fabric, routes.tables().collect()), Ok(routes));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_pair_is_reached_in_fewest_hops(fabric in random(MAX_PORTS)) {
        check_shortest(&fabric);
    }
}

#[test]
fn shapes_are_routed_in_fewest_hops() {
    let (rate, delay) = cable();
    check_shortest(&builders::back_to_back(rate, delay).unwrap());
    check_shortest(&builders::single_switch(5, rate, delay).unwrap());
    check_shortest(&builders::fat_tree(4, rate, delay).unwrap());
    check_shortest(&builders::leaf_spine(4, 3, 2, rate, delay).unwrap());
    // Up ports 3 to 80 and 3 to 512: ties among more than a word, and numbers beyond a byte.
    check_shortest(&builders::leaf_spine(3, 78, 2, rate, delay).unwrap());
    check_shortest(&builders::leaf_spine(2, 510, 2, rate, delay).unwrap());
    check_shortest(&builders::single_switch(130, rate, delay).unwrap());
}

/// Checks the farthest hosts pair by pair: of the farthest pairs the one with the first second
/// host, and then one whose first host is at the first switch.
fn check_farthest(fabric: &Fabric) {
    let at = |host| fabric.peer(fabric.host_port(host)).unwrap().0.node;
    let apart = |src, dst| distances(fabric, src)[&dst];
    let others = pairs(fabric).filter(|(src, dst)| src != dst);
    let first = |(src, dst)| (std::cmp::Reverse(apart(src, dst)), dst, at(src));
    let expected = others.map(first).min();
    assert_eq!(farthest_hosts(fabric).map(|[src, dst]| first((src, dst))), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_farthest_hosts_are_those_of_all_pairs(fabric in random(MAX_PORTS)) {
        check_farthest(&fabric);
    }
}

#[test]
fn the_farthest_hosts_of_shapes() {
    let (rate, delay) = cable();
    check_farthest(&builders::back_to_back(rate, delay).unwrap());
    check_farthest(&builders::single_switch(1, rate, delay).unwrap());
    check_farthest(&builders::single_switch(3, rate, delay).unwrap());
    check_farthest(&builders::fat_tree(4, rate, delay).unwrap());
    check_farthest(&builders::leaf_spine(3, 2, 2, rate, delay).unwrap());
}

#[test]
fn ties_are_spread_evenly_over_a_fat_tree() {
    let (rate, delay) = cable();
    for k in [4u16, 6, 8] {
        let fabric = builders::fat_tree(k, rate, delay).unwrap();
        let routes = Routes::shortest(&fabric);
        let loads = loads(&fabric, &routes);
        let n = usize::from(k);
        let hosts = n * n * n / 4;
        let (in_edge, in_pod) = (n / 2, n * n / 4);
        for (&port, &load) in &loads {
            let name = &fabric.node(port.node).name;
            let up = usize::from(port.number) > n / 2;
            // Pairs at each level, over the ports that share them.
            let even = match &name[..1] {
                "h" => hosts - 1,
                "e" if !up => hosts - 1,
                "e" => in_edge * (hosts - in_edge) / (n / 2),
                "a" if !up => in_edge * (hosts - in_edge) / (n / 2),
                _ => in_pod * (hosts - in_pod) / (n * n / 4),
            };
            assert_eq!(load, even, "k={k}: {}", fabric.describe(port));
        }
        assert_eq!(loads.len(), 2 * fabric.links().len(), "every cable is used both ways");
    }
}

/// Leaves of 128 ports, half of them up: 64 hosts of one leaf send to 64 of the other over 64 spines,
/// so that each cable carries 64 * 64 / 64 = 64 pairs each way.
#[test]
fn ties_are_spread_over_leaves_of_128_ports() {
    let (rate, delay) = cable();
    let fabric = builders::leaf_spine(2, 64, 64, rate, delay).unwrap();
    let loads = loads(&fabric, &Routes::shortest(&fabric));
    let up: Vec<usize> = loads
        .iter()
        .filter(|(port, _)| fabric.node(port.node).name.starts_with("leaf") && port.number > 64)
        .map(|(_, &load)| load)
        .collect();
    assert_eq!(up, [64; 128]);
}

#[test]
fn ties_are_spread_over_parallel_cables() {
    let (rate, delay) = cable();
    let mut builder = FabricBuilder::new();
    let [s, t] = ["s", "t"].map(|n| builder.add_switch(n, 8).unwrap());
    for i in 0..4u16 {
        let host = Port { node: builder.add_host(format!("h{i}"), 1).unwrap(), number: 1 };
        let node = if i < 2 { s } else { t };
        builder.connect(host, Port { node, number: 1 + i % 2 }, rate, delay).unwrap();
    }
    for number in [5, 8] {
        let ends = [s, t].map(|node| Port { node, number });
        builder.connect(ends[0], ends[1], rate, delay).unwrap();
    }
    let fabric = builder.build().unwrap();
    let loads = loads(&fabric, &Routes::shortest(&fabric));
    for (node, number) in [(s, 5), (s, 8), (t, 5), (t, 8)] {
        assert_eq!(loads[&Port { node, number }], 2);
    }
}

/// Neighbours in the numbering are not neighbours in the fabric.
#[test]
fn ties_are_spread_whatever_the_order_of_the_hosts() {
    let (rate, delay) = cable();
    let mut builder = FabricBuilder::new();
    let leaves = ["leaf0", "leaf1"].map(|n| builder.add_switch(n, 6).unwrap());
    for i in 0..8u16 {
        let host = Port { node: builder.add_host(format!("h{i}"), 1).unwrap(), number: 1 };
        let node = leaves[usize::from(i % 2)];
        builder.connect(host, Port { node, number: 3 + i / 2 }, rate, delay).unwrap();
    }
    for number in [1, 2] {
        let spine = builder.add_switch(format!("spine{number}"), 2).unwrap();
        for (&node, down) in leaves.iter().zip(1u16..) {
            let spine = Port { node: spine, number: down };
            builder.connect(Port { node, number }, spine, rate, delay).unwrap();
        }
    }
    let fabric = builder.build().unwrap();
    check_shortest(&fabric);
    let loads = loads(&fabric, &Routes::shortest(&fabric));
    for node in leaves {
        for number in [1, 2] {
            assert_eq!(loads[&Port { node, number }], 8, "of 16 pairs that cross");
        }
    }
}

#[test]
fn up_and_down_routes_have_no_credit_loop() {
    let (rate, delay) = cable();
    for fabric in [
        builders::back_to_back(rate, delay),
        builders::single_switch(8, rate, delay),
        builders::leaf_spine(8, 4, 4, rate, delay),
        builders::fat_tree(4, rate, delay),
        builders::fat_tree(6, rate, delay),
        builders::leaf_spine(3, 100, 80, rate, delay),
    ] {
        let fabric = fabric.unwrap();
        assert_eq!(credit_loop(&fabric, &Routes::shortest(&fabric)), None);
    }
}

/// Four switches in a ring with a host each in port 1; port 2 leads to the next one's port 3.
fn ring() -> Fabric {
    let (rate, delay) = cable();
    let mut builder = FabricBuilder::new();
    let switches: Vec<_> =
        (0..4).map(|i| builder.add_switch(format!("s{i}"), 3).unwrap()).collect();
    for (i, &node) in switches.iter().enumerate() {
        let host = builder.add_host(format!("h{i}"), 1).unwrap();
        let up = Port { node: host, number: 1 };
        builder.connect(up, Port { node, number: 1 }, rate, delay).unwrap();
        let next = Port { node: switches[(i + 1) % 4], number: 3 };
        builder.connect(Port { node, number: 2 }, next, rate, delay).unwrap();
    }
    builder.build().unwrap()
}

/// Returns the switches of a ring of [`ring`], whose cables are in ports 298 to 300 of 300.
fn ring_of_high_ports() -> Fabric {
    let (rate, delay) = cable();
    let mut builder = FabricBuilder::new();
    for node in ring().nodes() {
        let ports = if node.kind == bandwise_topology::NodeKind::Switch { 300 } else { 1 };
        builder.add(node.name.clone(), node.kind, ports).unwrap();
    }
    for link in ring().links() {
        let high = |end: Port| match builder.port_count(end.node) {
            300 => Port { number: 297 + end.number, ..end },
            _ => end,
        };
        let [from, to] = link.ends.map(high);
        builder.connect(from, to, rate, delay).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn a_ring_of_high_ports_has_a_credit_loop() {
    let fabric = ring_of_high_ports();
    let table = one_way().into_iter().map(|port| 297 + port).collect();
    let routes = Routes::from_tables(&fabric, table).unwrap();
    let looped = credit_loop(&fabric, &routes).expect("a ring");
    let names: Vec<String> = looped.iter().map(|&p| fabric.describe(p)).collect();
    assert_eq!(names, ["s0:299", "s1:299", "s2:299", "s3:299"]);
}

/// All packets go round the ring in one direction.
fn one_way() -> Vec<u16> {
    (0..16).map(|i| if i / 4 == i % 4 { 1 } else { 2 }).collect()
}

#[test]
fn a_ring_has_a_credit_loop() {
    let fabric = ring();
    let routes = Routes::from_tables(&fabric, one_way()).unwrap();
    assert_eq!(routes.path(&fabric, fabric.hosts()[1], fabric.hosts()[0]).len(), 5);
    let looped = credit_loop(&fabric, &routes).expect("a ring");
    let names: Vec<String> = looped.iter().map(|&p| fabric.describe(p)).collect();
    assert_eq!(names, ["s0:2", "s1:2", "s2:2", "s3:2"]);
}

#[test]
fn open_ring_has_no_credit_loop() {
    // No packet crosses the cable between s3 and s0.
    let toward = |s: usize, h: usize| match s.cmp(&h) {
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Less => 2,
        std::cmp::Ordering::Greater => 3,
    };
    let fabric = ring();
    let table = (0..16).map(|i| toward(i / 4, i % 4)).collect();
    let routes = Routes::from_tables(&fabric, table).unwrap();
    assert_eq!(credit_loop(&fabric, &routes), None);
}

#[test]
fn tables_that_lose_packets_are_refused() {
    let fabric = ring();
    let refused = |entry: usize, port: u16| {
        let mut table = one_way();
        table[entry] = port;
        Routes::from_tables(&fabric, table).unwrap_err().to_string()
    };
    // Entry 4·s + h is the port of switch s for host h.
    assert_eq!(
        refused(1, NO_ROUTE),
        "switch \"s0\" gets packets for host \"h1\" and has no route to it"
    );
    assert_eq!(
        refused(1, 9),
        "switch \"s0\" sends packets for host \"h1\" to port 9, where no cable is"
    );
    // 257 is 1 in a byte.
    assert_eq!(
        refused(1, 257),
        "switch \"s0\" sends packets for host \"h1\" to port 257, where no cable is"
    );
    assert_eq!(refused(1, 1), "packets for host \"h1\" arrive at port h0:1");
    assert_eq!(refused(1, 3), "packets for host \"h1\" come back to switch \"s0\"");
    let short = Routes::from_tables(&fabric, vec![1; 15]).unwrap_err();
    assert_eq!(short, RoutesError::Size { entries: 15, switches: 4, hosts: 4 });
}

/// The four million pairs must not be traversed switch by switch more than once.
#[test]
fn two_thousand_hosts_are_routed_quickly() {
    let (rate, delay) = cable();
    let fabric = builders::fat_tree(20, rate, delay).unwrap();
    assert_eq!(fabric.hosts().len(), 2_000);
    let routes = Routes::shortest(&fabric);
    assert_eq!(credit_loop(&fabric, &routes), None);
    assert_eq!(Routes::from_tables(&fabric, routes.tables().collect()), Ok(routes));
}
