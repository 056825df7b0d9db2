//! Rates against a simple filling algorithm, and invariants of any rates.

use crate::fabrics::*;
use bandwise_enforce_simulated::Traffic;
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use bandwise_switches::Switches;
use bandwise_topology::Fabric;
use proptest::prelude::*;
use proptest::sample::Index;

/// Hosts at one to three switches in a row, of unlike rates.
fn fabrics() -> impl Strategy<Value = Fabric> {
    let gbps = || prop::sample::select(vec![10u64, 25, 40, 100]);
    (1usize..=3).prop_flat_map(move |switches| {
        let hosts = prop::collection::vec((0..switches, gbps()), 2..8);
        let between = prop::collection::vec(gbps(), switches - 1);
        (hosts, between).prop_map(|(hosts, between)| row(&hosts, &between))
    })
}

/// From one host to another.
fn ends() -> impl Strategy<Value = (Index, Index)> {
    (any::<Index>(), any::<Index>())
}

fn between(fabric: &Fabric, (from, by): &(Index, Index)) -> (usize, usize) {
    let hosts = fabric.hosts().len();
    let from = from.index(hosts);
    (from, (from + 1 + by.index(hosts - 1)) % hosts)
}

/// All grow by their weights until a link is full; those that cross it have what they have, the others grow on.
fn filled(traffic: &Traffic, weights: &[u8]) -> Vec<f64> {
    let count = traffic.connections();
    let mut rates = vec![None; count];
    while rates.contains(&None) {
        let level = |link: u32| {
            let over = (0..count).filter(|&at| traffic.path(at).contains(&link));
            let (mut left, mut growing) = (traffic.rate(link).as_gbps_f64(), 0.0);
            for at in over {
                match rates[at] {
                    Some(rate) => left -= rate,
                    None => growing += f64::from(weights[at]),
                }
            }
            (growing > 0.0).then(|| left / growing)
        };
        let links = rates.iter().enumerate().filter(|(_, rate)| rate.is_none());
        let links = links.flat_map(|(at, _)| traffic.path(at).iter().copied());
        let levels: Vec<(u32, f64)> = links.filter_map(|l| Some((l, level(l)?))).collect();
        let least = levels.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a }).unwrap();
        for at in (0..count).filter(|&at| traffic.path(at).contains(&least.0)) {
            rates[at].get_or_insert(least.1 * f64::from(weights[at]));
        }
    }
    rates.into_iter().flatten().collect()
}

/// Checks that no link exceeds its rate, and each connection crosses a full link.
fn is_sound(traffic: &Traffic, rates: &[f64], loads: &[u64]) -> Result<(), TestCaseError> {
    for (link, &load) in (0..).zip(loads) {
        let rate = traffic.rate(link).as_bps();
        prop_assert!(load <= rate, "{load} of {rate} at {}", traffic.port(link));
    }
    for at in 0..traffic.connections() {
        let full = |&&link: &&u32| {
            loads[link as usize] as f64 >= 0.9999 * traffic.rate(link).as_bps() as f64
        };
        prop_assert!(traffic.path(at).iter().any(|link| full(&link)), "{at} of {rates:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A queue for each connection, of the same weight at all ports.
    #[test]
    fn queues_are_filled_by_weight(
        fabric in fabrics(),
        drawn in prop::collection::vec((ends(), 1u8..=20), 1..12),
    ) {
        let all: Vec<_> = (0..).zip(&drawn).map(|(level, (ends, _))| {
            let (from, to) = between(&fabric, ends);
            connection(from, to, level)
        }).collect();
        let weights: Vec<u8> = drawn.iter().map(|of| of.1).collect();
        let mut network = network(fabric);
        write_all(&mut network, &config(&weights));
        let traffic = network.traffic(&all).unwrap();
        let found = gbps(&traffic.flows().rates);
        let expected = filled(&traffic, &weights);
        prop_assert!(are_near(&found, &expected, 1e-4), "{found:?}, not {expected:?}");
        let found = gbps(&traffic.max_min());
        let expected = filled(&traffic, &vec![1; weights.len()]);
        prop_assert!(are_near(&found, &expected, 1e-4), "{found:?}, not {expected:?}");
    }

    /// Any queues and weights at any port.
    #[test]
    fn links_are_never_exceeded_and_fully_used(
        fabric in fabrics(),
        drawn in prop::collection::vec((ends(), 0u16..6), 1..20),
        ports in prop::collection::vec(prop::collection::vec((0u8..4, 1u8..=255), 4), 40),
    ) {
        let all: Vec<_> = drawn.iter().map(|(ends, level)| {
            let (from, to) = between(&fabric, ends);
            connection(from, to, *level)
        }).collect();
        let mut network = network(fabric);
        for (port, drawn) in network.discover().unwrap().into_iter().zip(&ports) {
            let queue = |(level, of): (u16, &(u8, u8))| (PriorityLevel(level), of.0);
            let table: Vec<_> = (0..).zip(drawn).map(queue).collect();
            let queues = table.iter().map(|of| usize::from(of.1) + 1).max().unwrap_or(0);
            let weights = drawn.iter().map(|of| of.1).take(queues).collect();
            write(&mut network, &port.name, PortConfig { table: table.into(), weights });
        }
        let traffic = network.traffic(&all).unwrap();
        let flows = traffic.flows();
        if flows.is_at_rest {
            is_sound(&traffic, &gbps(&flows.rates), &traffic.loads(&flows.rates))?;
        }
        let fair = traffic.max_min();
        is_sound(&traffic, &gbps(&fair), &traffic.loads(&fair))?;
    }
}
