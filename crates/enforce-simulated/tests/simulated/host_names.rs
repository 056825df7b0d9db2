//! Hosts with further names.

use bandwise_enforce_simulated::Simulated;
use bandwise_switches::{Fault, Named, Switches};
use bandwise_topology::{FabricBuilder, Port};
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use std::sync::Arc;

#[test]
fn a_host_is_found_by_any_of_its_names() {
    let mut fabric = FabricBuilder::new();
    let hosts = ["h1", "h2"].map(|name| fabric.add_host(name, 1).unwrap());
    let (rate, delay) = ("100 Gbps".parse().unwrap(), "10 ns".parse().unwrap());
    let [one, other] = hosts.map(|node| Port { node, number: 1 });
    fabric.connect(one, other, rate, delay).unwrap();
    let network = Simulated::new(fabric.build().unwrap(), NonZeroU8::MIN);
    let names = BTreeMap::from([("10.0.0.2".into(), "h2".into()), ("gone".into(), "h3".into())]);
    let mut named = Named::new(network.clone(), Arc::new(names));
    let way = network.clone().path("h1", "h2");
    assert!(way.is_ok());
    assert_eq!([named.path("h1", "h2"), named.path("h1", "10.0.0.2")], [way.clone(), way.clone()]);
    // The network's own name counts.
    let names = BTreeMap::from([("h2".into(), "h1".into()), ("10.0.0.2".into(), "h2".into())]);
    let mut misled = Named::new(network.clone(), Arc::new(names));
    assert_eq!(
        [misled.path("h1", "h2"), misled.path("h1", "10.0.0.2")],
        [way.clone(), way.clone()]
    );
    assert_eq!(named.path("h1", "gone"), Err(Fault::NoSuchHost("h3".into())));
    assert_eq!(named.path("h1", "10.0.0.3"), Err(Fault::NoSuchHost("10.0.0.3".into())));
}
