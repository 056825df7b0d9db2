//! Head-of-line blocking at hosts.

use crate::nets::{LINKS, capacities, flows, network};
use bandwise_flowsim::policy::{Blocking, MaxMin};
use bandwise_flowsim::{FlowSpec, Network, Simulation};
use bandwise_units::{BitRate, Bytes};
use proptest::prelude::*;

/// Host 0 sends to two hosts, one of which two others also send to. Each flow gets a third,
/// although max-min fairness would give the first flow two thirds.
#[test]
fn flow_waits_behind_one_to_a_busy_host() {
    let (free, busy) = (3, 4);
    let network = Network::new(vec![BitRate::from_gbps(3); 5]).unwrap();
    let paths = [[0, free], [0, busy], [1, busy], [2, busy]];
    let spec = |path: &'static [u32; 2]| FlowSpec {
        path,
        bytes: Bytes::new(1_000_000),
        class: 0,
        group: 0,
        cap: None,
    };
    let paths: &'static [[u32; 2]; 4] = Box::leak(Box::new(paths));
    let mut blocking = Simulation::new(network.clone(), Blocking);
    let mut fair = Simulation::new(network, MaxMin);
    let ids: Vec<_> = paths.iter().map(|path| blocking.start(spec(path))).collect();
    let others: Vec<_> = paths.iter().map(|path| fair.start(spec(path))).collect();
    let gbps: Vec<f64> = ids.iter().map(|&id| blocking.rate(id).as_gbps_f64()).collect();
    assert_eq!(gbps, [1.0, 1.0, 1.0, 1.0]);
    let gbps: Vec<f64> = others.iter().map(|&id| fair.rate(id).as_gbps_f64()).collect();
    assert_eq!(gbps, [2.0, 1.0, 1.0, 1.0]);
}

proptest! {
    /// Flows of one host have one rate and no link exceeds its capacity. No host's rate can grow
    /// unless that of a host with no higher rate shrinks.
    #[test]
    fn flows_of_a_host_share_the_slowest_rate(
        capacities in capacities(), flows in flows(12),
    ) {
        let mut simulation = Simulation::new(network(&capacities), Blocking);
        let ids: Vec<_> = flows.iter().map(|flow| simulation.start(flow.spec())).collect();
        let rates: Vec<u64> = ids.iter().map(|&id| simulation.rate(id).as_bps()).collect();
        let of_host = |host: u32| -> Vec<usize> {
            (0..flows.len()).filter(|&i| flows[i].path[0] == host).collect()
        };
        let load = |link: u32| -> u64 {
            (0..flows.len()).filter(|&i| flows[i].path.contains(&link)).map(|i| rates[i]).sum()
        };
        for link in 0..LINKS {
            prop_assert!(load(link) <= capacities[link as usize]);
        }
        for host in 0..LINKS {
            let own: Vec<u64> = of_host(host).into_iter().map(|i| rates[i]).collect();
            prop_assert!(own.windows(2).all(|pair| pair[0] == pair[1]), "{own:?}");
            let Some(&rate) = own.first() else { continue };
            let is_limited = of_host(host).into_iter().flat_map(|i| flows[i].path.clone()).any(|link| {
                // Rates are rounded down to whole bits.
                let full = load(link) + 2 * flows.len() as u64 >= capacities[link as usize];
                let crossing = (0..flows.len()).filter(|&i| flows[i].path.contains(&link));
                full && crossing.map(|i| rates[i]).all(|other| other <= rate + 1)
            });
            prop_assert!(is_limited, "host {host} at {rate} has no limiting link");
        }
    }
}
