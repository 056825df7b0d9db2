//! With one lane for each connection, packet-level rates equal the computed rates, as no connection waits behind
//! another's packets.

use crate::fabrics::*;
use bandwise_topology::Fabric;
use proptest::prelude::*;

/// A few hosts at one or two switches.
fn fabrics() -> impl Strategy<Value = Fabric> {
    let hosts = prop::collection::vec(0usize..2, 3..6);
    (hosts, prop::option::of(Just(100u64))).prop_map(|(hosts, between)| {
        let switch = |of: &usize| if between.is_some() { *of } else { 0 };
        let hosts: Vec<_> = hosts.iter().map(|of| (switch(of), 100)).collect();
        row(&hosts, between.as_slice())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn packets_match_computed_rates(
        fabric in fabrics(),
        drawn in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1u8..=5), 1..6),
    ) {
        let hosts = fabric.hosts().len();
        let all: Vec<_> = (0..).zip(&drawn).map(|(level, (from, by, _))| {
            let from = from.index(hosts);
            connection(from, (from + 1 + by.index(hosts - 1)) % hosts, level)
        }).collect();
        let weights: Vec<u8> = drawn.iter().map(|of| of.2).collect();
        let mut network = network(fabric);
        write_all(&mut network, &config(&weights));
        let traffic = network.traffic(&all).unwrap();
        let rates = gbps(&traffic.flows().rates);
        let packets = traffic.packets(traffic.times()).unwrap();
        prop_assert!(are_near(&gbps(&packets), &rates, 0.02), "{packets:?}, not {rates:?}");
        // Nothing is above a link, but for what the window's ends cut.
        for (link, load) in (0..).zip(traffic.loads(&packets)) {
            prop_assert!(load as f64 <= 1.001 * traffic.rate(link).as_bps() as f64);
        }
        prop_assert_eq!(packets, traffic.packets(traffic.times()).unwrap());
    }
}
