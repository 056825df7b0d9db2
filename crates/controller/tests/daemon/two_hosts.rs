//! A network in memory: two hosts, each at a switch.

use bandwise_enforce_simulated::Simulated;
use bandwise_topology::{self as topology, Fabric, FabricBuilder};
use std::num::NonZeroU8;

pub(crate) const TABLE: &str =
    "application,share,time_s\nall,1,100\nall,0.5,200\nall,0.25,400\nall,0.125,800\n";

/// Two hosts at two switches, with a cable between those from port 1, 2 or 3 of the first.
pub(crate) fn fabric(by: u16) -> Fabric {
    let mut fabric = FabricBuilder::new();
    let hosts = ["h0", "h1"].map(|name| fabric.add_host(name, 1).unwrap());
    let switches = ["s0", "s1"].map(|name| fabric.add_switch(name, 4).unwrap());
    let (rate, delay) = ("100 Gbps".parse().unwrap(), "10 ns".parse().unwrap());
    let port = |node, number| topology::Port { node, number };
    for (host, switch) in hosts.into_iter().zip(switches) {
        fabric.connect(port(host, 1), port(switch, 4), rate, delay).unwrap();
    }
    fabric.connect(port(switches[0], by), port(switches[1], 1), rate, delay).unwrap();
    fabric.build().unwrap()
}

pub(crate) fn network() -> Simulated {
    Simulated::new(fabric(1), NonZeroU8::new(2).unwrap())
}
