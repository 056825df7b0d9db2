//! `bandwise sim run`.

use super::answer::SimAnswer;
use super::effort::Effort;
use super::rows::FlowRows;
use super::settings::{Flags, Settings, Work};
use super::trace::{self, Trace};
use super::warnings::warnings;
use super::{ports, study};
use crate::fabric::deadlock;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::output::note;
use crate::progress::Progress;
use crate::saba;
use anyhow::anyhow;
use bandwise_netsim::engine::Executor;
use bandwise_netsim::ethernet::{CaptureFilter, CaptureRecord};
use bandwise_scenario::ethernet::{Arrival, EthernetResults, FlowRecord, FlowWatch};
use bandwise_scenario::{Progress as At, Stop};
use std::ops::ControlFlow;
use std::time::Instant;

/// Simulates and prints.
pub(super) fn run(flags: Flags) -> Result<(), Failure> {
    let interrupt = Interrupt::listen()?;
    match flags.resolve(&interrupt)? {
        Work::One(settings) => run_single(*settings, &interrupt),
        Work::Study(settings) => study::run(&settings, &interrupt),
        Work::Infiniband(flags, text) => flags.measure(text, &interrupt),
        Work::Jobs(flags, text) => saba::simulate(*flags, text, &interrupt),
    }
}

/// Runs a scenario without a sweep.
fn run_single(settings: Settings, interrupt: &Interrupt) -> Result<(), Failure> {
    let rows = FlowRows::begin(&settings.outputs)?;
    let trace = settings.outputs.trace()?;
    let trace = trace::begin(settings.trace.as_ref(), &settings.scenario, trace)?;
    let (results, files, effort) = simulate(&settings, Files { rows, trace }, interrupt)?;
    files.rows.finish()?;
    if let Some(trace) = files.trace {
        trace::finish(trace, results.started)?;
    }
    if let (Some(list), 0) = (&settings.list, results.started) {
        list.warn_empty();
    }
    say_speed(&results, effort);
    let Settings { scenario, outputs, .. } = &settings;
    for warning in warnings(scenario, &results) {
        note(format_args!("warning: {warning}"));
    }
    outputs.ports(|| ports::csv(scenario.fabric(), &results))?;
    outputs.answer(&SimAnswer::new(&settings, &results, effort))?;
    let missing = results.started - results.finished;
    match &results.stop {
        Stop::Complete | Stop::Limit => Ok(()),
        Stop::Interrupted => Err(Failure::Interrupted),
        Stop::Deadlock(ports) => Err(deadlock(scenario.fabric(), ports, results.simulated)),
        Stop::Stuck => Err(anyhow!(
            "{missing} flows have not arrived and no event is pending: packets of these flows \
             were lost, and no timeout detects it"
        )
        .into()),
    }
}

/// The files that are written during a run.
struct Files<'a> {
    rows: FlowRows,
    trace: Option<Trace<'a>>,
}

/// Shows the progress, and writes finished flows and captured packets.
struct Watcher<'a> {
    files: Files<'a>,
    progress: Progress,
    finished: u64,
    interrupt: &'a Interrupt,
}

impl FlowWatch for Watcher<'_> {
    fn finished(&mut self, flow: &FlowRecord) {
        self.finished += 1;
        self.files.rows.add(flow);
    }

    fn captures(&self) -> Option<CaptureFilter> {
        self.files.trace.as_ref().map(Trace::filter)
    }

    fn captured(&mut self, record: &CaptureRecord) -> ControlFlow<()> {
        match &mut self.files.trace {
            Some(trace) => trace.add(record),
            None => ControlFlow::Break(()),
        }
    }

    fn progress(&mut self, _: At) -> ControlFlow<()> {
        self.progress.at(self.finished);
        let Files { rows, trace } = &self.files;
        let failed = rows.has_failed() || trace.as_ref().is_some_and(Trace::has_failed);
        if failed { ControlFlow::Break(()) } else { self.interrupt.control() }
    }
}

fn simulate<'a>(
    settings: &Settings,
    files: Files<'a>,
    interrupt: &'a Interrupt,
) -> Result<(EthernetResults, Files<'a>, Effort), Failure> {
    let progress = Progress::begin(&format!("simulating {}", settings.scenario.title()));
    progress.steps(settings.expected);
    let mut watcher = Watcher { files, progress, finished: 0, interrupt };
    let (began, cpu) = (Instant::now(), machine::cpu_time(settings.team.workers()));
    let results = match &settings.list {
        Some(list) => {
            let flows = list.flows()?.map(|flow| flow.map(Arrival::from));
            settings.scenario.run_with(&settings.team, flows, &mut watcher)?
        }
        None => settings.scenario.run_by(&settings.team, &mut watcher),
    };
    let cpu_s = machine::cpu_time(settings.team.workers())
        .zip(cpu)
        .map(|(now, then)| (now - then).as_secs_f64());
    let effort = Effort {
        wall_s: began.elapsed().as_secs_f64(),
        cpu_s,
        peak_rss_bytes: machine::peak_rss_bytes(),
    };
    watcher.progress.end();
    Ok((results, watcher.files, effort))
}

/// Prints the speed on standard error, because it is no result.
fn say_speed(results: &EthernetResults, effort: Effort) {
    let ms = results.simulated.as_s_f64() * 1e3;
    let hops = results.counters.packet_hops as f64 / effort.wall_s / 1e6;
    let memory =
        effort.peak_rss_bytes.map(|b| format!(", {:.1} MiB at most", b as f64 / 1048576.0));
    note(format_args!(
        "{ms:.1} ms simulated in {:.2} s, {hops:.1} million packet-hops/s{}",
        effort.wall_s,
        memory.unwrap_or_default()
    ));
}
