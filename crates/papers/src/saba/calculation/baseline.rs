//! Weights of the same ports by SLSQP (Saba 4.5.2).

use super::{PORTS, ports};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Model;
use bandwise_saba::weights::slsqp::slsqp;
use bandwise_saba::weights::{Catalogue, Effort, Floors, ModelId, Solver};
use std::collections::BTreeMap;
use std::time::Instant;

/// Number of ports of which one is compared: SLSQP takes minutes for all of them.
const STEP: usize = 397;

/// Returns, for a sample of the ports, SLSQP's time over ours, its failures, and the quality of our
/// weights.
pub(super) fn numbers(
    called: &str,
    models: &[Model],
    placed: &[Vec<usize>],
) -> BTreeMap<String, f64> {
    let mut catalogue = Catalogue::new();
    let models: Vec<ModelId> = models.iter().map(|model| catalogue.add(model, None)).collect();
    let mut solver = Solver::new(&catalogue, Share::ALL, Floors::default(), Effort::default());
    let (mut ours, mut theirs, mut failed, mut worst) = (0.0, 0.0, 0.0, f64::NEG_INFINITY);
    for port in at_ports(placed).iter().filter(|port| !port.is_empty()).step_by(STEP) {
        let members: Vec<ModelId> = port.iter().map(|&a| models[a % models.len()]).collect();
        let began = Instant::now();
        let weights = std::hint::black_box(solver.weights(&members));
        ours += began.elapsed().as_secs_f64();
        let began = Instant::now();
        let found = std::hint::black_box(slsqp(&solver, &members));
        theirs += began.elapsed().as_secs_f64();
        match found {
            Some(found) => worst = worst.max(weights.slowdowns / found.slowdowns),
            None => failed += 1.0,
        }
    }
    let of = |what: &str| format!("sampled ports, {called} {what}");
    BTreeMap::from([
        (of("SLSQP time"), theirs / ours),
        (of("SLSQP failed"), failed),
        (of("worst"), worst),
    ])
}

/// Returns the applications at each port, in order.
fn at_ports(placed: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut at = vec![Vec::new(); PORTS];
    for (application, hosts) in placed.iter().enumerate() {
        for &from in hosts {
            for &to in hosts.iter().filter(|&&to| to != from) {
                ports(from, to, |port| {
                    let applications: &mut Vec<usize> = &mut at[port];
                    if applications.last() != Some(&application) {
                        applications.push(application);
                    }
                });
            }
        }
    }
    at
}
