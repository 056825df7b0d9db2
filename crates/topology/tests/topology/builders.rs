//! The sizes of the topologies, and the builder's refusals.

use crate::fabrics::cable;
use bandwise_topology::{Fabric, FabricBuilder, FabricError, NodeKind, Port, Routes, builders};
use bandwise_units::{BitRate, Time};

fn counts(fabric: &Fabric) -> (usize, usize, usize) {
    (fabric.hosts().len(), fabric.switches().len(), fabric.links().len())
}

#[test]
fn fat_trees_have_the_counts_of_the_text_book() {
    let (rate, delay) = cable();
    for k in [2u16, 4, 6, 8, 20] {
        let n = usize::from(k);
        let fabric = builders::fat_tree(k, rate, delay).unwrap();
        // Three levels of k³/4 cables.
        assert_eq!(counts(&fabric), (n * n * n / 4, 5 * n * n / 4, 3 * n * n * n / 4), "k={k}");
        for &switch in fabric.switches() {
            assert_eq!(fabric.ports(switch).count(), n, "all ports of {switch:?} are in use");
            assert_eq!(fabric.port_count(switch), k);
        }
    }
    let six = builders::fat_tree(6, rate, delay).unwrap();
    assert_eq!(counts(&six), (54, 45, 162));
    for odd in [0, 1, 3, 64, 65_535] {
        let error = builders::fat_tree(odd, rate, delay).unwrap_err();
        assert_eq!(error.allowed(), "an even number from 2 to 62", "{error}");
    }
}

#[test]
fn fat_tree_hosts_are_placed_in_order() {
    let (rate, delay) = cable();
    let fabric = builders::fat_tree(4, rate, delay).unwrap();
    let at = |host: &str| {
        let host = fabric.find(host).unwrap();
        fabric.describe(fabric.peer(fabric.host_port(host)).unwrap().0)
    };
    assert_eq!(at("h0"), "edge0.0:1");
    assert_eq!(at("h3"), "edge0.1:2");
    assert_eq!(at("h15"), "edge3.1:2");
}

#[test]
fn built_shapes_have_expected_counts() {
    let (rate, delay) = cable();
    let pair = builders::back_to_back(rate, delay).unwrap();
    assert_eq!(counts(&pair), (2, 0, 1));
    let star = builders::single_switch(7, rate, delay).unwrap();
    assert_eq!(counts(&star), (7, 1, 7));
    let host = star.find("h6").unwrap();
    let (peer, link) = star.peer(star.host_port(host)).unwrap();
    assert_eq!((star.describe(peer).as_str(), link.rate, link.delay), ("switch:7", rate, delay));
    let clos = builders::leaf_spine(4, 2, 8, rate, delay).unwrap();
    assert_eq!(counts(&clos), (32, 6, 40));
    assert_eq!(clos.port_count(clos.find("leaf3").unwrap()), 10);
    assert_eq!(clos.port_count(clos.find("spine1").unwrap()), 4);
    for (error, allowed) in [
        (builders::single_switch(0, rate, delay), "1 to 512"),
        (builders::single_switch(513, rate, delay), "1 to 512"),
        (builders::leaf_spine(4, 508, 5, rate, delay), "1 to 4"),
        (builders::leaf_spine(513, 1, 1, rate, delay), "1 to 512"),
        (builders::leaf_spine(1, 0, 1, rate, delay), "1 to 511"),
        // 512 leaves of 256 hosts are 131,072 hosts.
        (builders::leaf_spine(512, 256, 256, rate, delay), "up to 65000 nodes"),
        (builders::directors(1, 512, rate, delay), "up to 65000 nodes"),
    ] {
        assert_eq!(error.unwrap_err().allowed(), allowed);
    }
    let still = builders::back_to_back(BitRate::from_bps(0), delay).unwrap_err();
    assert_eq!(still.to_string(), "the link between h0:1 and h1:1 has a rate of 0 bps");
    let far = builders::back_to_back(rate, Time::from_ms(1_001)).unwrap_err();
    assert_eq!(far.allowed(), "up to 1 s, such as \"10 ns\"");
}

#[test]
fn switches_have_up_to_512_ports() {
    let (rate, delay) = cable();
    let star = builders::single_switch(512, rate, delay).unwrap();
    let (peer, _) = star.peer(star.host_port(star.find("h511").unwrap())).unwrap();
    assert_eq!((counts(&star), star.describe(peer).as_str()), ((512, 1, 512), "switch:512"));
    // Leaves of 64 hosts and 64 spines have 128 ports: 128 leaves, 8,192 hosts and twice as many
    // cables.
    let clos = builders::leaf_spine(128, 64, 64, rate, delay).unwrap();
    assert_eq!(counts(&clos), (8_192, 192, 16_384));
    assert!(clos.switches().iter().all(|&switch| clos.port_count(switch) == 128));
    // The largest fat tree: 62³ / 4 hosts and 5 · 62² / 4 switches.
    let largest = builders::fat_tree(62, rate, delay).unwrap();
    assert_eq!((largest.hosts().len(), largest.switches().len()), (59_582, 4_805));
    let directors = builders::directors(1, 128, rate, delay).unwrap();
    assert_eq!(counts(&directors), (8_192, 128 + 128 + 64, 3 * 8_192));
}

/// Saba's 1,944 servers: every port is used, each top-of-rack switch has cables to 18 leaves, and
/// each leaf has cables from 18 of them.
#[test]
fn director_switches_have_equal_cables_up_and_down() {
    let (rate, delay) = cable();
    let fabric = builders::directors(3, 36, rate, delay).unwrap();
    assert_eq!(counts(&fabric), (1_944, 270, 1_944 + 2 * 1_944));
    for &switch in fabric.switches() {
        assert_eq!(fabric.port_count(switch), 36);
        let mut peers: Vec<_> =
            fabric.ports(switch).map(|port| fabric.peer(port).unwrap().0.node).collect();
        peers.sort();
        peers.dedup();
        assert_eq!(peers.len(), 36, "two cables between the same nodes");
    }
    let routes = Routes::shortest(&fabric);
    let at = |name| fabric.find(name).unwrap();
    assert_eq!(routes.path(&fabric, at("h0"), at("h17")).len(), 2);
    assert!(routes.path(&fabric, at("h0"), at("h1943")).len() <= 6);
    for (error, allowed) in [
        (builders::directors(3, 35, rate, delay), "an even number from 2 to 512"),
        (builders::directors(4, 36, rate, delay), "a divisor of 18, half the ports of a switch"),
        (builders::directors(0, 36, rate, delay), "1 to 18"),
        (builders::directors(1, 514, rate, delay), "1 to 512"),
    ] {
        assert_eq!(error.unwrap_err().allowed(), allowed);
    }
}

/// Two switches of 4 ports and two hosts of 2, not connected.
fn parts() -> (FabricBuilder, [Port; 4]) {
    let mut builder = FabricBuilder::new();
    let first = |node| Port { node, number: 1 };
    let ports = [
        first(builder.add_switch("s", 4).unwrap()),
        first(builder.add_switch("t", 4).unwrap()),
        first(builder.add_host("a", 2).unwrap()),
        first(builder.add_host("b", 2).unwrap()),
    ];
    (builder, ports)
}

fn port(number: u16, of: Port) -> Port {
    Port { number, ..of }
}

#[test]
fn builder_refuses_invalid_nodes_and_cables() {
    let (rate, delay) = cable();
    let (mut builder, [s, t, a, _]) = parts();
    let mut refused = |from, to| builder.connect(from, to, rate, delay).unwrap_err().to_string();
    assert_eq!(refused(port(5, s), a), "\"s\" has no port 5");
    assert_eq!(refused(port(0, s), a), "\"s\" has no port 0");
    assert_eq!(refused(s, port(2, s)), "s:1 is connected to its own node at s:2");
    assert_eq!(refused(s, s), "s:1 is connected to its own node at s:1");
    builder.connect(s, a, rate, delay).unwrap();
    let error = builder.connect(t, s, rate, delay).unwrap_err();
    assert_eq!(error.to_string(), "port s:1 is already connected to a:1");
    for (name, ports, message) in [
        ("s", 4, "two nodes have the name \"s\""),
        ("", 4, "\"\" can't be the name of a node"),
        (" x", 4, "\" x\" can't be the name of a node"),
        ("x\ny", 4, "\"x\\ny\" can't be the name of a node"),
        ("x", 0, "\"x\" can't have 0 ports"),
        ("x", 513, "\"x\" can't have 513 ports"),
    ] {
        let refused = builder.add(name.to_owned(), NodeKind::Switch, ports).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
}

#[test]
fn a_fabric_is_connected() {
    let (rate, delay) = cable();
    assert_eq!(FabricBuilder::new().build(), Err(FabricError::Empty));
    let (mut builder, [s, t, a, b]) = parts();
    builder.connect(s, a, rate, delay).unwrap();
    let lonely = builder.clone().build().unwrap_err();
    assert_eq!(lonely, FabricError::Unlinked { name: "b".into() });
    builder.connect(t, b, rate, delay).unwrap();
    let halves = builder.clone().build().unwrap_err();
    assert_eq!(halves, FabricError::Unreachable { from: "a".into(), to: "b".into() });
    // A host does not forward between switches, and its second port carries nothing.
    builder.connect(port(2, s), port(2, b), rate, delay).unwrap();
    assert!(builder.clone().build().is_err());
    builder.connect(port(4, s), port(4, t), rate, delay).unwrap();
    let fabric = builder.build().unwrap();
    assert_eq!(fabric.host_port(b.node), b);
    assert_eq!(fabric.ports(b.node).count(), 2);
}

#[test]
fn builder_call_order_does_not_matter() {
    let delay = Time::ZERO;
    let (mut one, [s, _, a, b]) = parts();
    let (mut other, _) = parts();
    one.connect(s, a, BitRate::from_gbps(1), delay).unwrap();
    one.connect(port(2, s), b, BitRate::from_gbps(2), delay).unwrap();
    other.connect(b, port(2, s), BitRate::from_gbps(2), delay).unwrap();
    other.connect(a, s, BitRate::from_gbps(1), delay).unwrap();
    assert_eq!(one.build().unwrap(), other.build().unwrap());
}

#[test]
fn more_nodes_than_a_subnet_has_are_refused() {
    let mut builder = FabricBuilder::new();
    for i in 0..bandwise_topology::MAX_NODES {
        builder.add_host(format!("h{i}"), 1).unwrap();
    }
    assert_eq!(builder.add_host("one more", 1), Err(FabricError::TooManyNodes));
}
