//! `bandwise saba`: sharing of bandwidth by the sensitivity of jobs.

mod answer;
mod compare;
mod configuration;
mod controller;
mod engine;
mod gain;
mod measured;
mod packets;
mod plan;
mod profile;
mod report;
mod run;
mod settings;
mod tables;
mod timelines;

pub(crate) use plan::simulate;
pub(crate) use settings::Flags as PlanFlags;

/// Commands around Saba.
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
pub(crate) enum Command {
    /// Simulate jobs under several sharing policies, and print the configuration for Saba
    Plan(settings::Flags),
    /// Measure the slowdown of a program by its share of the bandwidth
    Profile(Box<profile::Flags>),
    /// Measure the gain of Saba by running programs with links shared in three ways
    Compare(Box<compare::Flags>),
    /// Run an unmodified program under a controller
    Run(Box<run::Flags>),
    /// Run the controller, which shares ports among applications
    Controller(controller::run::Flags),
    /// Show applications and ports of a running controller
    Status(controller::status::Flags),
    /// End all clients of a running controller, with their applications and connections
    Reset(controller::reset::Flags),
    /// Show the rates of all applications if all send at once, over a network in memory
    Rates(controller::rates::Flags),
    /// Replay a recorded session and verify the controller's decisions
    Replay(controller::replay::Flags),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<(), crate::failure::Failure> {
        match self {
            Command::Plan(flags) => plan::run(flags),
            Command::Profile(flags) => flags.run(),
            Command::Compare(flags) => flags.run(),
            Command::Run(flags) => flags.run(),
            Command::Controller(flags) => flags.run(),
            Command::Status(flags) => flags.run(),
            Command::Reset(flags) => flags.run(),
            Command::Rates(flags) => flags.run(),
            Command::Replay(flags) => flags.run(),
        }
    }
}
