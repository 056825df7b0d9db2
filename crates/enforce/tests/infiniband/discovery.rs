//! Discovery of nodes and of paths between hosts, also when links move.

use crate::common::{config, lanes};
use crate::fake::{Fake, H1, H2, H3, S1, S2, TRICKS, Trick};
use bandwise_enforce::infiniband::{Guid, Patience, PortAt};
use bandwise_enforce::umad::InfiniBand;
use bandwise_saba::controller::PortId;
use bandwise_switches::{Fault, Plan, Switches, Wanted};
use proptest::prelude::*;

fn id(node: u64, port: u8) -> PortId {
    PortAt { node: Guid(node), port }.id()
}

fn fabric(fake: &Fake) -> InfiniBand<Fake> {
    InfiniBand::new(fake.clone(), lanes(), Patience::default())
}

const PORTS: [&str; 10] =
    ["h1:1", "h2:1", "h3:1", "s1:1", "s1:2", "s1:3", "s1:4", "s2:1", "s2:3", "s2:4"];

#[test]
fn discovery_finds_ports_links_and_paths() {
    let fake = Fake::new();
    let mut fabric = fabric(&fake);
    let ports = fabric.discover().unwrap();
    let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, PORTS);
    assert!(ports.iter().all(|port| port.queues.get() == 4));
    assert_eq!(ports[0].id, id(H1, 1));
    assert!(fabric.fabric().missing.is_empty());
    // The forward path uses one link between the switches, the reverse path the other.
    assert_eq!(fabric.path("h1", "h3"), Ok(vec![id(H1, 1), id(S1, 3), id(S2, 1)]));
    assert_eq!(fabric.path("h3", "h1"), Ok(vec![id(H3, 1), id(S1, 1), id(S2, 4)]));
    assert_eq!(fabric.path("h1", "0x12"), Ok(vec![id(H1, 1), id(S1, 2)]));
    assert_eq!(fabric.path("h1", "s1"), Err(Fault::NoSuchHost("s1".into())));
    assert!(matches!(fabric.path("h1", "h1"), Err(Fault::NoPath { .. })));
    assert_eq!(fabric.read_back(id(S1, 9)), Err(Fault::NoSuchPort(id(S1, 9))));
    // Circular tables give no path.
    fake.0.borrow_mut().nodes.get_mut(&S2).unwrap().forwarding.as_mut().unwrap()[3] = 3;
    fabric.discover().unwrap();
    assert!(matches!(fabric.path("h1", "h3"), Err(Fault::NoPath { .. })));
}

/// A host with several addresses has the ports on the paths to all of them.
#[test]
fn path_covers_all_addresses_of_a_host() {
    let fake = Fake::new();
    {
        let mut inner = fake.0.borrow_mut();
        let host = inner.nodes.get_mut(&H3).unwrap();
        (host.lid, host.lmc) = (6, 1);
        for (switch, to) in [(S1, [3, 4]), (S2, [1, 1])] {
            inner.nodes.get_mut(&switch).unwrap().forwarding.as_mut().unwrap().extend(to);
        }
    }
    let path = fabric(&fake).path("h1", "h3");
    assert_eq!(path, Ok(vec![id(H1, 1), id(S1, 3), id(S1, 4), id(S2, 1)]));
}

#[test]
fn ambiguous_names_include_the_guid() {
    let fake = Fake::new();
    fake.0.borrow_mut().nodes.get_mut(&H2).unwrap().name = "h3";
    let mut fabric = fabric(&fake);
    let ports = fabric.discover().unwrap();
    assert_eq!(ports[1].name, "h3 0x0000000000000012:1");
    assert_eq!(fabric.path("h1", "h3"), Err(Fault::NoSuchHost("h3".into())));
    assert!(fabric.path("h1", "h3 0x0000000000000012").is_ok());
}

#[test]
fn hosts_are_known_by_name_by_guid_and_by_each_address() {
    let fake = Fake::new();
    {
        let mut inner = fake.0.borrow_mut();
        let host = inner.nodes.get_mut(&H3).unwrap();
        (host.lid, host.lmc) = (6, 1);
        // A name that is another's address.
        inner.nodes.get_mut(&H2).unwrap().name = "1";
    }
    let mut fabric = fabric(&fake);
    fabric.discover().unwrap();
    let named = |name: &str| fabric.fabric().named(name).map(|guid| guid.0);
    for name in ["h3", "0x13", "0x0000000000000013", "h3 0x13", "6", "7"] {
        assert_eq!(named(name), Some(H3), "{name}");
    }
    assert_eq!((named("1"), named("4")), (Some(H2), Some(S1)));
    for name in ["", "8", "0", "h1 0x13", "0x14", "70000", "nobody"] {
        assert_eq!(named(name), None, "{name}");
    }
}

/// Two instances that use one port in turn each get the answers to their own requests.
#[test]
fn instances_on_one_port_get_their_own_answers() {
    let fake = Fake::new();
    let mut one = fabric(&fake);
    let mut other = one.another();
    assert_eq!(one.discover(), other.discover());
    let wanted = Wanted::Shared(config(&[(0, 0), (1, 1)], &[3, 1]));
    let plan = one.plan(id(H3, 1), &wanted).unwrap();
    one.apply(&plan).unwrap();
    assert_eq!(other.read_back(id(H3, 1)).unwrap().weights, [3, 1]);
    // Only the instance that wrote a port knows its original configuration.
    assert!(one.found().contains_key(&id(H3, 1)) && other.found().is_empty());
}

/// Hosts swap their ports, so the old route leads to the wrong host, which must not be written.
#[test]
fn changed_route_is_rediscovered_before_a_write() {
    let fake = Fake::new();
    let mut fabric = fabric(&fake);
    fabric.discover().unwrap();
    let wanted = Wanted::Shared(config(&[(0, 0)], &[1]));
    let plan = fabric.plan(id(H3, 1), &wanted).unwrap();
    {
        let mut inner = fake.0.borrow_mut();
        for (host, port) in [(H2, (S2, 1)), (H3, (S1, 2))] {
            inner.links.extend([((host, 1), port), (port, (host, 1))]);
        }
    }
    assert!(fabric.apply(&plan).unwrap().is_written);
    assert!(fake.0.borrow().written.keys().all(|(node, ..)| *node == H3));
    assert!(fabric.plan(id(H3, 1), &wanted).unwrap().is_empty());
    assert_eq!(fabric.fabric().links[&PortAt { node: Guid(H3), port: 1 }].node, Guid(S1));
    // A removed host is reported as missing, and its old route is not written.
    fake.0.borrow_mut().links.remove(&(S1, 2));
    let fault = fabric.plan(id(H3, 1), &wanted).unwrap_err();
    assert!(matches!(&fault, Fault::Unreadable { port, .. } if port == "h3:1"), "{fault}");
    let fault = fabric.plan(id(H3, 1), &wanted).unwrap_err();
    assert_eq!(fault, Fault::NoSuchPort(id(H3, 1)));
}

proptest! {
    /// For any fate of one SMP, discovery finds everything or reports the missing part.
    #[test]
    fn failed_discovery_reports_missing_nodes(at in 0usize..60, trick in prop::sample::select(TRICKS.as_slice())) {
        let fake = Fake::new();
        fake.0.borrow_mut().trick = Some((at, trick));
        let mut fabric = fabric(&fake);
        match fabric.discover() {
            Err(fault) => prop_assert!(matches!(fault, Fault::Unreadable { .. }), "{fault}"),
            Ok(ports) => {
                let is_whole = ports.len() == PORTS.len() && fabric.path("h1", "h3").is_ok();
                let is_told = !fabric.fabric().missing.is_empty();
                prop_assert!(is_whole || is_told, "{trick:?}");
                // A retransmitted request does no harm.
                prop_assert!(!is_told || matches!(trick, Trick::Refuse | Trick::Die));
            }
        }
    }
}
