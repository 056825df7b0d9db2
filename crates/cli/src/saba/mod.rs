//! `bandwise saba`: bandwidth by what each job loses without it.

mod answer;
mod compare;
mod conclusions;
mod configuration;
mod controller;
mod engine;
mod findings;
mod gain;
mod packets;
mod plan;
mod profile;
mod report;
mod run;
mod settings;
mod tables;
mod timelines;

pub use plan::simulate;
pub use settings::Flags as PlanFlags;

/// What can be done with jobs.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  bandwise saba plan docs/examples/jobs.toml
  bandwise saba plan docs/examples/jobs.toml --queues 4 --report plan.html
  bandwise saba profile --app LR --lab lab --table table.toml -- ./train.sh
  bandwise saba compare --config controller.toml --app LR=./train.sh --app sort=./sort.sh
  bandwise saba run --app LR -- ./train.sh
  bandwise saba controller --config controller.toml --dry-run
  bandwise saba status --config controller.toml
  bandwise saba rates --config controller.toml")]
pub enum Command {
    /// Simulate jobs under several ways of sharing: who gains, who loses, what to configure
    Plan(settings::Flags),
    /// Measure what a program loses with less bandwidth, by running it with less
    Profile(Box<profile::Flags>),
    /// Measure what Saba is worth for programs, by running them with links shared in three ways
    Compare(Box<compare::Flags>),
    /// Run a program that knows nothing of it as an application of a controller's
    Run(Box<run::Flags>),
    /// Run the controller: it shares ports among applications that come and go
    Controller(controller::run::Flags),
    /// Show what a controller that runs has, and what its ports have
    Status(controller::status::Flags),
    /// What applications would get if all sent at once, by what stands at a network in memory
    Rates(controller::rates::Flags),
    /// Hear again all that a controller heard, and say what it did then
    Replay(controller::replay::Flags),
}

impl Command {
    /// Does it.
    pub fn run(self) -> Result<(), crate::failure::Failure> {
        match self {
            Command::Plan(flags) => plan::run(flags),
            Command::Profile(flags) => flags.run(),
            Command::Compare(flags) => flags.run(),
            Command::Run(flags) => flags.run(),
            Command::Controller(flags) => flags.run(),
            Command::Status(flags) => flags.run(),
            Command::Rates(flags) => flags.run(),
            Command::Replay(flags) => flags.run(),
        }
    }
}
