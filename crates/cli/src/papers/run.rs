//! `bandwise papers run`.

use super::answer::PaperAnswer;
use super::name::name;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::output::{Json, Outputs, Report, Rows, note};
use crate::progress::Progress;
use crate::values::number;
use bandwise_papers::{Observer, Options, PAPERS, Paper, PaperError, PaperResults, paper};
use std::time::Duration;

/// Flags of `bandwise papers run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The exit code is 0 if the run is complete, whether or not its values agree with the published ones.
The JSON depends on PAPER, --quick and --seed alone, not on the machine, the time or --threads.

Examples:
  bandwise papers run rperf                                  # all of it, minutes
  bandwise papers run rperf --quick --report report.html     # fewer samples, seconds
  bandwise papers run rperf/fig7a                            # one figure
  bandwise papers run rperf/fig4 --quick --json - | jq .rows")]
pub(crate) struct Flags {
    /// A paper, or one of its items; see `bandwise papers list`
    #[arg(value_name = "PAPER[/ITEM]")]
    what: String,
    /// Fewer samples, and one run of each case instead of three
    #[arg(long)]
    quick: bool,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Parallel runs [default: one per core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(1..=1024))]
    threads: Option<u64>,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    report: Report,
}

/// A checked run.
struct Settings {
    paper: &'static Paper,
    options: Options,
    outputs: Outputs,
}

impl Flags {
    fn resolve(self) -> Result<Settings, Failure> {
        let (name, item) = match self.what.split_once('/') {
            Some((name, item)) => (name, Some(item)),
            None => (self.what.as_str(), None),
        };
        let paper = paper(name).ok_or_else(|| {
            let names: Vec<&str> = PAPERS.iter().map(|p| p.name).collect();
            Failure::usage(format!("there is no paper {name:?}"), names.join(", "))
        })?;
        let items: Vec<&str> = paper.items.iter().map(|(name, _)| *name).collect();
        if let Some(item) = item.filter(|item| !items.contains(item)) {
            let message = format!("the paper {name} has no item {item:?}");
            return Err(Failure::usage(message, items.join(", ")));
        }
        let options = Options {
            item: item.map(str::to_owned),
            quick: self.quick,
            seed: self.seed,
            threads: self.threads.unwrap_or(0) as usize,
        };
        Ok(Settings {
            paper,
            options,
            outputs: Outputs::new(self.json, self.report, Rows::default(), &[])?,
        })
    }

    /// Runs the paper and prints its results beside the published values.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let Settings { paper, options, outputs } = self.resolve()?;
        let watcher = Watcher {
            interrupt: Interrupt::listen()?,
            progress: Progress::begin(&format!("running {}", name(paper, &options))),
        };
        let results = bandwise_papers::run(paper, &options, &watcher).map_err(|e| match e {
            PaperError::Item { .. } => unreachable!("items are checked above"),
            e => anyhow::Error::new(e),
        })?;
        let took = watcher.progress.end();

        outputs.answer(&PaperAnswer::new(paper, &options, &results))?;
        note(cost(&results, took));
        if results.unfinished.is_empty() { Ok(()) } else { Err(Failure::Interrupted) }
    }
}

/// The progress of cases, and the interrupt.
struct Watcher {
    progress: Progress,
    interrupt: Interrupt,
}

impl Observer for Watcher {
    fn begin(&self, runs: usize) {
        self.progress.steps(runs as u64);
    }
    fn done(&self, _: &str) {
        self.progress.step();
    }
    fn stop(&self) -> bool {
        self.interrupt.asked()
    }
}

/// Returns the effort on this machine as text.
fn cost(results: &PaperResults, took: Duration) -> String {
    let took_s = took.as_secs_f64();
    let memory = machine::peak_rss_bytes()
        .map_or_else(String::new, |bytes| format!(", {} MiB of memory at most", bytes >> 20));
    format!(
        "{} runs, {:.3} s simulated in {took_s:.1} s, {:.1} million packet-hops/s{memory}",
        results.runs,
        results.effort.simulated.as_s_f64(),
        results.effort.packet_hops as f64 / took_s / 1e6,
    )
}
