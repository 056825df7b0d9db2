//! `bandwise saba`: bandwidth by what each job loses without it.

mod answer;
mod configuration;
mod findings;
mod gain;
mod json;
mod packets;
mod plan;
mod report;
mod settings;
mod tables;
mod timelines;

/// What can be done with jobs.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  bandwise saba plan docs/examples/jobs.toml
  bandwise saba plan docs/examples/jobs.toml --queues 4 --report plan.html")]
pub enum Command {
    /// Simulate jobs under several ways of sharing: who gains, who loses, what to configure
    Plan(settings::Flags),
}

impl Command {
    /// Does it.
    pub fn run(self) -> Result<(), crate::failure::Failure> {
        match self {
            Command::Plan(flags) => plan::run(flags),
        }
    }
}
