//! Three controllers with one etcd in virtual time, driven by a seed: whatever fails and however often, the promises
//! of the [`Checker`](checker::Checker) hold, and after the last fault everything is right again.
//!
//! The cores and the sessions are the real ones. Models stand for etcd, the network, the switch and the clients.
//!
//! `make test-twin SEED=7` repeats the run of a seed and prints each event.

mod checker;
mod client;
mod etcd;
mod event;
mod faults;
mod mishaps;
mod network;
mod process;
mod running;
mod sabotage;
mod switch;
#[expect(clippy::module_inception, reason = "the module is named by its type")]
mod twin;

use super::world::PORTS;
use bandwise_random::Stream;
use faults::Fault;
use process::{NAMES, Table};
use sabotage::Sabotage;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use twin::{CLIENTS, FAULTY, Twin};

type Faults = Vec<(Duration, Fault)>;

fn faults_of(seed: u64) -> Faults {
    faults::draw(&mut Stream::new(seed, "faults", 0), (NAMES.len(), PORTS, CLIENTS), FAULTY)
}

/// Runs a seed with these faults. Returns the first mistake; a panic is one too.
fn run(
    table: &Table,
    seed: u64,
    faults: &Faults,
    sabotage: Option<Sabotage>,
    is_traced: bool,
) -> Result<(), String> {
    let run = || {
        let mut twin = Twin::new(seed, faults.clone(), table);
        (twin.sabotage, twin.is_traced) = (sabotage, is_traced);
        twin.etcd.ignores_conditions = sabotage == Some(Sabotage::IgnoresConditions);
        twin.run()
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|of| (*of).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// Returns a failure with as few of its faults as removing one after the other leaves.
fn shrink(table: &Table, seed: u64, mut faults: Faults, mut wrong: String) -> (Faults, String) {
    let mut at = 0;
    while at < faults.len() {
        let mut fewer = faults.clone();
        fewer.remove(at);
        match run(table, seed, &fewer, None, false) {
            Err(again) => (faults, wrong) = (fewer, again),
            Ok(()) => at += 1,
        }
    }
    (faults, wrong)
}

/// Runs seeds on all processors. Returns the failed ones in order, each with its mistake.
fn failures(seeds: Range<u64>) -> Vec<(u64, String)> {
    let (next, failed) = (AtomicU64::new(seeds.start), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let table = Table::new();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    if let Err(wrong) = run(&table, seed, &faults_of(seed), None, false) {
                        failed.lock().unwrap().push((seed, wrong));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    failed
}

/// Returns the number in an environment variable, unless it is empty.
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok().filter(|of| !of.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}

/// Fails with the first few failed seeds, shrunk.
fn check(seeds: Range<u64>) {
    let number = seeds.end - seeds.start;
    let failed = failures(seeds);
    if failed.is_empty() {
        return;
    }
    let table = Table::new();
    for (seed, wrong) in failed.iter().take(5).cloned() {
        let (faults, wrong) = shrink(&table, seed, faults_of(seed), wrong);
        println!("make test-twin SEED={seed}: {wrong}");
        faults.iter().for_each(|(at, fault)| println!("    {at:?} {fault:?}"));
    }
    let seeds: Vec<u64> = failed.iter().map(|of| of.0).collect();
    panic!("{} of {number} seeds fail: {seeds:?}", seeds.len());
}

#[test]
fn promises_hold_under_faults() {
    check(0..100);
}

#[test]
#[ignore = "takes minutes: make test-twin"]
fn promises_hold_under_faults_of_many_seeds() {
    check(0..number("BANDWISE_TWIN_SEEDS").unwrap_or(10_000));
}

/// Repeats the run of a seed and prints each event.
#[test]
#[ignore = "needs a seed: make test-twin SEED=7"]
fn seed() {
    let seed = number("BANDWISE_TWIN_SEED").expect("BANDWISE_TWIN_SEED is set");
    run(&Table::new(), seed, &faults_of(seed), None, true).unwrap();
}

/// The checker finds each broken part within a few seeds.
#[test]
fn checker_finds_broken_parts() {
    let table = Table::new();
    for sabotage in Sabotage::ALL {
        let is_found = |seed| run(&table, seed, &faults_of(seed), Some(sabotage), false).is_err();
        let found = (0..50).find(|&seed| is_found(seed));
        println!("{sabotage:?}: found by seed {found:?}");
        assert!(found.is_some(), "nothing finds {sabotage:?}");
    }
}
