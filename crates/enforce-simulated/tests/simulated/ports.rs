//! A network in memory does what others do: what is written reads back in lowest terms, what is refused changes nothing.

use crate::fabrics::config;
use bandwise_enforce_simulated::Simulated;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Fault, Left, Plan, Switches, Wanted};
use bandwise_topology::builders;
use std::num::NonZeroU8;

fn network() -> Simulated {
    let (rate, delay) = ("100 Gbps".parse().unwrap(), "10 ns".parse().unwrap());
    let fabric = builders::leaf_spine(2, 2, 2, rate, delay).unwrap();
    Simulated::new(fabric, NonZeroU8::new(2).unwrap())
}

#[test]
fn discovery_finds_all_output_ports_and_paths() {
    let mut network = network();
    let ports = network.discover().unwrap();
    // Four hosts, and at two leaves and two spines four and two cables.
    assert_eq!(ports.len(), 4 + 2 * 4 + 2 * 2);
    assert!(ports.is_sorted_by_key(|port| port.id));
    for port in &ports {
        assert_eq!((network.named(&port.name), port.queues.get()), (Some(port.id), 2));
    }
    let name = |id: &PortId| ports.iter().find(|port| port.id == *id).unwrap().name.clone();
    let near: Vec<String> = network.path("h0", "h1").unwrap().iter().map(name).collect();
    assert_eq!(near, ["h0:1", "leaf0:2"]);
    assert_eq!(network.path("h0", "h3").unwrap().len(), 4);
    for (from, to) in [("h0", "h9"), ("leaf0", "h1")] {
        assert!(matches!(network.path(from, to), Err(Fault::NoSuchHost(_))), "{from}");
    }
    assert!(matches!(network.path("h0", "h0"), Err(Fault::NoPath { .. })));
    assert_eq!(network.read_back(PortId(1 << 40)), Err(Fault::NoSuchPort(PortId(1 << 40))));
    assert_eq!(
        (network.named("h0:2"), network.named("h0"), network.named("x:1")),
        (None, None, None)
    );
}

#[test]
fn writes_read_back_and_refusals_change_nothing() {
    let mut network = network();
    let port = network.named("leaf0:2").unwrap();
    let share = |weights: &[u8]| Wanted::Shared(config(weights));
    let plan = network.plan(port, &share(&[30, 10])).unwrap();
    assert_eq!(plan.to_string(), "leaf0:2, weights: [] -> [3, 1]\n");
    let applied = network.apply(&plan).unwrap();
    assert_eq!((applied.is_written, applied.config), (true, config(&[3, 1])));
    assert!(network.plan(port, &share(&[6, 2])).unwrap().is_empty());
    // A clone is of the same network.
    assert_eq!(network.clone().read_back(port).unwrap(), config(&[3, 1]));
    for wrong in [&[1, 1, 1][..], &[1, 0]] {
        assert!(matches!(network.plan(port, &share(wrong)), Err(Fault::Unfit { .. })));
    }
    let plan = network.plan(port, &share(&[1])).unwrap();
    let refused = |result| matches!(result, Err(Fault::Refused { left: Left::AsBefore, .. }));
    network.refuse(port, true);
    assert!(refused(network.apply(&plan)));
    network.refuse(port, false);
    network.overwrite(port, config(&[1, 2]));
    assert!(refused(network.apply(&plan)), "the configuration has changed since");
    assert_eq!(network.read_back(port).unwrap(), config(&[1, 2]));
    let back = network.plan(port, &Wanted::AsFound).unwrap();
    network.apply(&back).unwrap();
    assert_eq!(network.read_back(port).unwrap(), PortConfig::default());
}
