//! `bandwise sim`: scenarios of all three kinds.

mod answer;
mod effort;
mod flow_sizes;
mod headroom;
mod list;
mod names;
mod nanoseconds;
mod ports;
mod report;
mod rows;
mod run;
mod settings;
mod settings_row;
mod study;
mod tables;
mod trace;
mod warnings;

/// Commands that take scenario files.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  bandwise sim run papers/irn/default.toml
  bandwise sim run papers/irn/default.toml --flows my.csv --flow-results fct.csv --json -
  bandwise sim run docs/examples/sweep.toml --report report.html
  bandwise sim run docs/examples/two-lanes.toml
  bandwise sim run docs/examples/jobs.toml")]
pub(crate) enum Command {
    /// Run a scenario of any kind: flow completion times, latency, bandwidth, job times
    Run(Box<settings::Flags>),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<(), crate::failure::Failure> {
        match self {
            Command::Run(flags) => run::run(*flags),
        }
    }
}
