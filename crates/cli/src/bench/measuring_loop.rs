//! The cost of the measuring loop: methods over a device that completes at once.

use super::facts::{cores, or_not_known};
use crate::answer::Answer;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::output::Outputs;
use crate::progress::Progress;
use bandwise_rdma::verbs::{Opcode, Program, Qp};
use bandwise_rperf::{ClosedLoop, ClosedLoopSettings, RPerf, RPerfSettings, Rounds, Think};
use bandwise_stats::Percentile;
use bandwise_units::Time;
use bandwise_verbs::{Clock, Instantly, Monotonic, Tsc, drive};
use serde::Serialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A method, and nanoseconds per operation in each run, sorted.
struct Cost {
    method: &'static str,
    ns: Vec<f64>,
}

/// A clock, and the time to read it in nanoseconds.
struct Read<'a> {
    clock: &'a str,
    ns: f64,
}

impl Cost {
    fn median(&self) -> f64 {
        Percentile::MEDIAN.of_sorted(&self.ns).expect("there are runs")
    }
}

/// Runs each method for `duration`, `runs` times, and prints the time per operation.
pub(super) fn run(duration: Time, runs: u64, outputs: &Outputs) -> Result<(), Failure> {
    match Tsc::start() {
        Ok(tsc) => {
            let clock = format!("time-stamp counter, {:.0} MHz", tsc.hertz() as f64 / 1e6);
            run_by(&tsc, &clock, duration, runs, outputs)
        }
        Err(error) => {
            run_by(&Monotonic::start(), &format!("the system's: {error}"), duration, runs, outputs)
        }
    }
}

fn run_by(
    clock: &impl Clock,
    clock_is: &str,
    duration: Time,
    runs: u64,
    outputs: &Outputs,
) -> Result<(), Failure> {
    let interrupt = Interrupt::listen()?;
    let progress = Progress::begin("bench");
    progress.steps(2 * runs);
    let duration = Duration::from_nanos(duration.as_ps() / 1_000);
    let rounds = || Rounds { warmup: 0, samples: u64::MAX, think: Think::none() };
    let (wire, loopback, bytes) = (Qp(0), Qp(1), 64);
    let mut closed = Cost { method: "closed-loop", ns: Vec::new() };
    let mut rperf = Cost { method: "rperf", ns: Vec::new() };
    let mut reads = Vec::new();
    for i in 0..runs {
        reads.push(read(clock));
        // A round of closed-loop is one operation; a round of RPerf is one over the wire and one
        // over the loopback.
        let (opcode, inline_max) = (Opcode::Send, 236);
        let settings =
            ClosedLoopSettings { qp: wire, opcode, bytes, inline_max, depth: 1, rounds: rounds() };
        let mut method = ClosedLoop::new(settings);
        let took = time(&mut method, clock, duration, &interrupt);
        closed.ns.push(1e9 * took / method.measure().latency().count() as f64);
        progress.at(2 * i + 1);
        let settings = RPerfSettings { wire, loopback, bytes, inline_max, rounds: rounds() };
        let mut method = RPerf::new(settings);
        let took = time(&mut method, clock, duration, &interrupt);
        rperf.ns.push(1e9 * took / method.measure().latency().count() as f64 / 2.0);
        progress.at(2 * i + 2);
        if interrupt.asked() {
            progress.end();
            return Err(Failure::Interrupted);
        }
    }
    progress.end();
    let mut costs = [closed, rperf];
    for ns in costs.iter_mut().map(|cost| &mut cost.ns).chain([&mut reads]) {
        ns.sort_by(f64::total_cmp);
    }
    let clock =
        Read { clock: clock_is, ns: Percentile::MEDIAN.of_sorted(&reads).expect("there are runs") };
    outputs.answer(&LoopAnswer::new(&costs, &clock, runs))
}

/// Returns the time to read a clock in nanoseconds. A closed loop reads the clock once per
/// operation.
fn read(clock: &impl Clock) -> f64 {
    const TIMES: u32 = 1_000_000;
    let began = Instant::now();
    for _ in 0..TIMES {
        black_box(clock.now());
    }
    1e9 * began.elapsed().as_secs_f64() / f64::from(TIMES)
}

/// Runs a program for `duration` and returns the elapsed seconds.
fn time(
    program: &mut impl Program,
    clock: &impl Clock,
    duration: Duration,
    interrupt: &Interrupt,
) -> f64 {
    let began = Instant::now();
    let mut stop = || began.elapsed() >= duration || interrupt.asked();
    let Ok(_) = drive(program, &mut Instantly::default(), clock, &mut stop);
    began.elapsed().as_secs_f64()
}

fn text(costs: &[Cost], clock: &Read, runs: u64) -> String {
    let cost = |cost: &Cost| {
        let (least, most) = (cost.ns[0], cost.ns[cost.ns.len() - 1]);
        let median = cost.median();
        let method = cost.method;
        format!("{method:<11} {median:.1} ns an operation (median of {least:.1} to {most:.1})\n")
    };
    [
        format!("The measuring loop over a device without cost, {runs} runs on one core\n\n"),
        costs.iter().map(cost).collect::<String>(),
        format!("clock       {:.1} ns a read, {}\n", clock.ns, clock.clock),
        format!("processor   {}, ", or_not_known(machine::cpu_model())),
        format!("{}\n", or_not_known(machine::cores().map(cores))),
        format!("bandwise    {}\n", env!("CARGO_PKG_VERSION")),
    ]
    .concat()
}

/// The cost of an operation by method.
#[derive(Serialize)]
struct LoopAnswer<'a> {
    schema: u32,
    case: &'static str,
    methods: Vec<MethodRow<'a>>,
    stats: LoopStats<'a>,
    #[serde(skip)]
    costs: &'a [Cost],
    #[serde(skip)]
    clock: &'a Read<'a>,
}

/// The cost of an operation of a method.
#[derive(Serialize)]
struct MethodRow<'a> {
    method: &'static str,
    ns_per_operation: f64,
    ns_per_operation_of_runs: &'a [f64],
}

/// The machine and the clock.
#[derive(Serialize)]
struct LoopStats<'a> {
    version: &'static str,
    runs: u64,
    clock: &'a str,
    clock_read_ns: f64,
    cpu_model: Option<String>,
    cores: Option<usize>,
}

impl<'a> LoopAnswer<'a> {
    fn new(costs: &'a [Cost], clock: &'a Read<'a>, runs: u64) -> Self {
        let method = |cost: &'a Cost| MethodRow {
            method: cost.method,
            ns_per_operation: cost.median(),
            ns_per_operation_of_runs: &cost.ns,
        };
        LoopAnswer {
            schema: 1,
            case: "measuring-loop",
            methods: costs.iter().map(method).collect(),
            stats: LoopStats {
                version: env!("CARGO_PKG_VERSION"),
                runs,
                clock: clock.clock,
                clock_read_ns: clock.ns,
                cpu_model: machine::cpu_model(),
                cores: machine::cores(),
            },
            costs,
            clock,
        }
    }
}

impl Answer for LoopAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        text(self.costs, self.clock, self.stats.runs)
    }
}
