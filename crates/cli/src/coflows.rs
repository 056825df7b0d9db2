//! `bandwise coflows`: a trace of coflows under several schedulers.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::files::Text;
use crate::interrupt::Interrupt;
use crate::output::{Json, note};
use crate::progress::Progress;
use crate::values::{number, rate};
use bandwise_flowsim::MAX_CAPACITY;
use bandwise_flowsim::coflow::{CoflowTimes, PORT_RATE, Scheduler};
use bandwise_report::{Cell, Table, text};
use bandwise_stats::Percentile;
use bandwise_units::BitRate;
use bandwise_workload::{CoflowMix, CoflowTrace, read};
use serde::Serialize;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Flags of `bandwise coflows`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All ports are on one non-blocking switch, as in Varys and Sincronia. The completion time of a coflow
is the time from its arrival to the end of its last flow. A megabyte of a trace has 2^20 bytes, as
in the simulator that came with the format.

Examples:
  # A trace in the format of Facebook's public one: `ports coflows`, then a line per coflow
  bandwise coflows FB2010-1Hr-150-0.txt
  # A random trace of the same shape
  bandwise coflows --seed 2 --json -")]
pub(crate) struct Flags {
    /// Trace; - for standard input [default: a random trace of 526 coflows on 150 ports]
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// Rate of a port in each direction
    #[arg(long, value_name = "RATE", default_value_t = PORT_RATE)]
    #[arg(allow_hyphen_values = true, value_parser = rate(rates(), "\"40 Gbps\""))]
    rate: BitRate,
    /// Seed of the random trace
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: u64,
    #[command(flatten)]
    json: Json,
}

fn rates() -> RangeInclusive<BitRate> {
    BitRate::from_bps(1)..=MAX_CAPACITY
}

/// A trace, and the rate of its ports.
struct Task {
    name: String,
    trace: CoflowTrace,
    rate: BitRate,
    seed: u64,
}

/// The results of a scheduler.
struct Scheduled {
    scheduler: Scheduler,
    times: CoflowTimes,
    took: Duration,
}

impl Flags {
    /// Schedules the trace and prints the results.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let Flags { trace: path, rate, seed, json } = self;
        let (name, trace) = match &path {
            Some(path) => {
                let text = Text::read(path)?;
                let trace = read::coflows(&text.source())?;
                (text.name, trace)
            }
            None => (format!("random, seed {seed}"), CoflowMix::like_public().trace(seed)),
        };
        let inputs: Vec<&std::path::Path> = path.as_deref().into_iter().collect();
        let outputs = json.resolve(&inputs)?;
        let task = Task { name, trace, rate, seed };
        let found = task.schedule()?;
        outputs.answer(&CoflowsAnswer::new(&task, &found))
    }
}

impl Task {
    /// Runs the trace under all schedulers.
    fn schedule(&self) -> Result<Vec<Scheduled>, Failure> {
        let Task { trace, .. } = self;
        let interrupt = Interrupt::listen()?;
        let progress = Progress::begin(&format!("scheduling {} coflows", trace.coflows.len()));
        progress.steps(Scheduler::ALL.len() as u64 * trace.flows() as u64);
        let mut found = Vec::new();
        for scheduler in Scheduler::ALL {
            let before = found.len() as u64 * trace.flows() as u64;
            let mut watch = |ended: u64| {
                progress.at(before + ended);
                if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let began = Instant::now();
            let times = scheduler.run(trace, self.rate, &mut watch);
            let times = times.map_err(|error| {
                Failure::usage(format!("--rate {}: {error}", self.rate), error.allowed())
            })?;
            let Some(times) = times else { return Err(Failure::Interrupted) };
            found.push(Scheduled { scheduler, times, took: began.elapsed() });
        }
        let took = progress.end();
        for Scheduled { scheduler, took, .. } in &found {
            note(format_args!("{}: {:.1} s", scheduler.title(), took.as_secs_f64()));
        }
        note(format_args!("{} schedulers in {:.1} s", found.len(), took.as_secs_f64()));
        Ok(found)
    }

    fn table(&self, found: &[Scheduled]) -> Table {
        let Task { name, trace, .. } = self;
        let fair = found[0].times.average().as_s_f64();
        let row = |Scheduled { scheduler, times, .. }: &Scheduled| {
            vec![
                Cell::text(scheduler.title()),
                Cell::number(times.average().as_s_f64(), "s"),
                Cell::number(times.percentile(Percentile::P95).as_s_f64(), "s"),
                Cell::number(fair / times.average().as_s_f64(), ""),
            ]
        };
        let header = ["scheduler", "average", "p95", "fair over it"];
        Table {
            title: "Coflow completion time".into(),
            caption: format!(
                "{} coflows, {} flows, {} ports of {} ({name}).",
                trace.coflows.len(),
                trace.flows(),
                trace.ports,
                self.rate
            ),
            header: header.map(str::to_owned).into(),
            rows: found.iter().map(row).collect(),
        }
    }
}

/// The completion times under each scheduler.
#[derive(Serialize)]
struct CoflowsAnswer<'a> {
    schema: u32,
    trace: &'a str,
    coflows: usize,
    flows: usize,
    ports: u32,
    rate_bps: u64,
    schedulers: Vec<SchedulerRow>,
    stats: CoflowsStats,
    #[serde(skip)]
    task: &'a Task,
    #[serde(skip)]
    found: &'a [Scheduled],
}

/// The completion times under a scheduler.
#[derive(Serialize)]
struct SchedulerRow {
    scheduler: &'static str,
    average_s: f64,
    p95_s: f64,
    times_s: Vec<f64>,
}

/// The version and the seed.
#[derive(Serialize)]
struct CoflowsStats {
    version: &'static str,
    seed: u64,
}

impl<'a> CoflowsAnswer<'a> {
    fn new(task: &'a Task, found: &'a [Scheduled]) -> Self {
        let trace = &task.trace;
        CoflowsAnswer {
            schema: 1,
            trace: &task.name,
            coflows: trace.coflows.len(),
            flows: trace.flows(),
            ports: trace.ports,
            rate_bps: task.rate.as_bps(),
            schedulers: found.iter().map(SchedulerRow::from).collect(),
            stats: CoflowsStats { version: env!("CARGO_PKG_VERSION"), seed: task.seed },
            task,
            found,
        }
    }
}

impl Answer for CoflowsAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        text::table(&self.task.table(self.found))
    }
}

impl From<&Scheduled> for SchedulerRow {
    fn from(Scheduled { scheduler, times, .. }: &Scheduled) -> Self {
        SchedulerRow {
            scheduler: scheduler.as_str(),
            average_s: times.average().as_s_f64(),
            p95_s: times.percentile(Percentile::P95).as_s_f64(),
            times_s: times.times.iter().map(|time| time.as_s_f64()).collect(),
        }
    }
}
