//! How long it takes to find the weights of all switch ports of a network (figure 4.19 of Saba): up to
//! 1,000 applications of 32 instances each, at random hosts of the 1,944 of a three-level fat tree,
//! every instance sending to every other of its application.
//!
//! ```sh
//! cargo run --release -p bandwise-saba --example calculation_time -- [SCENARIOS] [APPLICATIONS]
//! ```
//!
//! With `--features baseline` some of the ports are solved by SLSQP too.

#[path = "../tests/saba/common.rs"]
#[allow(dead_code)]
mod common;
mod network;

use bandwise_random::Stream;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Degree, Kind, Model};
use bandwise_saba::weights::{Catalogue, Effort, Floors, ModelId, Solver};
use network::{HOSTS, core_ms, hosts, percentile, ports};
use std::time::Instant;

/// The applications at each port.
fn scenario(applications: usize, chance: &mut Stream) -> Vec<Vec<u32>> {
    let mut at_port = vec![Vec::new(); 5 * HOSTS];
    for application in 0..applications as u32 {
        let hosts = hosts(chance);
        for &from in &hosts {
            for &to in hosts.iter().filter(|&&to| to != from) {
                ports(from, to, |port| {
                    let there: &mut Vec<u32> = &mut at_port[port];
                    if there.last() != Some(&application) {
                        there.push(application);
                    }
                });
            }
        }
    }
    at_port
}

fn main() {
    let mut given = std::env::args().skip(1).map(|a| a.parse::<usize>().expect("a number"));
    let (scenarios, applications) = (given.next().unwrap_or(20), given.next().unwrap_or(1_000));
    for (workloads, kind) in [
        (20, Kind::Polynomial(Degree::ONE)),
        (20, Kind::Polynomial(Degree::TWO)),
        (20, Kind::Polynomial(Degree::THREE)),
        (20, Kind::Monotone),
        (1_000, Kind::Polynomial(Degree::THREE)),
        (1_000, Kind::Monotone),
    ] {
        let mut catalogue = Catalogue::new();
        let models: Vec<ModelId> = (0..workloads)
            .map(|i| catalogue.add(&Model::fit(&common::staged(i, 0.0), kind).unwrap(), None))
            .collect();
        let mut chance = Stream::new(1, "placement", 0);
        let mut times = Vec::new();
        let (mut ports, mut pairs, mut gap) = (0, 0, 0.0_f64);
        for _ in 0..scenarios {
            let at_port = scenario(applications, &mut chance);
            let at_port: Vec<Vec<ModelId>> = at_port
                .into_iter()
                .map(|port| port.into_iter().map(|a| models[a as usize % models.len()]).collect())
                .collect();
            let start = Instant::now();
            let before = core_ms(start);
            let mut solver =
                Solver::new(&catalogue, Share::ALL, Floors::default(), Effort::default());
            let mut sum = 0.0;
            for members in &at_port {
                let weights = solver.weights(members);
                sum += weights.slowdowns;
                if let bandwise_saba::weights::Guarantee::Within(within) = weights.guarantee {
                    gap = gap.max(within / weights.slowdowns);
                }
            }
            times.push(core_ms(start) - before);
            std::hint::black_box(sum);
            (ports, pairs) = (at_port.len(), at_port.iter().map(Vec::len).sum());
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{kind:?}, {workloads} workloads, {applications} applications, {ports} ports, {pairs} \
             applications at ports: mean {:.1} ms, median {:.1} ms, 99th percentile {:.1} ms, worst gap {gap:.1e} of the sum",
            times.iter().sum::<f64>() / times.len() as f64,
            percentile(&times, 0.5),
            percentile(&times, 0.99),
        );
        let everybody: Vec<ModelId> = (0..applications).map(|a| models[a % models.len()]).collect();
        for effort in [Effort::LEAST, Effort::default()] {
            one_port(&catalogue, &everybody, effort);
        }
        #[cfg(feature = "baseline")]
        baseline(&catalogue, &models, &scenario(applications, &mut chance));
    }
}

/// One port at which all applications are.
fn one_port(catalogue: &Catalogue, members: &[ModelId], effort: Effort) {
    const TIMES: u32 = 5_000;
    let mut solver = Solver::new(catalogue, Share::ALL, Floors::default(), effort);
    let start = Instant::now();
    let before = core_ms(start);
    let mut guarantee = None;
    for _ in 0..TIMES {
        guarantee = Some(std::hint::black_box(solver.weights(members)).guarantee);
    }
    let us = (core_ms(start) - before) * 1e3 / f64::from(TIMES);
    println!(
        "    all of them at one port, {} halvings: {us:.0} us, {guarantee:?}",
        effort.halvings
    );
}

/// Some of the ports by both solvers.
#[cfg(feature = "baseline")]
fn baseline(catalogue: &Catalogue, models: &[ModelId], at_port: &[Vec<u32>]) {
    let (mut ours, mut theirs, mut ports, mut members_sum, mut failed) = (0.0, 0.0, 0, 0, 0);
    let mut better = f64::NEG_INFINITY;
    for port in at_port.iter().filter(|port| !port.is_empty()).step_by(397) {
        let members: Vec<ModelId> =
            port.iter().map(|&a| models[a as usize % models.len()]).collect();
        let mut solver = Solver::new(catalogue, Share::ALL, Floors::default(), Effort::LEAST);
        let start = Instant::now();
        let weights = std::hint::black_box(solver.weights(&members));
        ours += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let by_slsqp = bandwise_saba::weights::slsqp::slsqp(&solver, &members);
        theirs += start.elapsed().as_secs_f64();
        match by_slsqp {
            Some(found) => better = better.max(weights.slowdowns / found.slowdowns - 1.0),
            None => failed += 1,
        }
        (ports, members_sum) = (ports + 1, members_sum + members.len());
    }
    println!(
        "    of {ports} ports with {members_sum} applications: ours {:.3} ms, SLSQP {:.1} ms ({:.0} times as \
         long; failed at {failed}); our sum of slowdowns over its, less 1, is at most {better:.1e}",
        ours * 1e3,
        theirs * 1e3,
        theirs / ours,
    );
}
