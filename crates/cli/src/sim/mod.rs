//! `bandwise sim`: flows through an Ethernet fabric.

mod json;
mod list;
mod ports;
mod report;
mod rows;
mod run;
mod settings;
mod study;
mod tables;
mod trace;

/// What can be done with network scenarios.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  bandwise sim run papers/irn/default.toml
  bandwise sim run papers/irn/default.toml --flows my.csv --flow-results fct.csv --json -
  bandwise sim run docs/examples/sweep.toml --report report.html")]
pub enum Command {
    /// Run a scenario: flow completion times, slowdowns, what the network counted
    Run(Box<settings::Flags>),
}

impl Command {
    /// Does it.
    pub fn run(self) -> Result<(), crate::failure::Failure> {
        match self {
            Command::Run(flags) => run::run(*flags),
        }
    }
}
