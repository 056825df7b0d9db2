//! The side that measures.

use super::flags::Client;
use super::measure::Connected;
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
use std::net::ToSocketAddrs;

/// Measures and prints.
pub(super) fn run(flags: Client) -> Result<(), Failure> {
    let (settings, outputs) = flags.resolve()?;
    let interrupt = Interrupt::listen()?;
    // Before anything is touched that is to be near.
    settings.place.take(0);
    let outcome = match Tsc::start() {
        Ok(tsc) => {
            let clock = format!("the time-stamp counter, {:.0} MHz", tsc.hertz() as f64 / 1e6);
            measure(&settings, &tsc, clock, &interrupt)?
        }
        Err(_) => {
            let clock = "the system's clock".to_owned();
            measure(&settings, &Monotonic::start(), clock, &interrupt)?
        }
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

/// One size after another, over one connection.
fn measure(
    settings: &Settings,
    clock: &(impl Clock + Sync),
    clock_is: String,
    interrupt: &Interrupt,
) -> anyhow::Result<Outcome> {
    let server = &settings.server;
    let addresses = (server.name.as_str(), server.port).to_socket_addrs();
    let addresses = addresses.with_context(|| format!("{server} can't be found"))?;
    let mut control = Control::connect(&server.to_string(), &addresses.collect::<Vec<_>>())?;
    let mut runs = Vec::new();
    let mut tasks = settings.tasks.iter().peekable();
    let end = loop {
        let task = *tasks.next().expect("the last one ends this");
        let connected = match Connected::with(control, settings, task) {
            Ok(connected) => connected,
            Err(error) if runs.is_empty() => return Err(error),
            Err(error) => break Ended::Failed(format!("{error:#}")),
        };
        if runs.is_empty() {
            note(format_args!("measuring with {server} …"));
            tell_of(connected.pages());
        }
        let is_last = tasks.peek().is_none();
        let (run, end, more) = connected.measure(settings, clock, interrupt, is_last)?;
        runs.push(run);
        match more {
            Some(connection) => control = connection,
            None => break end,
        }
    };
    Ok(Outcome { runs, end, clock: clock_is })
}
