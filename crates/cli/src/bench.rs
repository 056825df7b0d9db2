//! `bandwise bench`: how fast the simulator is on this machine.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::output::Json;
use crate::progress::Progress;
use anyhow::Context;
use bandwise_input::Source;
use bandwise_netsim::Counters;
use bandwise_scenario::{FlowSpec, MethodName, Scenario, Senders, Stop, unplaced};
use bandwise_units::Time;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::time::Instant;

/// The RPerf paper's testbed.
const RACK: &str = include_str!("../../../papers/rperf/rack.toml");

/// Flags of `bandwise bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The case: five bulk senders of 4096 B and one RPerf flow to one destination through one switch
(RPerf, ISPASS 2020, figure 7), on one core. A packet-hop is one link crossed by one packet.

Examples:
  bandwise bench
  bandwise bench --json bench.json")]
pub struct Flags {
    /// Simulated time of each run
    #[arg(long, value_name = "TIME", default_value = "4 s", value_parser = crate::rperf::duration)]
    duration: Time,
    /// How often it is run; the median counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=100))]
    runs: u8,
    #[command(flatten)]
    json: Json,
}

/// One run: what it counted, and how long that took.
struct Run {
    counters: Counters,
    wall_s: f64,
}

impl Run {
    fn packet_hops_per_s(&self) -> f64 {
        self.counters.packet_hops as f64 / self.wall_s
    }
}

impl Flags {
    /// Runs it and prints the speed.
    pub fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        let scenario = case(self.duration)?;
        let interrupt = Interrupt::listen()?;
        let progress = Progress::begin("bench");
        progress.steps(self.duration.as_ps() * u64::from(self.runs));
        let mut runs = Vec::new();
        for i in 0..u64::from(self.runs) {
            let began = Instant::now();
            let results = scenario
                .run(|at| {
                    progress.at(i * self.duration.as_ps() + at.simulated.as_ps());
                    match interrupt.asked() {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                })
                .context("bench")?;
            if results.stop == Stop::Interrupted {
                return Err(Failure::Interrupted);
            }
            let wall_s = began.elapsed().as_secs_f64();
            runs.push(Run { counters: results.counters, wall_s });
        }
        progress.end();
        runs.sort_by(|a, b| a.wall_s.total_cmp(&b.wall_s));
        outputs.emit(&text(&runs, &scenario), &json(&runs, &scenario))
    }
}

fn case(duration: Time) -> Result<Scenario, Failure> {
    let source = Source::new("papers/rperf/rack.toml", RACK);
    let mut scenario = Scenario::from_toml(&source)?;
    let senders = ["h1", "h2", "h3", "h4", "h5"].map(|name| unplaced(name.to_owned()));
    let bulk = FlowSpec {
        from: Senders::Each(unplaced(senders.to_vec())),
        ..FlowSpec::new("", "dst", MethodName::Bulk)
    };
    // More samples than there is time for: the run must not end before it.
    let samples = Some(unplaced(1_000_000_000));
    let rperf = FlowSpec { samples, ..FlowSpec::new("h6", "dst", MethodName::Rperf) };
    for spec in [bulk, rperf] {
        scenario.add_flows(&source, &spec)?;
    }
    scenario.duration = duration;
    Ok(scenario)
}

/// Sorted runs have the median in the middle.
fn median(runs: &[Run]) -> &Run {
    &runs[runs.len() / 2]
}

fn text(runs: &[Run], scenario: &Scenario) -> String {
    let Run { counters, wall_s } = median(runs);
    let millions = |run: Option<&Run>| run.map_or(0.0, Run::packet_hops_per_s) / 1e6;
    let memory = machine::peak_rss_bytes().map(|b| format!("{:.1} MiB", b as f64 / 1048576.0));
    let or = |value: Option<String>| value.unwrap_or_else(|| "not known".into());
    [
        format!("five bulk senders and an RPerf flow on one switch, {}", scenario.duration),
        format!(" simulated {} times on one core\n\n", runs.len()),
        format!("speed      {:.2} million packet-hops/s", millions(Some(median(runs)))),
        format!(" (median of {:.2} to {:.2})\n", millions(runs.last()), millions(runs.first())),
        format!("events     {:.2} a packet-hop\n", ratio(counters.events, counters.packet_hops)),
        format!("time       {:.1} ns an event\n", 1e9 * wall_s / counters.events as f64),
        format!("memory     {} at most\n", or(memory)),
        format!("processor  {}\n", or(machine::cpu_model())),
        format!("bandwise   {}, seed {}\n", env!("CARGO_PKG_VERSION"), scenario.seed),
    ]
    .concat()
}

fn json(runs: &[Run], scenario: &Scenario) -> Value {
    let run = median(runs);
    let Run { counters, wall_s } = run;
    json!({
        "schema": 1,
        "case": "five-bulk-senders",
        "stats": {
            "version": env!("CARGO_PKG_VERSION"),
            "seed": scenario.seed,
            "runs": runs.len(),
            "packets_delivered": counters.packets_delivered,
            "packet_hops": counters.packet_hops,
            "events": counters.events,
            "simulated_s": (scenario.warmup + scenario.duration).as_s_f64(),
            "wall_s": wall_s,
            "packet_hops_per_s": run.packet_hops_per_s(),
            "packet_hops_per_s_of_runs":
                runs.iter().map(Run::packet_hops_per_s).collect::<Vec<_>>(),
            "events_per_packet_hop": ratio(counters.events, counters.packet_hops),
            "ns_per_event": 1e9 * wall_s / counters.events as f64,
            "peak_rss_bytes": machine::peak_rss_bytes(),
            "cpu_model": machine::cpu_model(),
        },
    })
}

fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b as f64
}
