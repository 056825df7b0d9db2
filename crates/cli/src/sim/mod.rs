//! `bandwise sim`: flows through an Ethernet fabric.

mod json;
mod list;
mod ports;
mod rows;
mod run;
mod settings;
mod tables;

/// What can be done with network scenarios.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  bandwise sim run papers/irn/default.toml
  bandwise sim run papers/irn/default.toml --flows my.csv --flow-results fct.csv --json -")]
pub enum Command {
    /// Run a scenario: flow completion times, slowdowns, what the network counted
    Run(settings::Flags),
}

impl Command {
    /// Does it.
    pub fn run(self) -> Result<(), crate::failure::Failure> {
        match self {
            Command::Run(flags) => run::run(flags),
        }
    }
}
