//! Tests against ibsim by libibumad: a fabric that `tests/ib/run.sh` started, with `BANDWISE_TEST_FABRIC` set
//! to the port to write to, `NODE:PORT`. Without that these tests do nothing.
#![allow(missing_docs)]

use bandwise_enforce::infiniband::{Lanes, Patience};
use bandwise_enforce::umad::{InfiniBand, Umad};
use bandwise_rdma::qos::{Sl, Vl};
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_switches::{Plan, Port, Switches, Wanted};
use std::time::{Duration, Instant};

fn fabric() -> InfiniBand {
    let sls = (1..=8).map(|sl| Sl::try_from(sl).unwrap()).collect();
    let vls = (1..=4).map(|vl| Vl::try_from(vl).unwrap()).collect();
    let wire = Umad::open(None, None).unwrap();
    InfiniBand::new(wire, Lanes::new(sls, vls).unwrap(), Patience::default())
}

fn shared(table: &[(u16, u8)], weights: &[u8]) -> Wanted {
    let table = table.iter().map(|&(level, queue)| (PriorityLevel(level), queue)).collect();
    Wanted::Shared(PortConfig { table, weights: weights.to_vec() })
}

/// Tests of one fabric, one after another.
#[test]
fn ibsim_fabric_is_discovered_and_configured() {
    let Ok(name) = std::env::var("BANDWISE_TEST_FABRIC") else { return };
    let mut fabric = fabric();
    let begun = Instant::now();
    let ports = fabric.discover().unwrap();
    println!("  {} ports discovered in {:.1} ms", ports.len(), begun.elapsed().as_secs_f64() * 1e3);
    assert_eq!(fabric.fabric().missing, Vec::<String>::new());
    let again = fabric.discover().unwrap();
    assert_eq!(again, ports);
    let id = ports.iter().find(|port| port.name == name).expect("BANDWISE_TEST_FABRIC").id;
    every_port_takes_a_configuration(&mut fabric, &ports);
    a_change_takes(&mut fabric, id);
}

/// Each configuration reads back, is not written twice, and the original one is restored.
fn every_port_takes_a_configuration(fabric: &mut InfiniBand, ports: &[Port]) {
    for port in ports {
        for (table, weights) in [
            (vec![], vec![]),
            (vec![(0, 0), (1, 1), (7, 2)], vec![3, 2, 1]),
            (vec![(0, 0), (1, 1), (2, 2), (3, 3), (4, 0)], vec![200, 100, 50, 25]),
        ] {
            let wanted = shared(&table, &weights);
            let plan = fabric.plan(port.id, &wanted).unwrap();
            assert!(fabric.apply(&plan).unwrap().is_written, "{}", port.name);
            assert!(fabric.plan(port.id, &wanted).unwrap().is_empty());
            let read = fabric.read_back(port.id).unwrap();
            let Wanted::Shared(config) = wanted else { unreachable!() };
            assert_eq!(read.table, config.table);
            let ratio = |weights: &[u8]| -> Vec<u32> {
                weights.iter().map(|&w| 1000 * u32::from(w) / u32::from(weights[0])).collect()
            };
            assert_eq!(ratio(&read.weights), ratio(&config.weights));
        }
        let plan = fabric.plan(port.id, &Wanted::AsFound).unwrap();
        assert!(fabric.apply(&plan).unwrap().is_written);
        assert!(fabric.plan(port.id, &Wanted::AsFound).unwrap().is_empty());
    }
}

/// Prints the time from a known configuration to its reading back; it is not asserted.
fn a_change_takes(fabric: &mut InfiniBand, id: PortId) {
    let mut times: Vec<Duration> = (1..=200)
        .map(|i| {
            // As applications start and end: one queue more or less, and new weights.
            let n = 2 + i % 2;
            let table: Vec<(u16, u8)> = (0..n).map(|q| (u16::from(q), q)).collect();
            let weights: Vec<u8> =
                (0..n).map(|q| 1 + (u16::from(i) * u16::from(q + 1) % 17) as u8).collect();
            let begun = Instant::now();
            let plan = fabric.plan(id, &shared(&table, &weights)).unwrap();
            assert!(fabric.apply(&plan).unwrap().is_written);
            begun.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "  200 changes of a port, each read, written and read back: median {:.2} ms, 90th {:.2} ms, longest {:.2} ms",
        times[99].as_secs_f64() * 1e3,
        times[179].as_secs_f64() * 1e3,
        times[199].as_secs_f64() * 1e3,
    );
    let plan = fabric.plan(id, &Wanted::AsFound).unwrap();
    fabric.apply(&plan).unwrap();
}
