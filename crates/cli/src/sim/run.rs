//! `bandwise sim run`.

use super::rows::FlowRows;
use super::settings::{Flags, Settings};
use super::{json, ports, tables};
use crate::fabric::circle;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::output::note;
use crate::progress::Progress;
use anyhow::anyhow;
use bandwise_netsim::engine::Alone;
use bandwise_scenario::network::{
    Arrival, FlowRecord, NetworkProgress, NetworkResults, NetworkStop, Watch,
};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

/// What a run took of the machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub(super) wall_s: f64,
    /// Time that this thread had a core, where the system tells.
    pub(super) cpu_s: Option<f64>,
    pub(super) peak_rss_bytes: Option<u64>,
}

/// Simulates and prints.
pub(super) fn run(flags: Flags) -> Result<(), Failure> {
    let interrupt = Interrupt::listen()?;
    let settings = flags.resolve(&interrupt)?;
    let rows = FlowRows::begin(settings.outputs.rows()?);
    let (results, rows, effort) = simulate(&settings, rows, &interrupt)?;
    rows.finish()?;
    if let (Some(list), 0) = (&settings.list, results.started) {
        list.warn_empty();
    }
    say_speed(&results, effort);
    let Settings { scenario, outputs, .. } = &settings;
    for warning in ports::warnings(scenario, &results) {
        note(format_args!("warning: {warning}"));
    }
    outputs.ports(|| ports::csv(&scenario.fabric, &results))?;
    outputs.emit(&tables::text(scenario, &results), &json::of(scenario, &results, effort))?;
    let missing = results.started - results.finished;
    match &results.stop {
        NetworkStop::Complete | NetworkStop::Limit => Ok(()),
        NetworkStop::Interrupted => Err(Failure::Interrupted),
        NetworkStop::Deadlock(found) => {
            let ports = circle(&scenario.fabric, found).join(" -> ");
            let what = "deadlock: these ports are told to stop until each other go on, for ever";
            Err(anyhow!("{what}: {ports} (simulated until {})", results.simulated).into())
        }
        NetworkStop::Stuck => Err(anyhow!(
            "{missing} flows have not arrived and nothing will happen any more: packets of theirs \
             were lost, and no timeout notices"
        )
        .into()),
    }
}

/// Shows how far it is, and writes down what arrives.
struct Watcher<'a> {
    rows: FlowRows,
    progress: Progress,
    interrupt: &'a Interrupt,
}

impl Watch for Watcher<'_> {
    fn finished(&mut self, flow: &FlowRecord) {
        self.rows.add(flow);
    }

    fn progress(&mut self, at: NetworkProgress) -> ControlFlow<()> {
        self.progress.at(at.finished);
        match self.interrupt.asked() || self.rows.has_failed() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

fn simulate(
    settings: &Settings,
    rows: FlowRows,
    interrupt: &Interrupt,
) -> Result<(NetworkResults, FlowRows, Effort), Failure> {
    let progress = Progress::begin(&format!("simulating {}", settings.scenario.title));
    progress.steps(settings.expected);
    let mut watcher = Watcher { rows, progress, interrupt };
    let (began, cpu) = (Instant::now(), machine::cpu_time(NonZeroUsize::MIN));
    let results = match &settings.list {
        Some(list) => {
            let flows = list.flows()?.map(|flow| flow.map(Arrival::from));
            settings.scenario.run_with(&Alone, flows, &mut watcher)?
        }
        None => settings.scenario.run(&mut watcher),
    };
    let cpu_s =
        machine::cpu_time(NonZeroUsize::MIN).zip(cpu).map(|(now, then)| (now - then).as_secs_f64());
    let effort = Effort {
        wall_s: began.elapsed().as_secs_f64(),
        // Ticks may be too coarse for a short run.
        cpu_s: cpu_s.filter(|&cpu_s| cpu_s > 0.0),
        peak_rss_bytes: machine::peak_rss_bytes(),
    };
    watcher.progress.end();
    Ok((results, watcher.rows, effort))
}

/// On standard error: it is not a result.
fn say_speed(results: &NetworkResults, effort: Effort) {
    let ms = results.simulated.as_s_f64() * 1e3;
    let hops = results.counters.packet_hops as f64 / effort.cpu_s.unwrap_or(effort.wall_s) / 1e6;
    let memory =
        effort.peak_rss_bytes.map(|b| format!(", {:.1} MiB at most", b as f64 / 1048576.0));
    note(format_args!(
        "{ms:.1} ms simulated in {:.2} s, {hops:.1} million packet-hops/s{}",
        effort.wall_s,
        memory.unwrap_or_default()
    ));
}
