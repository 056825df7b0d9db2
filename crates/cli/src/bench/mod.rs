//! `bandwise bench`: the speed of the simulator, the measuring loop and the controller on this
//! machine.

mod case;
mod controller;
mod facts;
mod laps;
#[cfg(feature = "verbs")]
mod measuring_loop;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::output::Json;
use crate::progress::Progress;
use crate::values::{duration, number};
use bandwise_stats::Percentile;
use bandwise_units::Time;
use case::{Case, CaseName, Counted};
use facts::{cores, or_not_known};
use laps::Laps;
use serde::Serialize;
use std::num::NonZeroUsize;

/// Flags of `bandwise bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A packet-hop is one link crossed by one packet, acknowledgements included. While other programs use
the machine, speed per second of CPU time is more reliable than speed per second of wall time. To
compare short runs with long ones, use the speed with each part of a run at its fastest, from the
same number of runs of both.

Examples:
  bandwise bench
  bandwise bench --case irn --threads 2
  bandwise bench --case roce-pfc --duration '100 ms' --runs 7 --json bench.json
  bandwise bench --case measuring-loop
  # Needs root; makes a lab and removes it
  bandwise bench --case controller")]
pub(crate) struct Flags {
    /// Case to run
    #[arg(long, value_enum, value_name = "CASE", default_value = "five-bulk-senders")]
    case: CaseName,
    /// Simulated time of each run [default: 4 s]; for irn and roce-pfc, the time in which flows
    /// start [default: 10 ms]; for measuring-loop, the time of each method [default: 1 s]; for
    /// controller and controller-many, the time in which connections are made and closed [default:
    /// 4 s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    duration: Option<Time>,
    /// Runs; the result is their median, for controller that of all connections
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = number(1..=100))]
    runs: u64,
    /// Threads of each run; irn and roce-pfc only
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(1..=64))]
    threads: u64,
    #[command(flatten)]
    json: Json,
}

/// Steps of the progress bar per run.
const STEPS: u64 = 1_000;

/// The counters and the times of a run.
struct Run {
    counted: Counted,
    wall_s: f64,
    /// CPU time over all cores, if the operating system provides it.
    cpu_s: Option<f64>,
    /// Wall time of each part, in seconds.
    laps: Vec<f64>,
}

impl Run {
    fn packet_hops_per_s(&self) -> f64 {
        self.counted.effort.packet_hops as f64 / self.wall_s
    }
    fn packet_hops_per_cpu_s(&self) -> Option<f64> {
        self.cpu_s.map(|cpu_s| self.counted.effort.packet_hops as f64 / cpu_s)
    }
}

impl Flags {
    /// Runs the case and prints the speed.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        if self.case == CaseName::MeasuringLoop {
            #[cfg(not(feature = "verbs"))]
            return Err(Failure::without("verbs"));
            #[cfg(feature = "verbs")]
            return measuring_loop::run(
                self.duration.unwrap_or(Time::from_ms(1_000)),
                self.runs,
                &outputs,
            );
        }
        if self.case == CaseName::Controller {
            let duration = self.duration.unwrap_or(Time::from_ms(4_000));
            return controller::one(duration, self.runs, &outputs);
        }
        if self.case == CaseName::ControllerMany {
            let duration = self.duration.unwrap_or(Time::from_ms(4_000));
            return controller::many(duration, self.runs, &outputs);
        }
        let threads = NonZeroUsize::new(self.threads as usize).expect("1 or more");
        let case = Case::new(self.case, self.duration, threads)?;
        let interrupt = Interrupt::listen()?;
        let progress = Progress::begin("bench");
        progress.steps(self.runs * STEPS);
        let (mut runs, mut stopped) = (Vec::new(), false);
        for i in 0..self.runs {
            let cpu = machine::cpu_time(case.threads());
            let mut laps = Laps::begin();
            let counted = case.run(|at| {
                laps.lap();
                progress.at(i * STEPS + (at.part * STEPS as f64) as u64);
                interrupt.control()
            });
            let Some(counted) = counted else {
                stopped = true;
                break;
            };
            // The wall time is the sum of the laps, so that no run is faster than the sum of the
            // fastest laps.
            let laps = laps.end();
            let wall_s = laps.iter().sum();
            let cpu_s = machine::cpu_time(case.threads()).zip(cpu);
            let cpu_s = cpu_s.map(|(now, then)| (now - then).as_secs_f64());
            runs.push(Run { counted, wall_s, cpu_s, laps });
        }
        progress.end();
        if !runs.is_empty() {
            runs.sort_by(|a, b| a.wall_s.total_cmp(&b.wall_s));
            outputs.answer(&BenchAnswer::new(&runs, &case))?;
        }
        if stopped { Err(Failure::Interrupted) } else { Ok(()) }
    }
}

/// Returns the run with the median wall time.
///
/// # Panics
///
/// Panics if there are no runs.
fn median(runs: &[Run]) -> &Run {
    let rank = Percentile::MEDIAN.rank(runs.len() as u64).expect("there are runs");
    &runs[rank as usize - 1]
}

/// Returns packet-hops per second of wall time of a run without disturbance, and the number of
/// parts in which the run was timed.
fn undisturbed(runs: &[Run]) -> Option<(f64, usize)> {
    let (s, parts) = laps::undisturbed(runs.iter().map(|run| &*run.laps))?;
    Some((median(runs).counted.effort.packet_hops as f64 / s, parts))
}

fn text(runs: &[Run], case: &Case) -> String {
    let Run { counted, .. } = median(runs);
    let speed = |time: &str, mut of_runs: Vec<f64>| -> Option<String> {
        of_runs.sort_by(f64::total_cmp);
        let (least, most) = (of_runs.first()? / 1e6, of_runs.last()? / 1e6);
        let middle = Percentile::MEDIAN.of_sorted(&of_runs)? / 1e6;
        Some(format!(
            "{middle:.2} million packet-hops/s of {time} time (median of {least:.2} to {most:.2})"
        ))
    };
    let per_cpu_s = speed("CPU", runs.iter().filter_map(Run::packet_hops_per_cpu_s).collect());
    let per_s = speed("wall", runs.iter().map(Run::packet_hops_per_s).collect());
    let undisturbed = undisturbed(runs).map_or_else(String::new, |(speed, parts)| {
        let speed = speed / 1e6;
        format!("           {speed:.2} million packet-hops/s of wall time, each of {parts} parts at its fastest\n")
    });
    let per_event =
        |s: Option<f64>| s.map(|s| format!("{:.1} ns", 1e9 * s / counted.effort.events as f64));
    let (cpu_s, wall_s) = (median(runs).cpu_s, median(runs).wall_s);
    let memory = machine::peak_rss_bytes().map(|b| format!("{:.1} MiB", b as f64 / 1048576.0));
    [
        case.title(),
        match runs.len() {
            1 => " simulated once".to_owned(),
            n => format!(" simulated {n} times"),
        },
        match case.threads().get() {
            1 => " on one core\n\n".to_owned(),
            n => format!(" by {n} threads\n\n"),
        },
        format!("speed      {}\n", or_not_known(per_cpu_s)),
        format!("           {}\n", or_not_known(per_s)),
        undisturbed,
        format!(
            "events     {:.2} a packet-hop\n",
            ratio(counted.effort.events, counted.effort.packet_hops)
        ),
        format!("an event   {} of CPU time,", or_not_known(per_event(cpu_s))),
        format!(" {} of wall time\n", or_not_known(per_event(Some(wall_s)))),
        format!("memory     {} at most\n", or_not_known(memory)),
        format!(
            "processor  {}, {}\n",
            or_not_known(machine::cpu_model()),
            or_not_known(machine::cores().map(cores))
        ),
        format!("bandwise   {}, seed {}\n", env!("CARGO_PKG_VERSION"), case.seed()),
    ]
    .concat()
}

/// The speed of the simulator.
#[derive(Serialize)]
struct BenchAnswer<'a> {
    schema: u32,
    case: &'static str,
    stats: BenchStats,
    #[serde(skip)]
    runs: &'a [Run],
    #[serde(skip)]
    of: &'a Case,
}

/// The effort of the median run, and the speed of all.
#[derive(Serialize)]
struct BenchStats {
    version: &'static str,
    seed: u64,
    threads: NonZeroUsize,
    runs: usize,
    flows: Option<u64>,
    packets_delivered: u64,
    packet_hops: u64,
    events: u64,
    simulated_s: f64,
    wall_s: f64,
    cpu_s: Option<f64>,
    packet_hops_per_s: f64,
    packet_hops_per_cpu_s: Option<f64>,
    packet_hops_per_s_undisturbed: Option<f64>,
    packet_hops_per_s_of_runs: Vec<f64>,
    packet_hops_per_cpu_s_of_runs: Vec<Option<f64>>,
    events_per_packet_hop: f64,
    ns_per_event: f64,
    peak_rss_bytes: Option<u64>,
    cpu_model: Option<String>,
    cores: Option<usize>,
}

impl<'a> BenchAnswer<'a> {
    fn new(runs: &'a [Run], case: &'a Case) -> Self {
        let run = median(runs);
        let &Run { ref counted, wall_s, cpu_s, .. } = run;
        let stats = BenchStats {
            version: env!("CARGO_PKG_VERSION"),
            seed: case.seed(),
            threads: case.threads(),
            runs: runs.len(),
            flows: counted.flows,
            packets_delivered: counted.effort.packets_delivered,
            packet_hops: counted.effort.packet_hops,
            events: counted.effort.events,
            simulated_s: counted.effort.simulated.as_s_f64(),
            wall_s,
            cpu_s,
            packet_hops_per_s: run.packet_hops_per_s(),
            packet_hops_per_cpu_s: run.packet_hops_per_cpu_s(),
            packet_hops_per_s_undisturbed: undisturbed(runs).map(|(speed, _)| speed),
            packet_hops_per_s_of_runs: runs.iter().map(Run::packet_hops_per_s).collect(),
            packet_hops_per_cpu_s_of_runs: runs.iter().map(Run::packet_hops_per_cpu_s).collect(),
            events_per_packet_hop: ratio(counted.effort.events, counted.effort.packet_hops),
            ns_per_event: 1e9 * wall_s / counted.effort.events as f64,
            peak_rss_bytes: machine::peak_rss_bytes(),
            cpu_model: machine::cpu_model(),
            cores: machine::cores(),
        };
        BenchAnswer { schema: 1, case: case.name(), stats, runs, of: case }
    }
}

impl Answer for BenchAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        text(self.runs, self.of)
    }
}

fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b as f64
}
