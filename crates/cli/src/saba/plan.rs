//! `bandwise saba plan`.

use super::settings::{Flags, Settings};
use super::{json, report, tables};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use crate::progress::Progress;
use bandwise_scenario::sharing::{Comparison, SharingProgress};
use std::ops::ControlFlow;

/// Steps that a policy's progress is told in.
const STEPS: f64 = 1_000.0;

/// Simulates and prints.
pub(super) fn run(flags: Flags) -> Result<(), Failure> {
    let interrupt = Interrupt::listen()?;
    let settings = flags.resolve()?;
    let Settings { scenario, policies, outputs, .. } = &settings;
    let progress = Progress::begin(&format!("sharing {}", scenario.title));
    progress.steps(policies.len() as u64 * STEPS as u64);
    let (mut policies_over, mut before) = (0.0, 0.0);
    let comparison = Comparison::run(scenario, policies, &mut |at: SharingProgress| {
        // The next policy begins where the part falls.
        policies_over += f64::from(u8::from(at.part < before));
        before = at.part;
        progress.at(((policies_over + at.part) * STEPS) as u64);
        match interrupt.asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    let took = progress.end();
    let instants: u64 = comparison.results.iter().map(|results| results.instants).sum();
    note(format_args!(
        "{} policies, {instants} changes of rates, {:.2} s",
        comparison.results.len(),
        took.as_secs_f64()
    ));
    let text = tables::text(&settings, &comparison);
    outputs.emit(&text, &json::of(&settings, &comparison))?;
    if outputs.wants_report() {
        outputs.report(&report::html(&settings, &comparison))?;
    }
    match comparison.is_whole() {
        true => Ok(()),
        false => Err(Failure::Interrupted),
    }
}
