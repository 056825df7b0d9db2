//! Tests of the order of runs, the journal, and the verdict on samples.

mod campaign;
mod comparison;
mod journal;
mod noise;

use bandwise_profiler::{Outcome, Plan, Purpose, Run};
use bandwise_saba::Share;
use bandwise_units::Time;
use std::num::NonZeroU32;

fn share(percent: f64) -> Share {
    Share::try_from(percent / 100.0).unwrap()
}

fn plan(repeats: u32, warmup: u32, attempts: u32, seed: u64) -> Plan {
    let some = |number| NonZeroU32::new(number).unwrap();
    Plan::new(&Share::PROFILED, some(repeats), warmup, some(attempts), seed).unwrap()
}

fn run(share: Share, purpose: Purpose, time: Time, outcome: Outcome) -> Run {
    Run { share, purpose, time, outcome }
}
