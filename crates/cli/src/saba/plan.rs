//! `bandwise saba plan`.

use super::settings::{Flags, Settings};
use super::{json, packets, report, tables};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use crate::progress::Progress;
use bandwise_report::text;
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
    let mut watch = |at: SharingProgress| {
        // The next policy begins where the part falls.
        policies_over += f64::from(u8::from(at.part < before));
        before = at.part;
        progress.at(((policies_over + at.part) * STEPS) as u64);
        match interrupt.asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let compared = match settings.packets {
        Some(how) => Some((how, packets::compare(&settings, how, &mut watch)?)),
        None => None,
    };
    let comparison = match &compared {
        Some((_, compared)) => compared.packets.clone(),
        None => Comparison::run(scenario, policies, &mut watch),
    };
    let took = progress.end();
    let instants: u64 = comparison.results.iter().map(|results| results.instants).sum();
    note(format_args!(
        "{} policies, {instants} {}, {:.2} s",
        comparison.results.len(),
        if compared.is_some() { "looks at all hosts" } else { "changes of rates" },
        took.as_secs_f64()
    ));
    let mut printed = tables::text(&settings, &comparison);
    let mut document = json::of(&settings, &comparison);
    let mut beside = Vec::new();
    if let Some((how, compared)) = &compared {
        beside.push(packets::table(&settings, *how, compared));
        document["packets"] = packets::json(*how, compared);
    }
    for table in &beside {
        printed = format!("{printed}\n{}", text::table(table));
    }
    outputs.emit(&printed, &document)?;
    if outputs.wants_report() {
        outputs.report(&report::html(&settings, &comparison, beside))?;
    }
    if let Some(failure) =
        compared.as_ref().and_then(|(_, compared)| packets::deadlock(&settings, compared))
    {
        return Err(failure);
    }
    match comparison.is_whole() {
        true => Ok(()),
        false => Err(Failure::Interrupted),
    }
}
