//! `bandwise coflows`: a trace of coflows under several schedulers.

use crate::failure::Failure;
use crate::files::Text;
use crate::interrupt::Interrupt;
use crate::output::{Json, note};
use crate::progress::Progress;
use crate::values::number;
use bandwise_flowsim::coflow::{CoflowTimes, PORT_RATE, run};
use bandwise_flowsim::policy::{MaxMin, Sebf, Sincronia, SmallestGroup};
use bandwise_report::json::rounded;
use bandwise_report::{Cell, Table, text};
use bandwise_units::BitRate;
use bandwise_workload::{CoflowMix, CoflowTrace, read};
use serde_json::json;
use std::path::PathBuf;

/// Flags of `bandwise coflows`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  # A trace in the format of the public one of Facebook: `ports coflows`, then a line a coflow
  bandwise coflows FB2010-1Hr-150-0.txt
  # Without a file, one of the same shape that is made up
  bandwise coflows --seed 2 --json -

All ports are on one switch that limits nothing else, and have 1 Gbps each way if --rate says nothing,
as in Varys and Sincronia. A coflow's completion time is from its arrival to the end of its last flow.")]
pub struct Flags {
    /// A trace; - for standard input. If not given, one is made up from the seed: 526 coflows, 150 ports
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// The rate of a port, each way
    #[arg(long, value_name = "RATE", default_value_t = PORT_RATE)]
    rate: BitRate,
    /// What a trace is made up from
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: u64,
    #[command(flatten)]
    json: Json,
}

/// Schedulers by name.
const SCHEDULERS: [(&str, &str); 4] = [
    ("fair", "max-min among flows"),
    ("smallest-first", "smallest coflow first"),
    ("sebf", "Varys (SEBF)"),
    ("sincronia", "Sincronia"),
];

fn scheduled(
    name: &str,
    trace: &CoflowTrace,
    rate: BitRate,
) -> Result<CoflowTimes, bandwise_flowsim::NetworkError> {
    match name {
        "smallest-first" => run(trace, rate, SmallestGroup::default(), 0),
        "sebf" => run(trace, rate, Sebf::default(), 0),
        "sincronia" => run(trace, rate, Sincronia::default(), 0),
        _ => run(trace, rate, MaxMin, 0),
    }
}

impl Flags {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        let interrupt = Interrupt::listen()?;
        let (name, trace) = match &self.trace {
            Some(path) => {
                let text = Text::read(path)?;
                let trace = read::coflows(&text.source())?;
                (text.name, trace)
            }
            None => {
                (format!("made up, seed {}", self.seed), CoflowMix::like_public().trace(self.seed))
            }
        };
        let inputs: Vec<&std::path::Path> = self.trace.as_deref().into_iter().collect();
        let outputs = self.json.resolve(&inputs)?;
        let progress = Progress::begin(&format!("scheduling {} coflows", trace.coflows.len()));
        progress.steps(SCHEDULERS.len() as u64);
        let mut found = Vec::new();
        for (key, title) in SCHEDULERS {
            if interrupt.asked() {
                return Err(Failure::Interrupted);
            }
            let times = scheduled(key, &trace, self.rate).map_err(|error| {
                Failure::usage(format!("--rate {}: {error}", self.rate), error.allowed())
            })?;
            found.push((key, title, times));
            progress.step();
        }
        let took = progress.end();
        note(format_args!("{} schedulers in {:.1} s", found.len(), took.as_secs_f64()));
        let fair = found[0].2.average().as_s_f64();
        let row = |(_, title, times): &(&str, &str, CoflowTimes)| {
            vec![
                Cell::text(*title),
                Cell::number(times.average().as_s_f64(), "s"),
                Cell::number(times.percentile(95).as_s_f64(), "s"),
                Cell::number(fair / times.average().as_s_f64(), ""),
            ]
        };
        let header = ["scheduler", "average", "p95", "fair over it"];
        let table = Table {
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
        };
        let rows = found.iter().map(|(key, _, times)| {
            json!({
                "scheduler": key,
                "average_s": times.average().as_s_f64(),
                "p95_s": times.percentile(95).as_s_f64(),
                "times_s": times.times.iter().map(|time| time.as_s_f64()).collect::<Vec<_>>(),
            })
        });
        let document = rounded(json!({
            "schema": 1,
            "trace": name,
            "coflows": trace.coflows.len(),
            "flows": trace.flows(),
            "ports": trace.ports,
            "rate_bps": self.rate.as_bps(),
            "schedulers": rows.collect::<Vec<_>>(),
            "stats": { "version": env!("CARGO_PKG_VERSION"), "seed": self.seed },
        }));
        outputs.emit(&text::table(&table), &document)
    }
}
