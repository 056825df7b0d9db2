//! The side that measures.

use super::super::reaching::reach;
use super::flags::Client;
use super::measure::{After, Connected};
use super::outcome::{Ended, Outcome};
use super::place::tell_of;
use super::settings::Settings;
use super::{json, tables};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use anyhow::{Context, anyhow};
use bandwise_verbs::session::Control;
use bandwise_verbs::{Clock, Monotonic, Tsc};
use std::fmt::Display;

/// Measures and prints.
pub(super) fn run(flags: Client) -> Result<(), Failure> {
    let (settings, outputs) = flags.resolve()?;
    let interrupt = Interrupt::listen()?;
    // Before anything is touched that is to be near.
    settings.place.take(0);
    let (outcome, _open) = match Tsc::start() {
        Ok(tsc) => measure(&settings, &tsc, &interrupt)?,
        Err(_) => measure(&settings, &Monotonic::start(), &interrupt)?,
    };
    let text = tables::text(&settings, &outcome);
    outputs.emit(&text, &json::of(&settings, &outcome))?;
    let has_none = outcome.runs.iter().any(|run| run.latency.is_none() && run.bandwidth.is_none());
    match outcome.end {
        Ended::Complete if has_none => {
            Err(anyhow!("no sample: the first rounds are not counted; needed: a longer -D").into())
        }
        Ended::Complete => Ok(()),
        Ended::Interrupted => Err(Failure::Interrupted),
        Ended::Failed(why) => Err(anyhow!("{why}; the results are partial").into()),
    }
}

/// One size after another, over one connection; and what is still open when the last is done.
fn measure(
    settings: &Settings,
    clock: &(impl Clock + Sync + Display),
    interrupt: &Interrupt,
) -> anyhow::Result<(Outcome, Option<After>)> {
    let server = &settings.server;
    let stream = reach(server).with_context(|| {
        format!("{server} can't be reached; does `bandwise rperf server --listen` run there, at that port?")
    })?;
    let mut control = Control::over(stream)?;
    let mut runs = Vec::new();
    let mut tasks = settings.tasks.iter().peekable();
    let (end, open) = loop {
        let task = *tasks.next().expect("the last one ends this");
        let connected = match Connected::with(control, settings, task) {
            Ok(connected) => connected,
            Err(error) if runs.is_empty() => return Err(error),
            Err(error) => break (Ended::Failed(format!("{error:#}")), None),
        };
        if runs.is_empty() {
            note(format_args!("measuring with {server} …"));
            tell_of(connected.pages());
        }
        let is_last = tasks.peek().is_none();
        let (run, end, after) = connected.measure(settings, clock, interrupt, is_last)?;
        runs.push(run);
        match after {
            After::More(connection) => control = connection,
            nothing => break (end, Some(nothing)),
        }
    };
    Ok((Outcome { runs, end, clock: clock.to_string() }, open))
}
