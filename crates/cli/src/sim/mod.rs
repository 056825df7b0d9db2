//! `bandwise sim`: flows through an Ethernet fabric.

mod json;
mod list;
mod rows;
mod run;
mod settings;
mod tables;

/// What can be done with network scenarios.
#[derive(Debug, clap::Subcommand)]
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
